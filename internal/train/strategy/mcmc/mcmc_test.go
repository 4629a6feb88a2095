package mcmc_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/gaussian"
	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
	"splat/internal/pipeline"
	"splat/internal/train/strategy/mcmc"
)

// scene has n splats of opacity 0.5 and no growth.
func scene(n, capacity int) *kerneltest.Scene {
	s := kerneltest.RefineScene(1, n, capacity)
	s.Schedule.PruneOpacity, s.Schedule.Growth = 0.005, 0
	for i := range n {
		s.SetOpacity(i, 0)
	}
	return s
}

// dead is a logit far below prune_opacity.
const dead = -8

func load(t testing.TB, s *kerneltest.Scene) *pipeline.Pipeline {
	t.Helper()
	return kerneltest.LoadRefine(t, s, cpu.Options{Threads: 1}, mcmc.Record)
}

// refined runs one refine and returns the models before and after.
func refined(t testing.TB, s *kerneltest.Scene) (before, after kerneltest.Model) {
	t.Helper()
	pl := load(t, s)
	before = kerneltest.ReadModel(t, pl)
	kerneltest.Submit(t, pl, pl.RefineProgram, 1)
	after = kerneltest.ReadModel(t, pl)
	if after.Control.LastRefine != 100 || after.Control.Overflow != 0 {
		t.Fatalf("the refine did not run: %+v", after.Control)
	}
	return before, after
}

// shareOf returns the opacity and the factor on the scale when one splat of
// opacity o becomes n. The factor follows from its meaning and not from the
// formula: along a line through the centre the n copies absorb what the one did,
//
//	s' * integral of 1-(1-o' g)^n = s * integral of o g,   g = exp(-x^2/2)
func shareOf(o float64, n int) (opacity, factor float64) {
	opacity = -math.Expm1(math.Log1p(-o) / float64(n))
	const h = 1e-3
	var sum float64
	for x := -12.0; x <= 12; x += h {
		sum += -math.Expm1(float64(n)*math.Log1p(-opacity*math.Exp(-x*x/2))) * h
	}
	return opacity, o * math.Sqrt(2*math.Pi) / sum
}

func TestShareOfTwoIsTheClosedForm(t *testing.T) {
	// n = 2: the sums are o' + (o' - o'^2/sqrt 2)
	x := 1 - math.Sqrt(1-0.7)
	o, f := shareOf(0.7, 2)
	if math.Abs(o-x) > 1e-12 || math.Abs(f-0.7/(2*x-x*x/math.Sqrt2)) > 1e-9 {
		t.Errorf("the reference is wrong: %v, %v", o, f)
	}
}

// TestSharesFollowTheFormula relocates n-1 dead splats onto the only live one, so
// that n share its place.
func TestSharesFollowTheFormula(t *testing.T) {
	for n := 2; n <= 51; n++ {
		o := []float64{0.1, 0.5, 0.9, 0.99}[n%4]
		s := scene(n, n)
		for i := range n {
			s.SetOpacity(i, dead)
		}
		live := n / 2
		s.SetOpacity(live, float32(gaussian.Logit(o)))
		s.Schedule.PruneOpacity = 1e-3 // or the shares of 0.1 would be raised to it
		before, after := refined(t, s)
		opacity, factor := shareOf(o, n)
		for i := range n {
			row, was := after.Row(i), before.Row(live)
			if got := gaussian.Sigmoid(float64(row[kernel.GeomOpacity])); math.Abs(got-opacity) > 1e-5*opacity+1e-7 {
				t.Fatalf("%d share %v: opacity %v, want %v", n, o, got, opacity)
			}
			for k := range 3 {
				if got := math.Exp(float64(row[kernel.GeomScale+k] - was[kernel.GeomScale+k])); math.Abs(got-factor) > 1e-5*factor {
					t.Fatalf("%d share %v: scale times %v, want %v", n, o, got, factor)
				}
			}
		}
	}
}

// TestMoreThan51ShareAs51: the table of the paper ends there.
func TestMoreThan51ShareAs51(t *testing.T) {
	s := scene(80, 80)
	for i := 1; i < 80; i++ {
		s.SetOpacity(i, dead)
	}
	_, after := refined(t, s)
	opacity, _ := shareOf(0.5, 51)
	for i := range 80 {
		if got := gaussian.Sigmoid(float64(after.Row(i)[kernel.GeomOpacity])); math.Abs(got-opacity) > 1e-6 {
			t.Fatalf("splat %d has the opacity %v, want %v", i, got, opacity)
		}
	}
}

// frontal is a round splat of opacity o before the camera and n-1 dead ones.
func frontal(o float64, n int) *kerneltest.Scene {
	s := scene(n, n)
	s.Schedule.Blur = 1e-3 // the blur does not shrink with the splat
	for i := range n {
		row := s.Geom[i*kernel.GeomRow:]
		for k := range 3 {
			row[kernel.GeomMean+k], row[kernel.GeomScale+k] = 0, -0.8
		}
		s.SetOpacity(i, dead)
	}
	s.SetOpacity(0, float32(gaussian.Logit(o)))
	return s
}

