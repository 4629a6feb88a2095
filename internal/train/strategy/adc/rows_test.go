package adc_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
	"splat/internal/pipeline"
)

// checkRows compares a refine of the splats with what must come out: survivors
// once with their moments, additions once more, the dead nowhere.
func checkRows(t *testing.T, splats []splat) {
	t.Helper()
	before, after := refined(t, nil, splats...)
	want := []int{}
	for i, p := range splats {
		if p == dies {
			continue
		}
		want = append(want, i)
		if p == clones || p == splits {
			want = append(want, i)
		}
	}
	expectTags(t, &after, want...)
	for i, p := range splats {
		if p != stays && p != clones {
			continue
		}
		rows := rowsOf(&after, i)
		kept := 0
		for _, r := range rows {
			if !cmp.Equal(after.Row(r), before.Row(i)) {
				t.Errorf("splat %d changed on its way to row %d", i, r)
			}
			if cmp.Equal(after.Moments(r), before.Moments(i)) {
				kept++
			} else if !forgotten(&after, r) {
				t.Errorf("splat %d: row %d has the moments of another", i, r)
			}
		}
		if kept != 1 {
			t.Errorf("splat %d: %d of its rows have its moments", i, kept)
		}
	}
}

func TestRowBookkeeping(t *testing.T) {
	for name, splats := range map[string][]splat{
		"nothing to do":              {stays, stays, stays},
		"only adds":                  {stays, clones, splits},
		"only holes":                 {stays, dies, stays, dies, stays},
		"holes at the end":           {stays, stays, dies, dies},
		"holes at the start":         {dies, dies, stays, stays},
		"adds below holes":           {dies, stays, dies, clones, stays, dies, stays},
		"adds equal holes":           {dies, clones, splits, dies},
		"adds above holes":           {dies, clones, splits, clones, stays},
		"the last splat is added to": {dies, dies, dies, clones},
		"the last splat is split":    {dies, stays, dies, splits},
		"a hole in the last row":     {clones, dies, stays, dies},
		"everything is pruned":       {dies, dies, dies, dies},
		"one splat":                  {stays},
		"one splat dies":             {dies},
		"one splat splits":           {splits},
		"only one survives":          {dies, dies, dies, dies, stays, dies, dies},
	} {
		t.Run(name, func(t *testing.T) { checkRows(t, splats) })
	}
}

func TestRowBookkeepingOfRandomModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for trial := range 60 {
		splats := make([]splat, 1+rng.IntN(40))
		deaths := rng.Float64()
		for i := range splats {
			switch {
			case rng.Float64() < deaths:
				splats[i] = dies
			default:
				splats[i] = []splat{stays, clones, splits}[rng.IntN(3)]
			}
		}
		checkRows(t, splats)
		if t.Failed() {
			t.Fatalf("trial %d: %+v", trial, splats)
		}
	}
}

// TestLimitKeepsTheHighestGradients adds what max_splats holds and reports the
// rest.
func TestLimitKeepsTheHighestGradients(t *testing.T) {
	list := []splat{stays, dies, stays}
	grads := []float64{5, 2, 9, 7, 3, 8, 4, 6} // of the tags 3..10
	for i, g := range grads {
		p := splat{grad: g * growGrad}
		if i%2 == 0 {
			p.size = large
		}
		list = append(list, p)
	}
	for _, c := range []struct {
		limit uint32
		added []int // tags
		left  uint32
	}{
		{13, []int{5, 6, 8}, 5}, // ten survive: room for three
		{11, []int{5}, 7},
		{10, nil, 8},
		{4, nil, 8}, // fewer than survive: nobody is pruned for it
		{18, []int{3, 4, 5, 6, 7, 8, 9, 10}, 0},
		{17, []int{3, 5, 6, 7, 8, 9, 10}, 1},
	} {
		t.Run(fmt.Sprint(c.limit), func(t *testing.T) {
			_, after := refined(t, func(s *kerneltest.Scene, _ *kernel.Control) { s.Schedule.MaxSplats = c.limit }, list...)
			want := append([]int{0, 2, 3, 4, 5, 6, 7, 8, 9, 10}, c.added...)
			slices.Sort(want)
			expectTags(t, &after, want...)
			if after.Control.Capped != c.left {
				t.Errorf("reported %d splats left out, want %d", after.Control.Capped, c.left)
			}
		})
	}
}

// TestEqualGradientsGoByRow: among equals the first rows win.
func TestEqualGradientsGoByRow(t *testing.T) {
	_, after := refined(t, func(s *kerneltest.Scene, _ *kernel.Control) { s.Schedule.MaxSplats = 7 }, clones, clones, clones, clones, clones)
	expectTags(t, &after, 0, 0, 1, 1, 2, 3, 4)
}

// crowd has some of every kind.
func crowd(n int) []splat {
	rng := rand.New(rand.NewPCG(3, 3))
	out := make([]splat, n)
	for i := range out {
		out[i] = splat{size: rng.Float64(), grad: rng.Float64() * 2.5 * growGrad, opacity: 0.02 * rng.Float64()}
	}
	return out
}

