package adc_test

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
	"splat/internal/train/strategy/adc"
)

// What the tests call small, large and too large; opacities are 0.5 unless a test
// says otherwise.
const (
	growGrad   = 1e-3
	growScale  = 0.2
	pruneScale = 0.8
	small      = 0.1
	large      = 0.4
	tooLarge   = 1.0
)

// splat is what decides about one splat. The zero value is small and stays.
type splat struct {
	size     float64 // largest standard deviation; 0 is small
	grad     float64 // mean screen gradient
	opacity  float64 // 0 is one half
	noViews  bool    // never seen
	rotation [4]float32
}

var (
	stays  = splat{}
	clones = splat{grad: 2 * growGrad}
	splits = splat{grad: 2 * growGrad, size: large}
	dies   = splat{opacity: 0.001}
)

// scene has the splats; the first SH coefficient is the splat's tag.
func scene(capacity int, splats ...splat) *kerneltest.Scene {
	s := kerneltest.RefineScene(2, len(splats), capacity)
	s.Schedule.Strategy = kernel.StrategyADC
	s.Schedule.PruneOpacity, s.Schedule.GrowGrad = 0.005, growGrad
	s.Schedule.GrowScale, s.Schedule.PruneScale = growScale, pruneScale
	s.Schedule.ResetOpacity, s.Schedule.DecayFactor = 0.01, 1
	stride := 3 * kernel.Coefficients(s.Plan.SHDegree)
	for i, p := range splats {
		row := s.Geom[i*kernel.GeomRow:]
		size := p.size
		if size == 0 {
			size = small
		}
		row[kernel.GeomScale], row[kernel.GeomScale+1], row[kernel.GeomScale+2] = -4, float32(math.Log(size)), -3
		s.SetOpacity(i, 0)
		if p.opacity != 0 {
			s.SetOpacity(i, float32(gaussian.Logit(p.opacity)))
		}
		if p.rotation != [4]float32{} {
			copy(row[kernel.GeomQuat:], p.rotation[:])
		}
		s.SH[i*stride] = float32(i)
	}
	return s
}

func load(t testing.TB, s *kerneltest.Scene, o cpu.Options, splats []splat) *pipeline.Pipeline {
	t.Helper()
	pl := kerneltest.LoadRefine(t, s, o, adc.Record)
	for i, p := range splats {
		views := float32(3)
		if p.noViews {
			views = 0
		}
		kerneltest.SetStats(t, pl, i, float32(p.grad)*views, views)
	}
	return pl
}

// refined runs one refine of the splats after change; it returns the models before
// and after.
func refined(t testing.TB, change func(*kerneltest.Scene, *kernel.Control), splats ...splat) (before, after kerneltest.Model) {
	t.Helper()
	s := scene(2*len(splats), splats...)
	c := kernel.Control{Step: 100, Limit: 1 << 30, Splats: uint32(len(splats))}
	if change != nil {
		change(s, &c)
	}
	pl := load(t, s, cpu.Options{Threads: 1}, splats)
	kerneltest.SetControl(t, pl, c)
	before = kerneltest.ReadModel(t, pl)
	kerneltest.Submit(t, pl, pl.RefineProgram, 1)
	after = kerneltest.ReadModel(t, pl)
	if after.Control.LastRefine != c.Step || after.Control.Overflow != 0 {
		t.Fatalf("the refine did not run: %+v", after.Control)
	}
	return before, after
}

// tags lists the tags of the live rows, sorted.
func tags(m *kerneltest.Model) []int {
	out := []int{}
	for i := range m.Splats() {
		out = append(out, int(m.Color(i)[0]))
	}
	slices.Sort(out)
	return out
}

// rowsOf lists the live rows with a tag.
func rowsOf(m *kerneltest.Model, tag int) (out []int) {
	for i := range m.Splats() {
		if int(m.Color(i)[0]) == tag {
			out = append(out, i)
		}
	}
	return out
}

func expectTags(t *testing.T, m *kerneltest.Model, want ...int) {
	t.Helper()
	if d := cmp.Diff(want, tags(m)); d != "" {
		t.Errorf("tags of the splats (-want +got):\n%s", d)
	}
}

func forgotten(m *kerneltest.Model, i int) bool {
	all := m.Moments(i)
	return slices.Max(all) == 0 && slices.Min(all) == 0
}

