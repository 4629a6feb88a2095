package finding

// Judgement is a prediction beside what was measured.
type Judgement struct {
	Finding  *Finding
	Measured float64
	Inside   bool // the measurement lies in the predicted interval
	Sign     bool // it lies on the predicted side of 0
	Sided    bool // a side was predicted: the interval leaves one out
}

// Calibration is how well predictions were met.
type Calibration struct {
	Judgements []Judgement
	Open       []*Finding // predicted and not measured yet
	Inside     int        // of all
	Sided      int        // that predict a side
	Sign       int        // of these
}

// Calibrate puts each prediction beside its measurement. Retrospective findings
// predict nothing and are left out. Of a corrected finding the corrected measurement
// counts.
func Calibrate(findings []*Finding) Calibration {
	var c Calibration
	for _, f := range findings {
		if f.Prediction.Quantity == "" || f.Prediction.Low == nil && f.Prediction.High == nil {
			continue
		}
		m := f.Measurement()
		if m == nil {
			c.Open = append(c.Open, f)
			continue
		}
		c.add(judge(f, *m))
	}
	return c
}

func (c *Calibration) add(j Judgement) {
	c.Judgements = append(c.Judgements, j)
	if j.Inside {
		c.Inside++
	}
	if j.Sided {
		c.Sided++
	}
	if j.Sided && j.Sign {
		c.Sign++
	}
}

func judge(f *Finding, measured float64) Judgement {
	low, high := f.Prediction.Low, f.Prediction.High
	below := high != nil && *high <= 0 && (low == nil || *low < 0)
	above := low != nil && *low >= 0 && (high == nil || *high > 0)
	return Judgement{
		Finding: f, Measured: measured,
		Inside: (low == nil || *low <= measured) && (high == nil || measured <= *high),
		Sided:  below || above,
		Sign:   below && measured < 0 || above && measured > 0,
	}
}
