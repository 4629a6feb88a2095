package ab

import (
	"fmt"
	"math"
)

// Verdict is what an experiment says about "B saves at least the gate".
type Verdict string

// Verdicts.
const (
	Accepted  Verdict = "accepted"  // the whole interval lies beyond the gate
	Refuted   Verdict = "refuted"   // it lies wholly short of the gate
	Undecided Verdict = "undecided" // it holds the gate, or the measurement cannot tell
)

// floorFactor widens the interval of A against A to the noise floor. That interval and
// the one of A against B are both uncertain, each about as much: with factor 1 the second
// would lie outside of the first every other time, though nothing differs.
const floorFactor = 2

// Difference is the paired differences of two roles, in seconds, and what follows from
// them in percent of the median of the first role.
type Difference struct {
	Pairs   int       `json:"pairs"`
	Seconds []float64 `json:"seconds"`        // one a pair; positive: the second role is faster
	Percent float64   `json:"median_percent"` // 0 where there are no pairs
	// Interval is of the median, in percent; nil where no interval of the level exists.
	Interval *Interval `json:"interval_percent"`
}

// differenceOf pairs the times of two roles.
func differenceOf(first, second []float64, level float64) Difference {
	d := Difference{Pairs: len(first), Seconds: []float64{}}
	if len(first) == 0 {
		return d
	}
	scale := 0.0
	if m := Median(first); m > 0 {
		scale = 100 / m
	}
	percent := make([]float64, len(first))
	for i := range first {
		d.Seconds = append(d.Seconds, first[i]-second[i])
		percent[i] = d.Seconds[i] * scale
	}
	d.Percent = Median(percent)
	if iv, ok := IntervalOf(percent, level); ok {
		d.Interval = &iv
	}
	return d
}

// floor is the noise floor in percent that the differences of A against A tell, infinite
// where there is no interval.
func (d Difference) floor() float64 {
	if d.Interval == nil {
		return math.Inf(1)
	}
	return floorFactor * math.Max(math.Abs(d.Interval.Low), math.Abs(d.Interval.High))
}

// Judgement is a verdict and its reason.
type Judgement struct {
	Verdict Verdict `json:"verdict"`
	Slower  bool    `json:"slower"` // refuted, and the whole interval lies on the other side of 0
	Why     string  `json:"why"`
}

// judge compares an interval with the gate. floor is in percent.
func judge(d Difference, floor, gate, level float64) Judgement {
	iv := d.Interval
	switch {
	case iv == nil:
		return Judgement{Undecided, false, fmt.Sprintf("no interval of level %s exists with %s of A against B; it takes %d", LevelText(level), pairsText(d.Pairs), PairsFor(level))}
	case math.IsInf(floor, 1):
		return Judgement{Undecided, false, fmt.Sprintf("the noise floor is unknown: no interval of level %s exists with so few pairs of A against A; it takes %d", LevelText(level), PairsFor(level))}
	case floor > gate:
		return Judgement{Undecided, false, fmt.Sprintf("the noise floor, %s, exceeds the gate, %s", percent(floor), percent(gate))}
	case iv.Low > gate:
		return Judgement{Accepted, false, "the whole interval lies beyond the gate of " + percent(gate)}
	case iv.High < 0:
		return Judgement{Refuted, true, "the whole interval lies below 0: B is slower"}
	case iv.High < gate:
		return Judgement{Refuted, false, "the whole interval lies short of the gate of " + percent(gate)}
	}
	return Judgement{Undecided, false, fmt.Sprintf("the interval, %s to %s, holds the gate of %s", percent(iv.Low), percent(iv.High), percent(gate))}
}

// Words is the verdict as people say it.
func (j Judgement) Words() string {
	if j.Slower {
		return string(j.Verdict) + ", and slower"
	}
	return string(j.Verdict)
}

func percent(v float64) string { return fmt.Sprintf("%.2f %%", v) }

func pairsText(n int) string {
	if n == 1 {
		return "1 pair"
	}
	return fmt.Sprintf("%d pairs", n)
}