func TestPruneByOpacity(t *testing.T) {
	_, after := refined(t, nil, stays, dies, splat{opacity: 0.006}, splat{opacity: 0.004}, stays)
	expectTags(t, &after, 0, 2, 4)
}

func TestPruneNaNOpacity(t *testing.T) {
	_, after := refined(t, func(s *kerneltest.Scene, _ *kernel.Control) {
		s.SetOpacity(1, float32(math.NaN()))
	}, stays, stays, stays)
	expectTags(t, &after, 0, 2)
}

// TestPruneBySize happens only after the first reset.
func TestPruneBySize(t *testing.T) {
	for name, c := range map[string]struct {
		step, resetEvery uint32
		pruneScale       float32
		pruned           bool
	}{
		"before the first reset": {100, 300, pruneScale, false},
		"at the first reset":     {300, 300, pruneScale, false},
		"after the first reset":  {400, 300, pruneScale, true},
		"without resets":         {400, 0, pruneScale, false},
		"without a limit":        {400, 300, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, after := refined(t, func(s *kerneltest.Scene, control *kernel.Control) {
				s.Schedule.ResetEvery, s.Schedule.PruneScale, control.Step = c.resetEvery, c.pruneScale, c.step
			}, stays, splat{size: tooLarge}, splat{size: large}, stays)
			if c.pruned {
				expectTags(t, &after, 0, 2, 3)
			} else {
				expectTags(t, &after, 0, 1, 2, 3)
			}
		})
	}
}

// TestPruneGoesBeforeAdding: a splat to prune is not also added to.
func TestPruneGoesBeforeAdding(t *testing.T) {
	_, after := refined(t, func(s *kerneltest.Scene, c *kernel.Control) { s.Schedule.ResetEvery, c.Step = 100, 200 },
		stays, splat{size: tooLarge, grad: 1}, splat{opacity: 0.001, grad: 1}, stays)
	expectTags(t, &after, 0, 3)
}

func TestCloneSmall(t *testing.T) {
	before, after := refined(t, nil, stays, clones, stays)
	expectTags(t, &after, 0, 1, 1, 2)
	rows := rowsOf(&after, 1)
	if rows[0] != 1 || rows[1] != 3 {
		t.Fatalf("the clone is in row %d, the original in %d", rows[1], rows[0])
	}
	for _, i := range rows {
		if !cmp.Equal(after.Row(i), before.Row(1)) || !cmp.Equal(after.Color(i), before.Color(1)) {
			t.Errorf("row %d is not the splat that was cloned", i)
		}
	}
	if !cmp.Equal(after.Moments(1), before.Moments(1)) || !forgotten(&after, 3) {
		t.Error("the original keeps its moments, the clone has none")
	}
}

func TestGradientThreshold(t *testing.T) {
	_, after := refined(t, nil, splat{grad: 0.99 * growGrad}, splat{grad: 1.01 * growGrad}, splat{grad: 1, noViews: true})
	expectTags(t, &after, 0, 1, 1, 2)
}

// TestGradientIsAMean over the views that saw the splat, not a sum.
func TestGradientIsAMean(t *testing.T) {
	s := scene(8, stays, stays)
	pl := load(t, s, cpu.Options{Threads: 1}, nil)
	kerneltest.SetStats(t, pl, 0, 100*0.9*growGrad, 100)
	kerneltest.SetStats(t, pl, 1, 1.1*growGrad, 1)
	kerneltest.Submit(t, pl, pl.RefineProgram, 1)
	after := kerneltest.ReadModel(t, pl)
	expectTags(t, &after, 0, 1, 1)
}

