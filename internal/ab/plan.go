// Package ab decides whether B is faster than A. It plans runs of two arms in
// interleaved pairs, with pairs of A against itself first, and judges the paired
// differences by an exact interval of their median against a gate that was fixed before
// the first run. It knows no engine: whoever uses it brings a function that runs an arm.
//
// A difference is the time of A less that of B: positive where B saves time.
package ab

import "fmt"

// Plan is what is fixed before the first run.
type Plan struct {
	Key     string    `json:"key"`              // what is varied: "backend.record", "preset"
	Values  [2]string `json:"values"`           // in A and in B, as typed
	Gate    float64   `json:"gate_percent"`     // saving that counts, in percent of A
	Level   float64   `json:"level"`            // asked of an interval, 0..1
	Pairs   int       `json:"pairs"`            // of A against B
	Floor   int       `json:"floor_pairs"`      // of A against A
	Kernels Kernels   `json:"kernel_times"`     // where kernel times come from
	Equal   bool      `json:"must_be_equal"`    // both arms must give the same bytes
	Repeats bool      `json:"must_repeat"`      // an arm must give the same bytes each time
	Changed []string  `json:"changed_settings"` // "train.seed 1 -> 2": what differs between the arms
}

// Kernels says which runs kernel times come from.
type Kernels string

// Sources of kernel times.
const (
	Separate Kernels = "separate" // from instrumented runs of their own: the others are not disturbed
	Same     Kernels = "same"     // from all runs, which are instrumented
	None     Kernels = "none"     // kernels are not timed
)

// Phase is a part of the experiment.
type Phase string

// The phases, in the order in which they run.
const (
	WarmUp        Phase = "warm-up"
	Floor         Phase = "floor"   // A against A
	Compare       Phase = "compare" // A against B
	KernelWarmUp  Phase = "kernel-warm-up"
	KernelFloor   Phase = "kernel-floor"
	KernelCompare Phase = "kernel-compare"
)

// Roles of a run in its pair. AgainRole is arm A too, in the place of B.
const (
	ARole     = "A"
	BRole     = "B"
	AgainRole = "A again"
)

// Job is one run to be made.
type Job struct {
	Phase   Phase  `json:"phase"`
	Pair    int    `json:"pair"` // from 1; 0 for warm-up
	Role    string `json:"role"`
	Profile bool   `json:"profile"` // kernels are timed
}

// Arm is 0 for A and 1 for B.
func (j Job) Arm() int {
	if j.Role == BRole {
		return 1
	}
	return 0
}

// String names a job for people.
func (j Job) String() string {
	names := map[Phase]string{
		WarmUp: "warm-up", Floor: "A against A", Compare: "A against B",
		KernelWarmUp: "kernels, warm-up", KernelFloor: "kernels, A against A", KernelCompare: "kernels, A against B",
	}
	if j.Pair == 0 {
		return fmt.Sprintf("%s, %s", names[j.Phase], j.Role)
	}
	return fmt.Sprintf("%s, pair %d, %s", names[j.Phase], j.Pair, j.Role)
}

// Jobs lists the runs in their order: the two of a pair one after the other, every
// second pair the other way round (A B B A ...), so that a machine that slowly becomes
// slower or faster favours neither.
func (p Plan) Jobs() []Job {
	jobs := p.phases(p.Kernels == Same, WarmUp, Floor, Compare)
	if p.Kernels == Separate {
		jobs = append(jobs, p.phases(true, KernelWarmUp, KernelFloor, KernelCompare)...)
	}
	return jobs
}

func (p Plan) phases(profile bool, warm, floor, compare Phase) []Job {
	jobs := []Job{{warm, 0, ARole, profile}, {warm, 0, BRole, profile}}
	jobs = append(jobs, pairs(floor, p.Floor, AgainRole, profile)...)
	return append(jobs, pairs(compare, p.Pairs, BRole, profile)...)
}

func pairs(phase Phase, n int, other string, profile bool) []Job {
	var jobs []Job
	for pair := 1; pair <= n; pair++ {
		first, second := ARole, other
		if pair%2 == 0 {
			first, second = second, first
		}
		jobs = append(jobs, Job{phase, pair, first, profile}, Job{phase, pair, second, profile})
	}
	return jobs
}

// left lists the jobs that remain when some samples are there. The two runs of a pair
// belong together in time: a pair that was broken off is made again, and whatever
// remains is preceded by its warm-up.
func (p Plan) left(done []Sample) []Job {
	whole := map[Job]bool{}
	for _, s := range wholePairs(done) {
		whole[s.Job] = true
	}
	var jobs, warm []Job
	for _, j := range p.Jobs() {
		switch {
		case j.Pair == 0:
			if len(warm) == 2 {
				warm = nil
			}
			warm = append(warm, j)
		case !whole[j]:
			jobs = append(append(jobs, warm...), j)
			warm = nil
		}
	}
	return jobs
}

// wholePairs returns the samples of pairs of which both runs are there.
func wholePairs(samples []Sample) []Sample {
	type pair struct {
		phase Phase
		n     int
	}
	count := map[pair]int{}
	for _, s := range samples {
		count[pair{s.Phase, s.Pair}]++
	}
	var out []Sample
	for _, s := range samples {
		if s.Pair > 0 && count[pair{s.Phase, s.Pair}] == 2 {
			out = append(out, s)
		}
	}
	return out
}
