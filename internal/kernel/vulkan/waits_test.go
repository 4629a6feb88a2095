package vulkan

import (
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/kerneltest"
)

// Between setting the limit and the drain the host waits only where enough is in flight,
// maps, allocates and records nothing, and submits many steps at a time.
func TestNoWaitingBetweenLimits(t *testing.T) {
	for _, limit := range []int{1, 3} {
		b := openTest(t, Options{InFlight: limit})
		s := playScene(kernel.StrategyMCMC, 40, 30)
		s.Plan.Splats = 400
		pl := load(t, b, s)
		play(t, pl, 26) // everything is built and has room
		c := kerneltest.Control(t, pl)
		c.Limit = 150
		kerneltest.SetControl(t, pl, c)
		before, throttled := b.Counters(), b.queue.throttled
		launch(t, pl, c.Step, c.Limit)
		if _, err := kernel.PeekRecord[kernel.Control](b, pl.Control, 0); err != nil {
			t.Fatal(err)
		}
		after, held := b.Counters(), b.queue.throttled-throttled
		must(t, b.Wait())
		if done := kerneltest.Control(t, pl); done.Step != c.Limit {
			t.Fatalf("stopped at %+v", done)
		}
		if waits := after.Waits - before.Waits; waits != held {
			t.Errorf("limit %d: %d waits, %d of them because enough is in flight", limit, waits, held)
		}
		submits := after.Submits - before.Submits
		if most := int64(c.Limit-c.Step) / 4; submits > most || submits == 0 {
			t.Errorf("%d submissions for %d steps, expected at most %d", submits, c.Limit-c.Step, most)
		}
		if held > submits {
			t.Errorf("%d waits for %d submissions", held, submits)
		}
		before.Submits, before.Lists, before.Waits, before.Polls = after.Submits, after.Lists, after.Waits, after.Polls
		if before != after {
			t.Errorf("limit %d: counters were %+v, are %+v", limit, before, after)
		}
	}
}
