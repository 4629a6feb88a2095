package ab

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheSlowedKernelIsNamedAndNoOther, in many experiments with noise.
func TestTheSlowedKernelIsNamedAndNoOther(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const draws = 100
	named, innocent := 0, 0
	for range draws {
		s := simulate(planOf(Separate), rng, noises["normal"], 2, [2]map[string]float64{stepOf(0.002), stepOf(0.0024)})
		r := Analyse(planOf(Separate), s).Kernels
		if slices.Contains(r.Changed, "raster.large") {
			named++
		}
		if len(slices.DeleteFunc(slices.Clone(r.Changed), func(n string) bool { return n == "raster.large" })) > 0 {
			innocent++
		}
	}
	if named < draws*95/100 || innocent > draws*5/100 {
		t.Errorf("named in %d and another accused in %d of %d", named, innocent, draws)
	}
}

// TestEqualKernelsAreNotAccused, though there are forty chances in each experiment.
func TestEqualKernelsAreNotAccused(t *testing.T) {
	for name, noise := range noises {
		rng := rand.New(rand.NewPCG(9, 10))
		accused := 0
		for range 60 {
			s := simulate(planOf(Separate), rng, noise, 5, [2]map[string]float64{stepOf(0.002), stepOf(0.002)})
			if r := Analyse(planOf(Separate), s).Kernels; len(r.Changed) > 0 {
				accused++
			}
		}
		if accused > 3 { // one in twenty
			t.Errorf("%s: somebody accused in %d of 60", name, accused)
		}
	}
}

func TestTooFewPairsAccuseNobody(t *testing.T) {
	p := planOf(Same)
	p.Pairs = 8
	rng := rand.New(rand.NewPCG(11, 12))
	s := simulate(p, rng, noises["normal"], 0.1, [2]map[string]float64{stepOf(0.002), stepOf(0.02)})
	r := Analyse(p, s).Kernels
	if len(r.Changed) > 0 || r.Need != 11 || r.Count != 41 || !strings.Contains(r.Words(), "takes 11 pairs; there are 8") {
		t.Errorf("found %v, %d needed of %d kernels: %s", r.Changed, r.Need, r.Count, r.Words())
	}
	if j := Analyse(p, s).Words(); j != "refuted, and slower" {
		t.Errorf("the whole needs no correction: found %s", j)
	}
}

func TestKernelsOfOneArm(t *testing.T) {
	p := planOf(Separate)
	one, other := map[string]float64{"a.same": 1, "a.old": 1}, map[string]float64{"a.same": 1, "a.new": 2}
	s := simulate(p, rand.New(rand.NewPCG(1, 1)), noises["normal"], 1, [2]map[string]float64{one, other})
	r := Analyse(p, s).Kernels
	only := map[string]string{}
	for _, k := range r.Rows {
		only[k.Name] = k.Only
	}
	if diff := cmp.Diff(map[string]string{"a.same": "", "a.old": "A", "a.new": "B"}, only); diff != "" || r.Count != 1 || len(r.Changed) > 0 {
		t.Errorf("%d counted, %v changed, (-want +got):\n%s", r.Count, r.Changed, diff)
	}
	if r.Rows[0].Name != "a.new" {
		t.Errorf("rows begin with %s, expected the longest", r.Rows[0].Name)
	}
}

// TestTimedStepsDivide: where a profile timed some of the steps only, its sums are of
// those.
func TestTimedStepsDivide(t *testing.T) {
	s := Sample{Steps: 100, Kernels: []KernelTime{
		{Stage: "a", Kernel: "b", Calls: 10, Seconds: 5, Steps: 10}, {Stage: "a", Kernel: "c", Calls: 100, Seconds: 5},
		{Stage: "prune", Kernel: "d", Group: "refine", Calls: 1, Seconds: 7, Steps: 1},
	}}
	if got := kernelTime(s, "a.b"); got != 0.5 {
		t.Errorf("found %v a step, expected 0.5", got)
	}
	s.Kernels = append(s.Kernels, KernelTime{Stage: "a", Kernel: "e", Calls: 10, Seconds: 99, Steps: 10, Median: 0.25})
	if got := kernelTime(s, "a.e"); got != 0.25 {
		t.Errorf("found %v a step, expected the median", got)
	}
	s.Kernels = s.Kernels[:3]
	if got := kernelSum(s, false); got != 0.55 {
		t.Errorf("found %v a step in all, expected 0.55: a refine is no part of it", got)
	}
	if got := kernelTime(s, "prune.d"); got != 7 || kernelSum(s, true) != 7 || !isRefine([]Sample{s}, "prune.d") || isRefine([]Sample{s}, "a.b") {
		t.Errorf("a refine's kernel: %v", got)
	}
}

// TestATraceIsNotAnAccusation: a kernel that differs without a doubt, but by next to
// nothing of the step, is no finding.
func TestATraceIsNotAnAccusation(t *testing.T) {
	p := planOf(Separate)
	a, b := stepOf(0.010), stepOf(0.012)
	b["other.kA"] *= 1.25 // 0.000025 of 0.014, a fiftieth of the gate
	b["other.kB"] *= 2    // 0.7 % of the step, which counts beside the gate, but not beside 14 %
	s := simulate(p, rand.New(rand.NewPCG(2, 2)), noises["normal"], 0.5, [2]map[string]float64{a, b})
	r := Analyse(p, s).Kernels
	differs := 0
	for _, k := range r.Rows {
		if k.Differs {
			differs++
		}
	}
	if !slices.Equal(r.Changed, []string{"raster.large"}) || differs != 3 {
		t.Errorf("accused %v, %d differ", r.Changed, differs)
	}
	if w := r.Words(); !strings.HasPrefix(w, "raster.large is slower in B by ") || !strings.HasSuffix(w, "; 2 differ by next to nothing of the step; none of the other 38 kernels differs") {
		t.Errorf("in words: %s", w)
	}
	b["raster.large"] = a["raster.large"]
	s = simulate(p, rand.New(rand.NewPCG(2, 2)), noises["normal"], 0.5, [2]map[string]float64{a, b})
	if r := Analyse(p, s).Kernels; !slices.Equal(r.Changed, []string{"other.kB"}) {
		t.Errorf("alone: accused %v", r.Changed)
	}
}