func loadCrowd(t testing.TB, o cpu.Options, capacity int) *pipeline.Pipeline {
	splats := crowd(2500)
	s := scene(capacity, splats...)
	s.Schedule.MaxSplats, s.Schedule.ResetEvery = 2700, 50
	return load(t, s, o, splats)
}

func TestRefineIsTheSameForAnyThreadsAndOrder(t *testing.T) {
	var want map[string]uint64
	for _, o := range []cpu.Options{
		{Threads: 1}, {Threads: 2}, {Threads: 7}, {Threads: 2, Checked: true, ShuffleSeed: 1}, {Threads: 3, Checked: true, ShuffleSeed: 9},
	} {
		pl := loadCrowd(t, o, 3000)
		kerneltest.Submit(t, pl, pl.RefineProgram, 1)
		got := kerneltest.State(t, pl)
		if want == nil {
			want = got
		}
		if d := kerneltest.Different(want, got); len(d) > 0 {
			t.Errorf("%+v: %v differ from one thread", o, d)
		}
		if c := kerneltest.Control(t, pl); c.Splats == 2500 || c.LastRefine != 100 {
			t.Errorf("%+v: %+v", o, c)
		}
	}
}

// TestSplatOverflow gives a refine no room: nothing may change but the flag, and
// after growth the same refine gives what one with room gives.
func TestSplatOverflow(t *testing.T) {
	splats := []splat{clones, splits, stays, dies, clones, splits, clones}
	make := func(o cpu.Options, capacity int) *pipeline.Pipeline {
		s := scene(capacity, splats...)
		s.Schedule.MaxSplats = 100
		return load(t, s, o, splats)
	}
	roomy := make(cpu.Options{Threads: 1}, 30)
	kerneltest.Submit(t, roomy, roomy.RefineProgram, 1)
	want := kerneltest.ReadModel(t, roomy)
	for _, o := range []cpu.Options{{Threads: 1}, {Threads: 2, Checked: true, ShuffleSeed: 3}} {
		pl := make(o, 10)
		before := kerneltest.State(t, pl)
		kerneltest.Submit(t, pl, pl.RefineProgram, 2)
		c := kerneltest.Control(t, pl)
		if c.Overflow != kernel.OverflowSplats || c.NeedSplats != 11 || c.LastRefine != 0 || c.Splats != 7 {
			t.Fatalf("overflow was not reported: %+v", c)
		}
		if d := kerneltest.Different(before, kerneltest.State(t, pl)); !cmp.Equal(d, []string{"control"}) {
			t.Errorf("an overflowing refine changed %v", d)
		}
		if err := pl.GrowSplats(30); err != nil {
			t.Fatal(err)
		}
		c.Overflow, c.NeedSplats = 0, 0
		kerneltest.SetControl(t, pl, c)
		kerneltest.Submit(t, pl, pl.RefineProgram, 1)
		got := kerneltest.ReadModel(t, pl)
		if got.Control != want.Control {
			t.Errorf("control %+v, want %+v", got.Control, want.Control)
		}
		for i := range want.Splats() {
			if !cmp.Equal(want.Row(i), got.Row(i)) || !cmp.Equal(want.Color(i), got.Color(i)) || !cmp.Equal(want.Moments(i), got.Moments(i)) {
				t.Fatalf("row %d differs from a run with room", i)
			}
		}
	}
}

// TestExactRoomIsEnough: a capacity equal to the need is no overflow.
func TestExactRoomIsEnough(t *testing.T) {
	splats := []splat{clones, splits, dies}
	s := scene(4, splats...)
	s.Schedule.MaxSplats = 100
	pl := load(t, s, cpu.Options{Threads: 1}, splats)
	kerneltest.Submit(t, pl, pl.RefineProgram, 1)
	if c := kerneltest.Control(t, pl); c.Splats != 4 || c.Overflow != 0 {
		t.Errorf("%+v", c)
	}
}

func TestRefineThatIsNotDueDoesNothing(t *testing.T) {
	splats := []splat{clones, splits, dies}
	for name, change := range map[string]func(*kernel.Control){
		"between":  func(c *kernel.Control) { c.Step = 150 },
		"done":     func(c *kernel.Control) { c.LastRefine = 100 },
		"overflow": func(c *kernel.Control) { c.Overflow = kernel.OverflowPairs },
		"late":     func(c *kernel.Control) { c.Step = 1000 },
	} {
		t.Run(name, func(t *testing.T) {
			pl := load(t, scene(8, splats...), cpu.Options{Threads: 1, Checked: true}, splats)
			c := kernel.Control{Step: 100, Limit: 1 << 30, Splats: 3}
			change(&c)
			kerneltest.SetControl(t, pl, c)
			before := kerneltest.State(t, pl)
			kerneltest.Submit(t, pl, pl.RefineProgram, 1)
			if d := kerneltest.Different(before, kerneltest.State(t, pl)); len(d) > 0 {
				t.Errorf("changed %v", d)
			}
		})
	}
}
