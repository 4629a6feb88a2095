package ab

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// KernelReport says which kernels differ between the arms.
type KernelReport struct {
	Count   int      `json:"count"`           // of kernels that both arms have
	Level   float64  `json:"corrected_level"` // so that all intervals together have the plan's level
	Pairs   int      `json:"pairs"`
	Need    int      `json:"pairs_needed"` // for an interval of the corrected level
	Changed []string `json:"changed"`      // accused: names of Rows
	Note    string   `json:"note"`         // why nobody can be accused, or ""
	Rows    []Kernel `json:"rows"`
}

// Kernel is a kernel's time in both arms, a step.
type Kernel struct {
	Name       string     `json:"name"`
	A          float64    `json:"a_seconds"` // median of the pairs' runs, a step
	B          float64    `json:"b_seconds"`
	Share      float64    `json:"share_percent"`    // of all kernels' time in A, in a step or a refine
	Effect     float64    `json:"effect_percent"`   // median difference, in percent of the same
	Refine     bool       `json:"refine,omitempty"` // it runs between steps: all numbers are of a refine
	Only       string     `json:"only,omitempty"`   // "A" or "B": the other arm does not run it
	Floor      Difference `json:"floor"`
	NoiseFloor *float64   `json:"noise_floor_percent"`
	Difference Difference `json:"difference"` // its interval has the corrected level
	Differs    bool       `json:"differs"`    // measurably
	Changed    bool       `json:"changed"`    // and so much that it matters
}

// kernels compares kernel by kernel. Each interval has the level that makes all of them
// together have the plan's (Bonferroni), so that of kernels that do not differ none is
// accused, with that probability.
func (p Plan) kernels(samples []Sample) *KernelReport {
	floor, compare := KernelFloor, KernelCompare
	switch p.Kernels {
	case None:
		return nil
	case Same:
		floor, compare = Floor, Compare
	}
	pairs := pairsOf(samples, compare)
	r := &KernelReport{Pairs: len(pairs), Changed: []string{}, Rows: []Kernel{}}
	names, only := kernelNames(pairs)
	for _, n := range names {
		if only[n] == "" {
			r.Count++
		}
	}
	r.Level = 1 - (1-p.Level)/float64(max(r.Count, 1))
	r.Need = PairsFor(r.Level)
	if r.Count > 0 && r.Pairs < r.Need {
		r.Note = fmt.Sprintf("no kernel can be accused: with %d kernels an interval needs level %s, which takes %d pairs; there are %d",
			r.Count, LevelText(r.Level), r.Need, r.Pairs)
	}
	steps := Median(first(columns(samples, compare, func(s Sample) float64 { return kernelSum(s, false) })))
	refines := Median(first(columns(samples, compare, func(s Sample) float64 { return kernelSum(s, true) })))
	for _, n := range names {
		all, refine := steps, isRefine(samples, n)
		if refine {
			all = refines
		}
		k := p.kernel(n, only[n], samples, floor, compare, r.Level, all)
		k.Refine = refine
		r.Rows = append(r.Rows, k)
	}
	p.accuse(r.Rows)
	slices.SortStableFunc(r.Rows, func(a, b Kernel) int { return cmp.Compare(max(b.A, b.B), max(a.A, a.B)) })
	for _, k := range r.Rows {
		if k.Changed {
			r.Changed = append(r.Changed, k.Name)
		}
	}
	return r
}

func first(a, _ []float64) []float64 { return a }

// A kernel that differs is accused where that is this part, at least, of the gate and of
// the largest difference of any kernel: what runs beside a kernel that changed changes a
// little too, through caches and clocks.
const material = 0.1

// accuse marks the kernels whose difference matters to the step, or to the refine.
func (p Plan) accuse(rows []Kernel) {
	var largest [2]float64
	base := func(k *Kernel) *float64 {
		if k.Refine {
			return &largest[1]
		}
		return &largest[0]
	}
	for i := range rows {
		if k := &rows[i]; k.Differs {
			*base(k) = max(*base(k), math.Abs(k.Effect))
		}
	}
	for i := range rows {
		k := &rows[i]
		k.Changed = k.Differs && math.Abs(k.Effect) >= material*max(p.Gate, *base(k))
	}
}

