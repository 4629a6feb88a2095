package ab

import (
	"math"
)

// Analysis is what the samples of a plan say. It follows from them alone.
type Analysis struct {
	Judgement                // of the step time
	Quantities []Quantity    `json:"quantities"` // step time, median step where known, whole training
	Kernels    *KernelReport `json:"kernels"`    // nil where kernels were not timed
	Arms       [2]Arm        `json:"arms"`
}

// Quantity is one measured time, in both arms.
type Quantity struct {
	Name       string     `json:"name"`
	Unit       string     `json:"unit"`      // "ms" or "s": for people; values are in seconds
	A          float64    `json:"a_seconds"` // median of the runs of A in pairs with B
	B          float64    `json:"b_seconds"`
	Floor      Difference `json:"floor"`               // A against A
	NoiseFloor *float64   `json:"noise_floor_percent"` // nil where unknown
	Difference Difference `json:"difference"`          // A against B
	Judgement
}

// Arm is what came out of an arm's runs, apart from time.
type Arm struct {
	Value  string   `json:"value"`
	Runs   int      `json:"runs"`
	PSNR   *float64 `json:"psnr"` // nil where nothing was evaluated
	SSIM   *float64 `json:"ssim"`
	Splats int      `json:"splats"`
	SHA256 string   `json:"sha256"`
	Same   bool     `json:"same_bytes_each_run"`
}

// Analyse judges the samples. Pairs of which a run is missing do not count.
func Analyse(p Plan, samples []Sample) Analysis {
	a := Analysis{Arms: armsOf(p, samples)}
	for _, q := range quantities(samples) {
		a.Quantities = append(a.Quantities, p.quantity(q, samples))
	}
	a.Judgement = a.Quantities[0].Judgement
	a.Kernels = p.kernels(samples)
	return a
}

// measure is a way to read a time off a sample.
type measure struct {
	name, unit string
	of         func(Sample) float64
}

func quantities(samples []Sample) []measure {
	list := []measure{{"step time", "ms", Sample.StepSeconds}}
	median := len(samples) > 0
	for _, s := range samples {
		median = median && s.MedianStep > 0
	}
	if median {
		list = append(list, measure{"median step", "ms", func(s Sample) float64 { return s.MedianStep }})
	}
	return append(list, measure{"whole training", "s", func(s Sample) float64 { return s.Seconds }})
}

func (p Plan) quantity(m measure, samples []Sample) Quantity {
	a, b := columns(samples, Compare, m.of)
	first, again := columns(samples, Floor, m.of)
	q := Quantity{
		Name: m.name, Unit: m.unit, A: number(Median(a)), B: number(Median(b)),
		Floor: differenceOf(first, again, p.Level), Difference: differenceOf(a, b, p.Level),
	}
	floor := q.Floor.floor()
	if !math.IsInf(floor, 1) {
		q.NoiseFloor = &floor
	}
	q.Judgement = judge(q.Difference, floor, p.Gate, p.Level)
	return q
}

// number keeps what JSON has no word for out of a document.
func number(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// columns returns the times of both roles of a phase's pairs, in the order of the pairs.
func columns(samples []Sample, phase Phase, of func(Sample) float64) (first, second []float64) {
	for _, pair := range pairsOf(samples, phase) {
		first, second = append(first, of(pair[0])), append(second, of(pair[1]))
	}
	return first, second
}

// pairsOf returns the whole pairs of a phase, A's run first.
func pairsOf(samples []Sample, phase Phase) (out [][2]Sample) {
	half := map[int]Sample{}
	for _, s := range samples {
		if s.Phase != phase {
			continue
		}
		other, there := half[s.Pair]
		switch {
		case !there:
			half[s.Pair] = s
		case s.Role == ARole:
			out = append(out, [2]Sample{s, other})
		default:
			out = append(out, [2]Sample{other, s})
		}
	}
	return out
}

func armsOf(p Plan, samples []Sample) (arms [2]Arm) {
	for i := range arms {
		arms[i] = Arm{Value: p.Values[i], Same: true}
	}
	for _, s := range samples {
		arm := &arms[s.Arm()]
		if arm.Runs++; arm.Runs == 1 {
			arm.PSNR, arm.SSIM, arm.Splats, arm.SHA256 = s.PSNR, s.SSIM, s.Splats, s.SHA256
		}
		arm.Same = arm.Same && arm.SHA256 == s.SHA256
	}
	return arms
}
