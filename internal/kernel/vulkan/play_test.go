package vulkan

import (
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/kerneltest"
	"splat/internal/pipeline"
	"splat/internal/train/strategy/adc"
	"splat/internal/train/strategy/mcmc"
)

// refiners are the strategies by their number in a schedule.
var refiners = []pipeline.Refiner{kernel.StrategyMCMC: mcmc.Record, kernel.StrategyADC: adc.Record}

// every is the number of steps between refines of a play.
const every = 25

// playScene is a training of one strategy on views of different sizes, the largest of
// w x h pixels, with a refine every 25 steps that adds splats.
func playScene(strategy, w, h int) *kerneltest.Scene {
	s := kerneltest.NewScene(41, 120, w, h, 1)
	for _, size := range [][2]int{{w / 2, h}, {16, 16}, {1, 1}} {
		v := kerneltest.TiltedView(size[0], size[1])
		s.Views = append(s.Views, v)
	}
	s.Plan.Views, s.Schedule.Views = len(s.Views), uint32(len(s.Views))
	s.Schedule.Strategy, s.Schedule.MaxSplats = uint32(strategy), 400
	s.Schedule.RefineEvery, s.Schedule.RefineStart, s.Schedule.RefineStop = every, every, 1000
	s.Schedule.PruneOpacity, s.Schedule.WeightScale, s.Schedule.NoiseLR = 0.02, 1<<16, 5
	s.Schedule.GrowGrad, s.Schedule.GrowScale, s.Schedule.PruneScale = 1e-5, 0.1, 10
	s.Schedule.ResetEvery, s.Schedule.ResetOpacity = 100, 0.4
	s.Schedule.BackgroundRandom, s.Schedule.SHInterval = 1, 30
	return s
}

// load makes the scene's pipeline.
func load(t testing.TB, be kernel.Backend, s *kerneltest.Scene) *pipeline.Pipeline {
	t.Helper()
	pl, err := s.Build(be, refiners[s.Schedule.Strategy])
	if err != nil {
		t.Fatal(err)
	}
	return pl
}

// play trains up to the given step as the training loop does and returns how often
// something overflowed and was given room.
func play(t testing.TB, pl *pipeline.Pipeline, until uint32) (overflows int) {
	t.Helper()
	for range 50 {
		c := kerneltest.Control(t, pl)
		if c.Step >= until {
			return overflows
		}
		c.Limit = until
		kerneltest.SetControl(t, pl, c)
		launch(t, pl, c.Step, until)
		must(t, pl.Backend.Wait())
		c = kerneltest.Control(t, pl)
		if c.NonFinite != 0 {
			t.Fatalf("numbers that are not finite: %+v", c)
		}
		if c.Overflow != 0 {
			overflows++
			makeRoom(t, pl, c)
		}
	}
	t.Fatal("the training does not get ahead")
	return overflows
}

// launch submits refines and steps from one step to another.
func launch(t testing.TB, pl *pipeline.Pipeline, from, until uint32) {
	t.Helper()
	for at := from; at < until; {
		if at == from || at%every == 0 {
			must(t, pl.Backend.Submit(pl.RefineProgram, 1))
		}
		n := min(at/every*every+every, until, at+8) - at
		must(t, pl.Backend.Submit(pl.StepProgram, int(n)))
		at += n
	}
}

// makeRoom grows what overflowed.
func makeRoom(t testing.TB, pl *pipeline.Pipeline, c kernel.Control) {
	t.Helper()
	if c.Overflow&kernel.OverflowPairs != 0 {
		must(t, pl.GrowPairs(int(c.NeedPairs)*5/4))
	}
	if c.Overflow&kernel.OverflowSplats != 0 {
		must(t, pl.GrowSplats(int(c.NeedSplats)*5/4))
	}
	c.Overflow, c.NeedPairs, c.NeedSplats = 0, 0, 0
	kerneltest.SetControl(t, pl, c)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