func TestSplitLarge(t *testing.T) {
	before, after := refined(t, nil, stays, splits, splat{size: 0.99 * growScale, grad: 1}, splat{size: 1.01 * growScale, grad: 1})
	expectTags(t, &after, 0, 1, 1, 2, 2, 3, 3)
	for tag, split := range []bool{false, true, false, true} {
		for _, i := range rowsOf(&after, tag) {
			row, was := after.Row(i), before.Row(tag)
			for k := range 3 {
				factor := math.Exp(float64(row[kernel.GeomScale+k] - was[kernel.GeomScale+k]))
				want := 1.0
				if split {
					want = 1 / 1.6
				}
				if math.Abs(factor-want) > 1e-6 {
					t.Errorf("tag %d, row %d: scale %d times %v, want %v", tag, i, k, factor, want)
				}
			}
			if moved := !slices.Equal(row[:3], was[:3]); moved != split {
				t.Errorf("tag %d, row %d: moved is %v", tag, i, moved)
			}
			if split && !forgotten(&after, i) {
				t.Errorf("tag %d, row %d keeps moments", tag, i)
			}
			if !slices.Equal(row[kernel.GeomQuat:kernel.GeomQuat+4], was[kernel.GeomQuat:kernel.GeomQuat+4]) ||
				row[kernel.GeomOpacity] != was[kernel.GeomOpacity] || !cmp.Equal(after.Color(i), before.Color(tag)) {
				t.Errorf("tag %d, row %d: rotation, opacity or colour changed", tag, i)
			}
		}
	}
	rows := rowsOf(&after, 1)
	if slices.Equal(after.Row(rows[0])[:3], after.Row(rows[1])[:3]) {
		t.Error("both children lie at the same place")
	}
}

// TestChildrenAreSamplesOfTheParent splits many: in the parent's own axes and
// units, the children's places are standard normal.
func TestChildrenAreSamplesOfTheParent(t *testing.T) {
	const n = 1500
	list := make([]splat, n)
	for i := range list {
		// a third of a turn about (1, 1, 1): x lies along y, y along z, z along x
		list[i] = splat{grad: 1, size: large, rotation: [4]float32{1, 1, 1, 1}}
	}
	before, after := refined(t, func(s *kerneltest.Scene, _ *kernel.Control) { s.Schedule.MaxSplats = 2 * n }, list...)
	if after.Splats() != 2*n {
		t.Fatalf("%d splats", after.Splats())
	}
	var mean, square [3]float64
	sigma := [3]float64{math.Exp(-3), math.Exp(-4), large} // along the axes of the world
	for i := range after.Splats() {
		was := before.Row(int(after.Color(i)[0]))
		for k := range 3 {
			d := float64(after.Row(i)[k]-was[k]) / sigma[k]
			mean[k] += d / (2 * n)
			square[k] += d * d / (2 * n)
		}
	}
	for k := range 3 {
		if math.Abs(mean[k]) > 0.08 || math.Abs(square[k]-1) > 0.12 {
			t.Errorf("axis %d: mean %.3f, variance %.3f in the parent's units", k, mean[k], square[k])
		}
	}
}

func TestRevisedOpacity(t *testing.T) {
	_, after := refined(t, func(s *kerneltest.Scene, _ *kernel.Control) { s.Schedule.RevisedOpacity = 1 },
		splat{opacity: 0.75}, splat{opacity: 0.75, grad: 1}, splat{opacity: 0.75, grad: 1, size: large})
	for tag, want := range []float64{0.75, 0.5, 0.5} { // 1 - sqrt(1 - 0.75)
		for _, i := range rowsOf(&after, tag) {
			if got := gaussian.Sigmoid(float64(after.Row(i)[kernel.GeomOpacity])); math.Abs(got-want) > 1e-6 {
				t.Errorf("tag %d: opacity %v, want %v", tag, got, want)
			}
		}
	}
}

func TestReset(t *testing.T) {
	for _, c := range []struct {
		step, every, stop uint32
		reset             bool
	}{
		{300, 300, 900, true}, {100, 300, 900, false}, {200, 300, 900, false}, {400, 300, 900, false}, {600, 300, 900, true},
		{300, 250, 900, true}, {200, 150, 900, true}, {300, 300, 300, false}, {300, 0, 900, false},
	} {
		t.Run(fmt.Sprint(c.step, c.every, c.stop), func(t *testing.T) {
			before, after := refined(t, func(s *kerneltest.Scene, control *kernel.Control) {
				s.Schedule.ResetEvery, s.Schedule.RefineStop, control.Step = c.every, c.stop, c.step
			}, stays, splat{opacity: 0.007}, clones)
			for i, was := range []float64{0.5, 0.007, 0.5, 0.5} {
				want := was
				if c.reset {
					want = min(was, 0.01)
				}
				if got := gaussian.Sigmoid(float64(after.Row(i)[kernel.GeomOpacity])); math.Abs(got-want) > 1e-6 {
					t.Errorf("row %d: opacity %v, want %v", i, got, want)
				}
			}
			expectOpacityMoments(t, &before, &after, c.reset)
		})
	}
}

