package vulkan

import (
	"testing"
	"time"

	"splat/internal/kernel"
	"splat/internal/kernel/kerneltest"
)

// The spans of a measured step lie in order inside it and, with the gaps between them,
// make up what passed on the device; the host saw at least as much.
func TestMeasuredStepsAddUp(t *testing.T) {
	be := openTest(t, Options{Profile: true})
	pl := load(t, be, playScene(kernel.StrategyMCMC, 64, 48))
	play(t, pl, 3*firstEvery)
	must(t, be.Wait())
	steps, refines := map[uint32]bool{}, 0
	be.Timelines(func(l kernel.Timeline) {
		switch {
		case l.Idle:
			return
		case l.Recording.Name == "refine":
			refines++
		case l.Recording.Name == "step":
			if steps[l.Step] {
				t.Errorf("step %d twice", l.Step)
			}
			steps[l.Step] = true
		}
		var end, sum time.Duration
		for i, s := range l.Spans {
			if s.From < end || s.To < s.From {
				t.Errorf("%s: dispatch %d ran from %v to %v, the one before up to %v", l.Recording.Name, i, s.From, s.To, end)
			}
			sum += s.Took()
			end = s.To
		}
		if sum <= 0 || end > l.Total || l.Total > time.Minute {
			t.Errorf("%s: kernels took %v, up to %v of %v", l.Recording.Name, sum, end, l.Total)
		}
	})
	if len(steps) == 0 || refines == 0 {
		t.Errorf("steps %v and %d refines were measured", steps, refines)
	}
	be.Timelines(func(kernel.Timeline) { t.Error("told twice") })
}

// A single measured step takes about as long for the device as for the host, which waits.
func TestMeasuredTimeIsReal(t *testing.T) {
	be := openTest(t, Options{Profile: true})
	pl := load(t, be, playScene(kernel.StrategyMCMC, 320, 240))
	play(t, pl, 2)
	c := kerneltest.Control(t, pl)
	c.Limit = c.Step + 1
	kerneltest.SetControl(t, pl, c)
	be.timings.cost("step").since = firstEvery
	be.timings.cost("step").turn = 0
	be.Timelines(func(kernel.Timeline) {})
	began := time.Now()
	must(t, be.Submit(pl.StepProgram, 1))
	must(t, be.Wait())
	host := time.Since(began)
	n := 0
	be.Timelines(func(l kernel.Timeline) {
		n++
		if l.Step != c.Step || l.Idle || l.Total > host || l.Total < host/4 {
			t.Errorf("step %d (%v) took %v on the device, %v for the host", l.Step, l.Idle, l.Total, host)
		}
	})
	if n != 1 {
		t.Errorf("%d timelines", n)
	}
}

// Measuring changes no result: the same buffers with it and without.
func TestMeasuringChangesNothing(t *testing.T) {
	var want []float32
	for _, o := range []Options{{}, {Profile: true}, {Profile: true, Sync: true}, {Profile: true, Rerecord: true}} {
		be := openTest(t, o)
		pl := load(t, be, playScene(kernel.StrategyMCMC, 48, 32))
		play(t, pl, 45)
		got := make([]float32, pl.Geom.Len)
		must(t, kernel.ReadSlice(be, pl.Geom, 0, got))
		if want == nil {
			want = got
			continue
		}
		measured := 0
		be.Timelines(func(l kernel.Timeline) { measured++ })
		if measured == 0 {
			t.Errorf("%+v: nothing was measured", o)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%+v: number %d is %g, unmeasured %g", o, i, got[i], want[i])
			}
		}
	}
}

// A device without timestamps says so and works.
func TestNoTimestamps(t *testing.T) {
	be := openTest(t, Options{Profile: true, NoTimestamps: true})
	pl := load(t, be, playScene(kernel.StrategyMCMC, 32, 32))
	play(t, pl, firstEvery+1)
	be.Timelines(func(kernel.Timeline) { t.Error("measured without timestamps") })
	if s := be.Sampling(); s.Off != withoutTimestamps || s.Every != 0 {
		t.Errorf("%+v", s)
	}
	if s := openTest(t, Options{}).Sampling(); s.Off != "" || s.Every != 0 {
		t.Errorf("not asked for: %+v", s)
	}
}

// How often a step is measured follows from what that costs.
func TestCostDecidesHowOften(t *testing.T) {
	for _, c := range []struct {
		plain, measured time.Duration
		want            int
	}{
		{1000, 1000, leastEvery},
		{1000, 900, leastEvery},
		{1000, 1400, 50},
		{1000, 9000, mostEvery},
	} {
		k := cost{every: firstEvery}
		for range costSamples / 2 {
			if k.every != firstEvery {
				t.Errorf("%+v: every %d before enough is known", c, k.every)
			}
			k.add(c.plain, false)
			k.add(c.measured, true)
		}
		if k.every != c.want {
			t.Errorf("%+v: every %d", c, k.every)
		}
		if k.every < mostEvery && k.relative()/float64(k.every) > 0.01 {
			t.Errorf("%+v: costs %g on average", c, k.relative()/float64(k.every))
		}
	}
	k, plain := cost{}, 0
	for ; k.turn < 8; k.turn++ {
		if k.wantsPlain() {
			plain++
		}
	}
	if plain != 4 {
		t.Errorf("%d of 8 turns are plain at first", plain)
	}
}

// Timestamps of fewer than 64 bits wrap around.
func TestShortTimestampsWrap(t *testing.T) {
	k := timings{period: 2, mask: 1<<36 - 1}
	if got := k.took(1<<36-5, 7); got != 24 {
		t.Errorf("%v, expected 24ns", got)
	}
}
