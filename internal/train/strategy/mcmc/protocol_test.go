package mcmc_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/gaussian"
	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
	"splat/internal/train/strategy/mcmc"
)

// mixed has dead splats, strong ones, growth and decay.
func mixed(capacity int) *kerneltest.Scene {
	s := kerneltest.RefineScene(5, 1200, capacity)
	s.Plan.Pairs = 1 << 12 // no step follows
	s.Schedule.MaxSplats, s.Schedule.Growth, s.Schedule.OpacityDecay = 3000, kernel.GrowthOf(1.25), 0.004
	for i := 0; i < s.Splats; i += 4 {
		s.SetOpacity(i, dead)
	}
	return s
}

func TestRefineIsTheSameForAnyThreadsAndOrder(t *testing.T) {
	var want map[string]uint64
	for _, o := range []cpu.Options{
		{Threads: 1}, {Threads: 2}, {Threads: 7}, {Threads: 2, Checked: true, ShuffleSeed: 1}, {Threads: 3, Checked: true, ShuffleSeed: 9},
	} {
		pl := kerneltest.LoadRefine(t, mixed(3000), o, mcmc.Record)
		kerneltest.Submit(t, pl, pl.RefineProgram, 1)
		got := kerneltest.State(t, pl)
		if want == nil {
			want = got
		}
		if d := kerneltest.Different(want, got); len(d) > 0 {
			t.Errorf("%+v: %v differ from one thread", o, d)
		}
		if c := kerneltest.Control(t, pl); c.Splats != 1500 {
			t.Errorf("%+v: %d splats", o, c.Splats)
		}
	}
}

func TestSeedAndStepChangeTheDraws(t *testing.T) {
	state := func(seed, step uint32) map[string]uint64 {
		s := mixed(3000)
		s.Schedule.Seed, s.Schedule.OpacityDecay = seed, 0
		pl := load(t, s)
		c := kerneltest.Control(t, pl)
		c.Step = step
		kerneltest.SetControl(t, pl, c)
		kerneltest.Submit(t, pl, pl.RefineProgram, 1)
		return kerneltest.State(t, pl)
	}
	base := state(1, 100)
	for _, other := range []map[string]uint64{state(2, 100), state(1, 200)} {
		if other["geom"] == base["geom"] {
			t.Error("another seed or step draws the same")
		}
	}
}

// TestSplatOverflow gives a refine no room: nothing may change but the flag, and
// after growth the same refine gives what one with room gives.
func TestSplatOverflow(t *testing.T) {
	roomy := load(t, mixed(3000))
	kerneltest.Submit(t, roomy, roomy.RefineProgram, 1)
	for _, o := range []cpu.Options{{Threads: 1}, {Threads: 2, Checked: true, ShuffleSeed: 3}} {
		pl := kerneltest.LoadRefine(t, mixed(1250), o, mcmc.Record)
		before := kerneltest.State(t, pl)
		kerneltest.Submit(t, pl, pl.RefineProgram, 2)
		kerneltest.Submit(t, pl, pl.StepProgram, 1)
		c := kerneltest.Control(t, pl)
		if c.Overflow != kernel.OverflowSplats || c.NeedSplats != 1500 || c.LastRefine != 0 || c.Step != 100 || c.Splats != 1200 {
			t.Fatalf("overflow was not reported: %+v", c)
		}
		if d := kerneltest.Different(before, kerneltest.State(t, pl)); !cmp.Equal(d, []string{"control"}) {
			t.Errorf("an overflowing refine changed %v", d)
		}
		if err := pl.GrowSplats(3000); err != nil {
			t.Fatal(err)
		}
		c.Overflow, c.NeedSplats = 0, 0
		kerneltest.SetControl(t, pl, c)
		kerneltest.Submit(t, pl, pl.RefineProgram, 1)
		compareLive(t, kerneltest.ReadModel(t, roomy), kerneltest.ReadModel(t, pl))
	}
}

// compareLive compares the live rows of two models.
func compareLive(t *testing.T, want, got kerneltest.Model) {
	t.Helper()
	if want.Control != got.Control {
		t.Errorf("control %+v, want %+v", got.Control, want.Control)
	}
	for i := range want.Splats() {
		if !cmp.Equal(want.Row(i), got.Row(i)) || !cmp.Equal(want.Color(i), got.Color(i)) || !cmp.Equal(want.Moments(i), got.Moments(i)) {
			t.Fatalf("row %d differs from a run with room", i)
		}
	}
}