// kernel compares one kernel. It differs where its interval does not hold 0 and the
// median difference is beyond what A shows against itself.
func (p Plan) kernel(name, only string, samples []Sample, floor, compare Phase, level, all float64) Kernel {
	of := func(s Sample) float64 { return kernelTime(s, name) }
	a, b := columns(samples, compare, of)
	one, again := columns(samples, floor, of)
	k := Kernel{
		Name: name, Only: only, A: number(Median(a)), B: number(Median(b)),
		Floor: differenceOf(one, again, p.Level), Difference: differenceOf(a, b, level),
	}
	if all > 0 {
		k.Share = 100 * k.A / all
		k.Effect = number(100 * Median(k.Difference.Seconds) / all)
	}
	noise := k.Floor.floor()
	if math.IsInf(noise, 1) {
		return k
	}
	k.NoiseFloor = &noise
	iv := k.Difference.Interval
	k.Differs = only == "" && iv != nil && (iv.Low > 0 || iv.High < 0) && math.Abs(k.Difference.Percent) > noise
	return k
}

func isRefine(samples []Sample, name string) bool {
	for _, s := range samples {
		for _, k := range s.Kernels {
			if k.Name() == name {
				return k.Group == refineGroup
			}
		}
	}
	return false
}

// kernelTime is the time of a kernel in a run, a step.
func kernelTime(s Sample, name string) (sum float64) {
	for _, k := range s.Kernels {
		if k.Name() == name {
			sum += k.perStep(s)
		}
	}
	return sum
}

// refineGroup is the group of kernels that run between steps, now and then. Their times
// are of a refine, and no part of a step.
const refineGroup = "refine"

// kernelSum is the time of all kernels of a step, or of a refine, in a run.
func kernelSum(s Sample, refine bool) (sum float64) {
	for _, k := range s.Kernels {
		if (k.Group == refineGroup) == refine {
			sum += k.perStep(s)
		}
	}
	return sum
}

// perStep is the median of a kernel's times where it is known, else their mean.
func (k KernelTime) perStep(s Sample) float64 {
	if k.Median > 0 {
		return k.Median
	}
	steps := k.Steps
	if steps == 0 {
		steps = s.Steps
	}
	return k.Seconds / float64(max(steps, 1))
}

// kernelNames lists the kernels of pairs, and tells of those that one arm alone has
// which one that is.
func kernelNames(pairs [][2]Sample) (names []string, only map[string]string) {
	only = map[string]string{}
	have := [2]map[string]bool{{}, {}}
	for _, pair := range pairs {
		for arm, s := range pair {
			for _, k := range s.Kernels {
				if n := k.Name(); !have[arm][n] {
					have[arm][n] = true
					if !slices.Contains(names, n) {
						names = append(names, n)
					}
				}
			}
		}
	}
	for _, n := range names {
		switch {
		case !have[1][n]:
			only[n] = "A"
		case !have[0][n]:
			only[n] = "B"
		}
	}
	return names, only
}

// Words says what the report comes to.
func (r *KernelReport) Words() string {
	switch {
	case r.Count == 0:
		return "no kernel was timed in both arms"
	case r.Note != "":
		return r.Note
	}
	var parts []string
	traces := 0
	for _, k := range r.Rows {
		switch {
		case k.Changed:
			parts = append(parts, fmt.Sprintf("%s is %s in B by %s", k.Name, pace(k.Difference.Percent), percent(math.Abs(k.Difference.Percent))))
		case k.Differs:
			traces++
		}
	}
	if traces > 0 {
		parts = append(parts, fmt.Sprintf("%d differ by next to nothing of the step", traces))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("none of %d kernels differs", r.Count)
	}
	return fmt.Sprintf("%s; none of the other %d kernels differs", strings.Join(parts, "; "), r.Count-len(r.Changed)-traces)
}

// pace is the word for a saving.
func pace(saved float64) string {
	if saved < 0 {
		return "slower"
	}
	return "faster"
}
