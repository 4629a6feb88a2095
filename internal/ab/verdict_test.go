package ab

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestVerdicts(t *testing.T) {
	const gate = 3
	for _, c := range []struct {
		low, high, floor float64
		want             string
		why              string
	}{
		{3.1, 5, 1, "accepted", "beyond the gate"},
		{3, 5, 1, "undecided", "holds the gate"},
		{2.9, 3.1, 1, "undecided", "holds the gate"},
		{1, 3, 1, "undecided", "holds the gate"},
		{1, 2.9, 1, "refuted", "short of the gate"},
		{-1, 1, 1, "refuted", "short of the gate"},
		{-1, 0, 1, "refuted", "short of the gate"},
		{-5, -0.1, 1, "refuted, and slower", "below 0"},
		{-50, 50, 1, "undecided", "holds the gate"},
		{10, 12, 3.01, "undecided", "noise floor, 3.01 %, exceeds the gate"},
		{-50, -40, 3.01, "undecided", "noise floor"},
		{10, 12, 3, "accepted", "beyond the gate"},
		{10, 12, math.Inf(1), "undecided", "noise floor is unknown"},
	} {
		j := judge(Difference{Pairs: 11, Interval: &Interval{Low: c.low, High: c.high}}, c.floor, gate, 0.95)
		if j.Words() != c.want || !strings.Contains(j.Why, c.why) {
			t.Errorf("%v to %v, floor %v: found %s (%s), expected %s (%s)", c.low, c.high, c.floor, j.Words(), j.Why, c.want, c.why)
		}
	}
	j := judge(Difference{Pairs: 5}, 1, gate, 0.95)
	if j.Verdict != Undecided || !strings.Contains(j.Why, "no interval of level 95 % exists with 5 pairs") || !strings.Contains(j.Why, "it takes 6") {
		t.Errorf("five pairs: found %+v", j)
	}
}

func TestDifferencesArePositiveWhereBSaves(t *testing.T) {
	d := differenceOf([]float64{10, 10, 10, 10, 10, 10}, []float64{9, 9, 9, 9, 8, 9}, 0.95)
	if d.Percent != 10 || d.Interval.Low != 10 || d.Interval.High != 20 || d.Seconds[4] != 2 {
		t.Errorf("found %+v", d)
	}
	if f := d.floor(); f != floorFactor*20 {
		t.Errorf("floor: found %v", f)
	}
	empty := differenceOf(nil, nil, 0.95)
	if empty.Percent != 0 || empty.Interval != nil || empty.Seconds == nil || !math.IsInf(empty.floor(), 1) {
		t.Errorf("nothing: found %+v", empty)
	}
	zero := differenceOf([]float64{0, 0}, []float64{0, 0}, 0.5)
	if math.IsNaN(zero.Percent) {
		t.Error("a kernel of no time gives NaN")
	}
}

// noises are ways in which the difference of two equal runs can be distributed.
var noises = map[string]func(*rand.Rand) float64{
	"normal":  func(r *rand.Rand) float64 { return r.NormFloat64() },
	"laplace": func(r *rand.Rand) float64 { return r.ExpFloat64() - r.ExpFloat64() },
	"with hiccups": func(r *rand.Rand) float64 {
		v := r.NormFloat64()
		if r.Float64() < 0.01 {
			v += 20 * (float64(r.IntN(2))*2 - 1)
		}
		return v
	},
}

// TestNothingLiesInsideTheNoiseFloor: an interval of A against itself is to lie inside
// of the floor that other runs of A gave, nearly always and not only every other time.
func TestNothingLiesInsideTheNoiseFloor(t *testing.T) {
	for name, noise := range noises {
		rng := rand.New(rand.NewPCG(3, 4))
		inside, inHalf := 0, 0
		const draws = 4000
		for range draws {
			times := func() (v []float64) {
				for range 11 {
					v = append(v, 1000+noise(rng))
				}
				return v
			}
			floor := differenceOf(times(), times(), 0.95).floor()
			iv := differenceOf(times(), times(), 0.95).Interval
			if end := math.Max(math.Abs(iv.Low), math.Abs(iv.High)); end <= floor {
				inside++
				if end <= floor/floorFactor {
					inHalf++
				}
			}
		}
		t.Logf("%s: inside in %.1f %%, in half of it in %.1f %%", name, 100*float64(inside)/draws, 100*float64(inHalf)/draws)
		if inside < draws*90/100 {
			t.Errorf("%s: inside in %d of %d, expected nine of ten at least", name, inside, draws)
		}
	}
}

// arms simulates an experiment with known times, in seconds a step, and noise in percent.
func simulate(p Plan, rng *rand.Rand, noise func(*rand.Rand) float64, percent float64, kernels [2]map[string]float64) []Sample {
	var samples []Sample
	for i, j := range p.Jobs() {
		s := Sample{Job: j, Steps: 100, SHA256: "same"}
		drift := 1 + 0.002*float64(i) // the machine becomes slower
		for name, t := range kernels[j.Arm()] {
			stage, kernel, _ := strings.Cut(name, ".")
			took := 100 * t * drift * (1 + percent/100*noise(rng))
			s.Seconds += took
			if j.Profile {
				s.Kernels = append(s.Kernels, KernelTime{Stage: stage, Kernel: kernel, Calls: 100, Seconds: took})
			}
		}
		samples = append(samples, s)
	}
	return samples
}

// kernels of a step: a large one, and forty small.
func stepOf(large float64) map[string]float64 {
	m := map[string]float64{"raster.large": large}
	for i := range 40 {
		m["other.k"+string(rune('A'+i))] = 0.0001
	}
	return m
}

func planOf(kernels Kernels) Plan {
	return Plan{Key: "k", Values: [2]string{"a", "b"}, Gate: 3, Level: 0.95, Pairs: 11, Floor: 11, Kernels: kernels, Equal: true, Repeats: true}
}

// TestKnownTruth: what is true must not be called the opposite more often than the level
// admits, and large effects must be found.
func TestKnownTruth(t *testing.T) {
	const draws = 300
	for _, c := range []struct {
		name string
		b    float64 // large kernel's time in B; 0.006 in A, of 0.010 in all
		want string
	}{
		{"nothing", 0.006, "refuted"},
		{"saves 10 %", 0.005, "accepted"},
		{"costs 10 %", 0.007, "refuted, and slower"},
		{"saves 3 %, the gate", 0.0057, "undecided"},
	} {
		rng := rand.New(rand.NewPCG(5, 6))
		count := map[string]int{}
		for range draws {
			s := simulate(planOf(None), rng, noises["with hiccups"], 0.5, [2]map[string]float64{stepOf(0.006), stepOf(c.b)})
			count[Analyse(planOf(None), s).Words()]++
		}
		if count[c.want] < draws*9/10 {
			t.Errorf("%s: %v, expected %s", c.name, count, c.want)
		}
	}
}

// TestDriftFavoursNobody: with pairs in turns, a machine that slows down steadily gives
// no difference.
func TestDriftFavoursNobody(t *testing.T) {
	none := func(*rand.Rand) float64 { return 0 }
	s := simulate(planOf(None), nil, none, 0, [2]map[string]float64{{"a.b": 1}, {"a.b": 1}})
	q := Analyse(planOf(None), s).Quantities[0]
	if iv := q.Difference.Interval; iv.Low >= 0 || iv.High <= 0 {
		t.Errorf("interval %+v does not hold 0", iv)
	}
}