// alphas renders a model and returns the opacity of every pixel.
func alphas(t testing.TB, pl *pipeline.Pipeline) []float64 {
	t.Helper()
	kerneltest.Submit(t, pl, pl.RenderProgram, 1)
	var out []float64
	for i, v := range kerneltest.Reals(t, pl, pl.Image, 4*pl.Plan.Pixels) {
		if i%4 == 3 {
			out = append(out, 1-float64(v))
		}
	}
	return out
}

func difference(a, b []float64) (most, mean float64) {
	for i := range a {
		d := math.Abs(a[i] - b[i])
		most, mean = max(most, d), mean+d/float64(len(a))
	}
	return most, mean
}

// TestRelocationKeepsThePicture renders before and after one splat became n. As a
// check of the check, the same with the scales left as they were looks different.
func TestRelocationKeepsThePicture(t *testing.T) {
	for _, c := range []struct {
		o    float64
		n    int
		most float64
	}{{0.3, 2, 0.01}, {0.6, 2, 0.02}, {0.6, 4, 0.03}, {0.9, 2, 0.05}, {0.9, 6, 0.08}} {
		t.Run(fmt.Sprint(c.o, " ", c.n), func(t *testing.T) {
			pl := load(t, frontal(c.o, c.n))
			before := alphas(t, pl)
			scales := kerneltest.ReadModel(t, pl)
			kerneltest.Submit(t, pl, pl.RefineProgram, 1)
			most, mean := difference(before, alphas(t, pl))
			if most > c.most || slices.Max(before) < 0.9*c.o {
				t.Errorf("pixels differ by up to %.3f (opaquest %.2f)", most, slices.Max(before))
			}
			wrong := kerneltest.ReadModel(t, pl)
			for i := range wrong.Splats() {
				copy(wrong.Row(i)[kernel.GeomScale:], scales.Row(i)[kernel.GeomScale:kernel.GeomScale+3])
			}
			kerneltest.WriteReals(t, pl, pl.Geom, wrong.Geom)
			if _, worse := difference(before, alphas(t, pl)); worse < 2*mean {
				t.Errorf("without new scales the pictures differ by %.4f on average, with them by %.4f", worse, mean)
			}
		})
	}
}

// TestDeadRowsAreReplaced: every dead row becomes a copy of a live one, moments of
// both are cleared, and everything else stays.
func TestDeadRowsAreReplaced(t *testing.T) {
	const n = 300
	s := scene(n, n)
	for i := range n {
		if i%5 == 0 {
			s.SetOpacity(i, dead)
		}
	}
	before, after := refined(t, s)
	if after.Splats() != n {
		t.Fatalf("%d splats", after.Splats())
	}
	touched := map[int]bool{}
	for i := 0; i < n; i += 5 {
		source := findMean(t, &before, after.Row(i))
		if source%5 == 0 {
			t.Fatalf("row %d is a copy of the dead row %d", i, source)
		}
		if !cmp.Equal(after.Row(i), after.Row(source)) || !cmp.Equal(after.Color(i), before.Color(source)) {
			t.Errorf("row %d is not a copy of row %d", i, source)
		}
		touched[i], touched[source] = true, true
	}
	for i := range n {
		zero := slices.Max(after.Moments(i)) == 0 && slices.Min(after.Moments(i)) == 0
		same := cmp.Equal(before.Moments(i), after.Moments(i)) && cmp.Equal(before.Row(i), after.Row(i))
		if touched[i] && !zero {
			t.Errorf("row %d keeps its moments", i)
		}
		if !touched[i] && !same {
			t.Errorf("row %d has nothing to do with it and changed", i)
		}
	}
}

// findMean returns the row of m whose mean is that of row; means do not move.
func findMean(t *testing.T, m *kerneltest.Model, row []float32) int {
	t.Helper()
	for i := range m.Splats() {
		if slices.Equal(m.Row(i)[:3], row[:3]) {
			return i
		}
	}
	t.Fatalf("no splat was at %v", row[:3])
	return 0
}