// expectOpacityMoments checks rows 0 to 2: a reset clears the moments of opacity
// and no others.
func expectOpacityMoments(t *testing.T, before, after *kerneltest.Model, reset bool) {
	t.Helper()
	for i := range 3 {
		want, got := before.Moments(i), after.Moments(i)
		if reset {
			want[kernel.GeomOpacity], want[kernel.GeomRow+kernel.GeomOpacity] = 0, 0
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("moments of row %d (-want +got):\n%s", i, d)
		}
	}
}

// TestStatisticsAreTestedThenCleared (the other order prunes and adds nothing):
// after a refine that used them, all are zero, those of new rows too.
func TestStatisticsAreTestedThenCleared(t *testing.T) {
	for name, splats := range map[string][]splat{
		"growing":   {clones, splits, stays, clones},
		"shrinking": {dies, stays, dies, clones, dies},
	} {
		s := scene(10, splats...)
		pl := load(t, s, cpu.Options{Threads: 1}, splats)
		for i := len(splats); i < 10; i++ {
			kerneltest.SetStats(t, pl, i, 9, 9) // what an earlier splat left there
		}
		kerneltest.Submit(t, pl, pl.RefineProgram, 1)
		after := kerneltest.ReadModel(t, pl)
		if after.Splats() == len(splats) {
			t.Errorf("%s: the statistics were not used", name)
		}
		for i, v := range after.Stats[:after.Splats()*kernel.StatRow] {
			if v != 0 {
				t.Errorf("%s: statistic %d of row %d is %v", name, i%kernel.StatRow, i/kernel.StatRow, v)
			}
		}
		kerneltest.Submit(t, pl, pl.StepProgram, 1)
		if c := kerneltest.Control(t, pl); c.Step != 101 {
			t.Errorf("%s: no step follows: %+v", name, c)
		}
	}
}

// symmetric is one splat in the middle of a grey picture: the pixels pull at its
// mean from all sides, and the sum of their pulls is nothing.
func symmetric(absgrad bool) *kerneltest.Scene {
	s := scene(4, stays)
	s.Plan.AbsGrad = absgrad
	s.Views = []kernel.View{{
		R: [9]float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, T: [3]float32{0, 0, 4}, Fx: 30, Fy: 30, Cx: 16, Cy: 16,
		Width: 32, Height: 32, LossScale: 1. / (3 * 32 * 32), Resident: 1,
	}}
	s.Plan.Pixels, s.Plan.TargetPixels, s.Plan.Tiles = 32*32, 32*32, 4
	s.Targets = make([]uint32, 32*32)
	for i := range s.Targets {
		s.Targets[i] = 0xFF808080
	}
	copy(s.Geom, []float32{0, 0, 0})
	for k := range 3 {
		s.Geom[kernel.GeomScale+k] = -1
	}
	return s
}

// TestAbsoluteGradients through a real step: the splat above is split only when
// absolute gradients are compared.
func TestAbsoluteGradients(t *testing.T) {
	for _, absgrad := range []bool{false, true} {
		s := symmetric(absgrad)
		pl := load(t, s, cpu.Options{Threads: 1}, []splat{stays})
		c := kerneltest.Control(t, pl)
		c.Step, c.LastRefine = 99, 99
		kerneltest.SetControl(t, pl, c)
		kerneltest.SetStats(t, pl, 0, 0, 0)
		kerneltest.Submit(t, pl, pl.StepProgram, 1)
		stats := kerneltest.Reals(t, pl, pl.Stats, 2)
		if stats[1] != 1 {
			t.Fatalf("absgrad %v: statistics %v", absgrad, stats)
		}
		if above := stats[0] > growGrad; above != absgrad {
			t.Errorf("absgrad %v: the gradient is %v, the threshold %v", absgrad, stats[0], growGrad)
		}
		kerneltest.Submit(t, pl, pl.RefineProgram, 1)
		want := map[bool]uint32{false: 1, true: 2}[absgrad]
		if c := kerneltest.Control(t, pl); c.Splats != want || c.LastRefine != 100 {
			t.Errorf("absgrad %v: %+v", absgrad, c)
		}
	}
}
