package report

import "splat/internal/finding"

// chart is a chart as site.js draws it: lines over x, or intervals in numbered rows.
type chart struct {
	ID     string   `json:"id"` // of the element that holds it
	Kind   string   `json:"kind"`
	X      string   `json:"x"`                // name of the horizontal axis
	Unit   string   `json:"unit"`             // of the values
	Digits int      `json:"digits"`           // of values, after the point
	Points []point  `json:"points,omitempty"` // of lines
	Rows   []span   `json:"rows,omitempty"`   // of intervals
	Gate   *float64 `json:"gate,omitempty"`
	Name   string   `json:"name"` // what is shown, for people who do not see it
}

// point is a pair of numbers.
type point [2]float64

// span is a row of intervals: an interval with a mark, and the noise around 0.
type span struct {
	Low   *float64 `json:"low"` // nil: open, or unknown
	High  *float64 `json:"high"`
	Mark  float64  `json:"mark"`
	Noise *float64 `json:"noise,omitempty"`
}

// mostPoints bounds the points of a line; beyond it every n-th is drawn.
const mostPoints = 2000

// lineChart collects the points of a chart; nil where there are none.
func lineChart(id, name, x, unit string, digits, n int, at func(i int) (x, y *float64)) *chart {
	c := chart{ID: id, Kind: "line", Name: name, X: x, Unit: unit, Digits: digits}
	stride := 1 + (n-1)/mostPoints
	for i := range n {
		if i%stride != 0 && i != n-1 {
			continue
		}
		if px, py := at(i); px != nil && py != nil && (len(c.Points) == 0 || *px > c.Points[len(c.Points)-1][0]) {
			c.Points = append(c.Points, point{*px, *py})
		}
	}
	if len(c.Points) == 0 {
		return nil
	}
	return &c
}

// runCharts are the curves of a run, as far as it recorded them.
func runCharts(r *Run) (list []chart) {
	psnr, loss := r.testEvals(), r.metrics
	for _, c := range []*chart{
		lineChart("psnr-steps", "PSNR over steps", "step", "dB", 2, len(psnr), func(i int) (x, y *float64) { return psnr[i].Step, psnr[i].PSNR }),
		lineChart("psnr-seconds", "PSNR over seconds", "seconds of training", "dB", 2, len(psnr), func(i int) (x, y *float64) { return psnr[i].Seconds, psnr[i].PSNR }),
		lineChart("loss-steps", "Loss over steps", "step", "", 4, len(loss), func(i int) (x, y *float64) { return loss[i].Step, loss[i].Loss }),
		lineChart("loss-seconds", "Loss over seconds", "seconds of training", "", 4, len(loss), func(i int) (x, y *float64) { return loss[i].Seconds, loss[i].Loss }),
		lineChart("splats-steps", "Splats over steps", "step", "", 0, len(loss), func(i int) (x, y *float64) { return loss[i].Step, loss[i].Splats }),
		lineChart("ms-steps", "Time of a step", "step", "ms", 2, len(loss), func(i int) (x, y *float64) { return loss[i].Step, loss[i].MS }),
	} {
		if c != nil {
			list = append(list, *c)
		}
	}
	return list
}

// testEvals are the evaluations of one split: of the test views where there are some.
func (r *Run) testEvals() (out []evaluation) {
	for _, split := range []string{"test", "train", ""} {
		for _, e := range r.evals {
			if e.Split == split {
				out = append(out, e)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return r.evals
}

// intervalCharts are the differences of an experiment: times, then kernels.
func intervalCharts(e *finding.Experiment) (list []chart) {
	for _, c := range []struct {
		id, name string
		rows     []finding.Change
	}{{"times", "Change of the times", e.Times}, {"kernels", "Change of each kernel", e.Kernels}} {
		if len(c.rows) == 0 {
			continue
		}
		out := chart{ID: "interval-" + c.id, Kind: "interval", Name: c.name, X: "change in per cent; negative: B is faster", Unit: "%", Digits: 2}
		if e.Gate != nil && c.id == "times" {
			v := -*e.Gate
			out.Gate = &v
		}
		for _, row := range c.rows {
			out.Rows = append(out.Rows, span{row.Low, row.High, row.Median, row.Noise})
		}
		list = append(list, out)
	}
	return list
}

// calibrationChart puts predicted intervals beside measurements.
func calibrationChart(p calibrationPart) chart {
	c := chart{ID: p.Chart, Kind: "interval", Name: "Predicted intervals and measurements, " + p.Title, X: "change in " + p.Unit, Unit: p.Unit, Digits: 2}
	for _, j := range p.Rows {
		c.Rows = append(c.Rows, span{Low: j.Finding.Prediction.Low, High: j.Finding.Prediction.High, Mark: j.Measured})
	}
	return c
}