func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		n, limit int
		factor   float64
		want     int
	}{
		{1000, 5000, 1.05, 1050}, {100, 5000, 1.05, 105}, {60, 5000, 1.05, 63}, {1010, 5000, 1.05, 1060}, {2300, 5000, 1.05, 2415},
		{1000, 1020, 1.05, 1020}, {1000, 1000, 1.05, 1000}, {1000, 10, 1.05, 1000}, // never below what there is
		{100, 5000, 1, 100}, {100, 5000, 1.5, 150}, {7, 5000, 1.05, 7}, {19, 5000, 1.0625, 20}, {100, 250, 4, 250},
	} {
		t.Run(fmt.Sprint(c.n, c.limit, c.factor), func(t *testing.T) {
			s := scene(c.n, 5000)
			s.Schedule.Growth, s.Schedule.MaxSplats = kernel.GrowthOf(c.factor), uint32(c.limit)
			before, after := refined(t, s)
			if after.Splats() != c.want {
				t.Fatalf("%d splats, want %d", after.Splats(), c.want)
			}
			for i := c.n; i < c.want; i++ {
				source := findMean(t, &before, after.Row(i))
				if !cmp.Equal(after.Row(i), after.Row(source)) || !cmp.Equal(after.Color(i), before.Color(source)) {
					t.Fatalf("new row %d is not a copy of row %d", i, source)
				}
				if slices.Max(after.Moments(i)) != 0 || slices.Min(after.Moments(i)) != 0 {
					t.Fatalf("new row %d has moments", i)
				}
			}
		})
	}
}

// TestRelocationAndGrowthTogether: the growth draws from what relocation
// left, so a refine with dead splats still reaches the count.
func TestRelocationAndGrowthTogether(t *testing.T) {
	s := scene(1000, 2000)
	s.Schedule.Growth = kernel.GrowthOf(1.5)
	for i := range 400 {
		s.SetOpacity(i, dead)
	}
	_, after := refined(t, s)
	if after.Splats() != 1500 {
		t.Fatalf("%d splats", after.Splats())
	}
	for i := range after.Splats() {
		if o := gaussian.Sigmoid(float64(after.Row(i)[kernel.GeomOpacity])); o < 0.005 {
			t.Fatalf("row %d of 1500 has the opacity %v", i, o)
		}
	}
}

// TestSamplingFollowsOpacity draws 6000 times among 40 splats of different opacity
// and compares the frequencies.
func TestSamplingFollowsOpacity(t *testing.T) {
	const live, n = 40, 6040
	s := scene(n, n)
	s.Schedule.WeightScale = 1 << 20
	var total float64
	opacity := make([]float64, live)
	for i := range n {
		s.SetOpacity(i, dead)
		if i < live {
			opacity[i] = 0.02 + 0.95*float64(i)/live
			total += opacity[i]
			s.SetOpacity(i, float32(gaussian.Logit(opacity[i])))
		}
	}
	before, after := refined(t, s)
	drawn := make([]float64, live)
	for i := live; i < n; i++ {
		drawn[findMean(t, &before, after.Row(i))]++
	}
	var chi float64
	for i, count := range drawn {
		want := (n - live) * opacity[i] / total
		chi += (count - want) * (count - want) / want
	}
	if degrees := live - 1.; chi > degrees+4*math.Sqrt(2*degrees) || chi < degrees-4*math.Sqrt(2*degrees) {
		t.Errorf("chi-square %.1f for %v degrees of freedom: %v", chi, degrees, drawn)
	}
}

func TestNobodyAlive(t *testing.T) {
	s := scene(50, 100)
	s.Schedule.Growth = kernel.GrowthOf(2)
	for i := range 50 {
		s.SetOpacity(i, dead)
	}
	before, after := refined(t, s)
	if after.Splats() != 50 || !cmp.Equal(before.Geom, after.Geom) || !cmp.Equal(before.GeomM, after.GeomM) {
		t.Errorf("something changed: %+v", after.Control)
	}
}

func TestNobodyDead(t *testing.T) {
	before, after := refined(t, scene(50, 100))
	if !cmp.Equal(before.Geom, after.Geom) || !cmp.Equal(before.SHV, after.SHV) || after.Splats() != 50 {
		t.Error("nothing was to do, but something changed")
	}
}

func TestOneSplat(t *testing.T) {
	s := scene(1, 4)
	_, after := refined(t, s)
	if after.Splats() != 1 {
		t.Errorf("%d splats", after.Splats())
	}
	s.Schedule.Growth = kernel.GrowthOf(2)
	_, after = refined(t, s)
	opacity, _ := shareOf(0.5, 2)
	if got := gaussian.Sigmoid(float64(after.Row(1)[kernel.GeomOpacity])); after.Splats() != 2 || math.Abs(got-opacity) > 1e-6 {
		t.Errorf("%d splats of opacity %v, want two of %v", after.Splats(), got, opacity)
	}
}

func TestDeadIsUpToAndIncludingTheThreshold(t *testing.T) {
	s := scene(3, 3)
	s.Schedule.PruneOpacity = 0.5
	s.SetOpacity(1, 0) // exactly one half: dead
	s.SetOpacity(0, 1)
	s.SetOpacity(2, float32(math.NaN()))
	before, after := refined(t, s)
	for _, i := range []int{1, 2} {
		if findMean(t, &before, after.Row(i)) != 0 {
			t.Errorf("row %d was not relocated", i)
		}
	}
}
