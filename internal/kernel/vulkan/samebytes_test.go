package vulkan

import (
	"fmt"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/kerneltest"
)

// played is the state after a training of a strategy with a refine.
func played(t testing.TB, o Options, strategy int, checkpoints bool) map[string]uint64 {
	t.Helper()
	b := openTest(t, o)
	s := playScene(strategy, 40, 30)
	s.Plan.Checkpoints, s.Plan.Splats = checkpoints, 400
	pl := load(t, b, s)
	defer pl.Free()
	play(t, pl, 30)
	return kerneltest.State(t, pl)
}

// However it is run, a training gives the same bytes.
func TestSameBytesHoweverItIsRun(t *testing.T) {
	for strategy := range refiners {
		want := played(t, Options{}, strategy, false)
		for name, o := range map[string]Options{
			"one in flight": {InFlight: 1}, "sync": {Sync: true}, "rerecord": {Rerecord: true}, "emulated": {Emulate: 32},
		} {
			t.Run(fmt.Sprintf("strategy %d %s", strategy, name), func(t *testing.T) {
				if d := kerneltest.Different(want, played(t, o, strategy, false)); len(d) > 0 {
					t.Errorf("differ: %v", d)
				}
			})
		}
	}
}

// A backward pass from saved states gives the bytes of one that goes back from the end.
func TestSameBytesWithCheckpoints(t *testing.T) {
	for strategy := range refiners {
		for name, o := range map[string]Options{"native": {}, "emulated 64": {Emulate: 64}} {
			t.Run(fmt.Sprintf("strategy %d %s", strategy, name), func(t *testing.T) {
				if d := kerneltest.Different(played(t, o, strategy, false), played(t, o, strategy, true)); len(d) > 0 {
					t.Errorf("differ: %v", d)
				}
			})
		}
	}
}

// Lists sorted by one-sweep give the bytes of lists sorted pass by pass.
func TestSameBytesWithOneSweep(t *testing.T) {
	for strategy := range refiners {
		train := func(sweep bool) map[string]uint64 {
			b := openTest(t, Options{})
			s := playScene(strategy, 40, 30)
			s.Plan.Sweep, s.Plan.Splats = sweep, 400
			pl := load(t, b, s)
			defer pl.Free()
			play(t, pl, 30)
			return kerneltest.State(t, pl)
		}
		if d := kerneltest.Different(train(false), train(true)); len(d) > 0 {
			t.Errorf("strategy %d: differ: %v", strategy, d)
		}
	}
}

// The suite's small training gives the same bytes on two devices of the same kind, and
// the comparison can tell trainings apart.
func TestSameBytesOfTwoBackends(t *testing.T) {
	a, b := openTest(t, Options{}), openTest(t, Options{InFlight: 1})
	if d, err := kerneltest.SameBytes(a, b); err != nil || len(d) > 0 {
		t.Errorf("differ: %v, %v", d, err)
	}
	if d := kerneltest.Different(played(t, Options{}, kernel.StrategyMCMC, false), played(t, Options{}, kernel.StrategyADC, false)); len(d) == 0 {
		t.Error("two strategies give the same bytes")
	}
}
