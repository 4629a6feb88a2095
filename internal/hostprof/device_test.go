package hostprof

import (
	"math"
	"testing"
	"time"

	"splat/internal/kernel"
)

// A device whose clock is an hour ahead works on submissions of 10 ms, 3 ms after they
// were handed over; the host sees the end 1 ms late at best.
func flights(r *Recorder, begin time.Duration, n int, gap time.Duration) {
	const ahead = time.Hour
	at := r.epoch.Add(begin)
	device := func(t time.Time) time.Duration { return t.Sub(r.epoch) + ahead }
	for i := range n {
		from := at.Add(3 * time.Millisecond)
		to := from.Add(10 * time.Millisecond)
		late := time.Duration(1+i%3) * time.Millisecond
		r.Flight(kernel.Flight{What: "programs", Submitted: at, From: device(from), To: device(to), Seen: to.Add(late)})
		at = to.Add(gap)
	}
}

func TestDeviceUse(t *testing.T) {
	r := New(nil)
	flights(r, time.Second, 5, 2*time.Millisecond) // before training: not counted
	r.Begin(kernel.HostLoop, kernel.PhaseTraining)
	flights(r, 2*time.Second, 11, 2*time.Millisecond)
	r.End()
	d := r.device.summary(150 * time.Millisecond)
	if d == nil {
		t.Fatal("nothing is known of the device")
	}
	if math.Abs(d.BusyMS-110) > 1e-6 || math.Abs(*d.BusyShare-110.0/150) > 1e-9 || d.Submissions != 11 {
		t.Errorf("busy %v ms, %v of the time, in %d submissions", d.BusyMS, *d.BusyShare, d.Submissions)
	}
	if math.Abs(d.IdleUS-5000) > 1e-6 || math.Abs(d.IdleMS-50) > 1e-6 {
		t.Errorf("idle %v us each, %v ms together, expected 5 ms and 50 ms", d.IdleUS, d.IdleMS)
	}
	if d.LatencyUS == nil || math.Abs(*d.LatencyUS-3000) > d.ClockUS+1e-6 || math.Abs(d.ClockUS-2000) > 1e-6 {
		t.Errorf("latency %v us, give or take %v us; it is 3000 us, bracketed by 3 ms and 1 ms", *d.LatencyUS, d.ClockUS)
	}
}

// Where the device can read both clocks at once, that counts.
func TestCalibratedClocks(t *testing.T) {
	r := New(nil)
	r.Begin(kernel.HostLoop, kernel.PhaseTraining)
	for i := range 10 {
		at := r.epoch.Add(time.Duration(i) * 50 * time.Millisecond)
		from := time.Hour + time.Duration(i)*50*time.Millisecond
		r.Flight(kernel.Flight{
			Submitted: at, From: from, To: from + 10*time.Millisecond, Seen: at.Add(40 * time.Millisecond),
			Began: at.Add(7 * time.Microsecond), Within: time.Microsecond,
		})
	}
	r.End()
	d := r.device.summary(500 * time.Millisecond)
	if d.LatencyUS == nil || math.Abs(*d.LatencyUS-7) > 1e-6 || math.Abs(d.ClockUS-1) > 1e-9 || d.Clock != clockCalibrated {
		t.Errorf("latency %v us, give or take %v us by %s", *d.LatencyUS, d.ClockUS, d.Clock)
	}
}

// Submissions that queue behind others have no launch latency, and no pauses.
func TestQueuedSubmissions(t *testing.T) {
	r := New(nil)
	r.Begin(kernel.HostLoop, kernel.PhaseTraining)
	for i := range 10 {
		from := time.Duration(i) * 10 * time.Millisecond
		r.Flight(kernel.Flight{Submitted: r.epoch, From: from, To: from + 10*time.Millisecond, Seen: r.epoch.Add(from + 11*time.Millisecond)})
	}
	r.End()
	d := r.device.summary(100 * time.Millisecond)
	if d.LatencyUS != nil || d.IdleMS != 0 || math.Abs(*d.BusyShare-1) > 1e-9 {
		t.Errorf("%+v", d)
	}
}

// Between two stretches of training the device rests: that is no pause of the training.
func TestStretches(t *testing.T) {
	r := New(nil)
	for i := range 2 {
		r.Begin(kernel.HostLoop, kernel.PhaseTraining)
		from := time.Duration(i) * time.Hour
		r.Flight(kernel.Flight{Submitted: r.epoch.Add(from), From: from, To: from + time.Second, Seen: r.epoch.Add(from + time.Second)})
		r.End()
	}
	if d := r.device.summary(2 * time.Second); d.IdleMS != 0 || d.LatencyUS != nil {
		t.Errorf("%+v", d)
	}
}