func TestRefineThatIsNotDueDoesNothing(t *testing.T) {
	for name, change := range map[string]func(*kernel.Control, *kernel.Schedule){
		"between":       func(c *kernel.Control, _ *kernel.Schedule) { c.Step = 150 },
		"done":          func(c *kernel.Control, _ *kernel.Schedule) { c.LastRefine = 100 },
		"before start":  func(_ *kernel.Control, s *kernel.Schedule) { s.RefineStart = 200 },
		"after stop":    func(_ *kernel.Control, s *kernel.Schedule) { s.RefineStop = 99 },
		"never":         func(_ *kernel.Control, s *kernel.Schedule) { s.RefineEvery = 0 },
		"at step 0":     func(c *kernel.Control, s *kernel.Schedule) { c.Step, s.RefineStart = 0, 0 },
		"overflow":      func(c *kernel.Control, _ *kernel.Schedule) { c.Overflow = kernel.OverflowPairs },
		"splats needed": func(c *kernel.Control, _ *kernel.Schedule) { c.Overflow = kernel.OverflowSplats },
	} {
		t.Run(name, func(t *testing.T) {
			s := mixed(3000)
			c := kernel.Control{Step: 100, Limit: 1 << 30, Splats: uint32(s.Splats)}
			change(&c, &s.Schedule)
			pl := kerneltest.LoadRefine(t, s, cpu.Options{Threads: 1, Checked: true}, mcmc.Record)
			kerneltest.SetControl(t, pl, c)
			before := kerneltest.State(t, pl)
			kerneltest.Submit(t, pl, pl.RefineProgram, 1)
			if d := kerneltest.Different(before, kerneltest.State(t, pl)); len(d) > 0 {
				t.Errorf("changed %v", d)
			}
		})
	}
}

// TestSecondSubmissionDoesNothing: a refine runs once at its step.
func TestSecondSubmissionDoesNothing(t *testing.T) {
	pl := load(t, mixed(3000))
	kerneltest.Submit(t, pl, pl.RefineProgram, 1)
	once := kerneltest.State(t, pl)
	kerneltest.Submit(t, pl, pl.RefineProgram, 2)
	if d := kerneltest.Different(once, kerneltest.State(t, pl)); len(d) > 0 {
		t.Errorf("refining again changed %v", d)
	}
}

func TestOpacityDecay(t *testing.T) {
	for name, c := range map[string]struct {
		decay, factor float32
		step          uint32
		logit         float32
		want          float64
	}{
		"off":             {0, 1, 100, 0, 0.5},
		"decay":           {0.1, 1, 100, 0, 0.5 - 0.1*0.9}, // fades with the training: step 100 of 1000
		"decay, late":     {0.1, 1, 900, 0, 0.5 - 0.1*0.1},
		"factor":          {0, 0.5, 100, 0, 0.25},
		"factor, late":    {0, 0.5, 900, 0, 0.25},
		"both":            {0.1, 0.5, 100, 0, 0.25 - 0.09},
		"not below 1/256": {0.6, 1, 100, 0, 1. / 256},
		"never up":        {0, 0.5, 100, -5.7, 0.0033348}, // below 1/256 already
	} {
		t.Run(name, func(t *testing.T) {
			s := scene(3, 3)
			s.Schedule.PruneOpacity = 0.001
			s.Schedule.OpacityDecay, s.Schedule.DecayFactor = c.decay, c.factor
			s.SetOpacity(1, c.logit)
			pl := load(t, s)
			kerneltest.SetControl(t, pl, kernel.Control{Step: c.step, Limit: 1 << 30, Splats: 3})
			before := kerneltest.ReadModel(t, pl)
			kerneltest.Submit(t, pl, pl.RefineProgram, 1)
			after := kerneltest.ReadModel(t, pl)
			if got := gaussian.Sigmoid(float64(after.Row(1)[kernel.GeomOpacity])); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("opacity %v, want %v", got, c.want)
			}
			if !cmp.Equal(before.Moments(1), after.Moments(1)) {
				t.Error("decay is no reason to forget moments")
			}
		})
	}
}

// TestStatisticsAreCleared with every refine, new rows included.
func TestStatisticsAreCleared(t *testing.T) {
	pl := load(t, mixed(3000))
	kerneltest.RandomStats(t, pl, 1e-3)
	kerneltest.Submit(t, pl, pl.RefineProgram, 1)
	after := kerneltest.ReadModel(t, pl)
	for i, v := range after.Stats[:after.Splats()*kernel.StatRow] {
		if v != 0 {
			t.Fatalf("statistic %d is %v", i, v)
		}
	}
}
