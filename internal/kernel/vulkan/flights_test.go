package vulkan

import (
	"testing"
	"time"

	"splat/internal/kernel"
	"splat/internal/kernel/kerneltest"
)

// stopwatch is a tracer that keeps the device's times.
type stopwatch struct {
	flights []kernel.Flight
	kernels map[string]int
	early   int // kernels outside the flights
	waits   []string
	open    int
}

func (s *stopwatch) Begin(work kernel.HostWork, name string) {
	s.open++
	if work == kernel.HostWait {
		s.waits = append(s.waits, name)
	}
}
func (s *stopwatch) End()                    { s.open-- }
func (s *stopwatch) Decoding(string) int     { return 0 }
func (s *stopwatch) Decoded(int)             {}
func (s *stopwatch) Counter(string, float64) {}
func (s *stopwatch) Instant(string, int)     {}
func (s *stopwatch) Flight(f kernel.Flight)  { s.flights = append(s.flights, f) }
func (s *stopwatch) Kernel(stage, name string, f kernel.Flight) {
	s.kernels[name]++
	if f.To < f.From {
		s.early++
	}
}

// Every submission of a run that is traced has the times at which the device worked on
// it, in order and on both clocks; one that is not traced has no stamps.
func TestFlights(t *testing.T) {
	b := openTest(t, Options{Profile: true})
	if b.info.Limits.TimestampBits < 64 {
		t.Skip("the device's timestamps wrap around")
	}
	s := playScene(kernel.StrategyMCMC, 20, 10)
	pl := load(t, b, s)
	play(t, pl, 5)
	if b.queue.stamps.places != nil {
		t.Error("there are stamps, and nobody listens")
	}
	w := &stopwatch{kernels: map[string]int{}}
	b.SetTracer(w)
	before := b.Counters().Submits
	c := kerneltest.Control(t, pl)
	c.Limit = 20
	kerneltest.SetControl(t, pl, c)
	launch(t, pl, c.Step, c.Limit)
	must(t, b.Wait())
	b.Timelines(func(kernel.Timeline) {})
	if n := b.Counters().Submits - before; int64(len(w.flights)) != n {
		t.Errorf("%d submissions, times of %d", n, len(w.flights))
	}
	var last time.Duration
	for i, f := range w.flights {
		if f.From < last || f.To < f.From {
			t.Errorf("submission %d from %v to %v, after one that ended at %v", i, f.From, f.To, last)
		}
		last = f.To
		if f.Began.IsZero() {
			continue // the driver cannot read both clocks at once
		}
		slack := f.Within + 20*time.Microsecond
		if end := f.Began.Add(f.To - f.From); f.Began.Before(f.Submitted.Add(-slack)) || end.After(f.Seen.Add(slack)) {
			t.Errorf("submission %d: %v after it was submitted it began, it ended %v before that was seen", i, f.Began.Sub(f.Submitted), f.Seen.Sub(end))
		}
	}
	if len(w.waits) == 0 || w.open != 0 || w.early != 0 {
		t.Errorf("waits %q, %d spans open, %d kernels end before they begin", w.waits, w.open, w.early)
	}
	b.SetTracer(nil)
	known := len(w.flights)
	play(t, pl, 20)
	if len(w.flights) != known {
		t.Error("a tracer that has gone still hears of submissions")
	}
}
