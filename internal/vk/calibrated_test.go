package vk

import (
	"testing"
	"time"
)

// What the device stamps lies between the moments before and after, on the host's clock.
func TestCalibrate(t *testing.T) {
	r := newRig(t)
	first, ok, err := r.Calibrate()
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Skip("the driver cannot read both clocks at once")
	}
	stamps, err := r.NewTimestamps(1)
	if err != nil {
		t.Skip(err)
	}
	defer stamps.Free()
	done := r.timeline()
	c := r.record(func(c *Commands) {
		c.ResetTimestamps(stamps, 0, 1)
		c.Timestamp(stamps, 0)
	})
	before := time.Now()
	r.must(r.Submit([]*Commands{c}, nil, []Point{{done, 1}}))
	if ok, err := done.Wait(1, time.Minute); !ok || err != nil {
		t.Fatal(ok, err)
	}
	after := time.Now()
	var ticks [1]uint64
	if ready, err := stamps.Read(0, ticks[:]); !ready || err != nil {
		t.Fatal(ready, err)
	}
	second, _, err := r.Calibrate()
	if err != nil {
		t.Fatal(err)
	}
	period := r.Info().Limits.TimestampPeriod
	onHost := func(m Moment) time.Time {
		return m.Host.Add(time.Duration(float64(int64(ticks[0]-m.Ticks)) * period))
	}
	for _, m := range []Moment{first, second} {
		at, slack := onHost(m), m.Within+20*time.Microsecond
		if at.Before(before.Add(-slack)) || at.After(after.Add(slack)) {
			t.Errorf("the stamp lies at %v, expected it between 0 and %v (give or take %v)", at.Sub(before), after.Sub(before), slack)
		}
	}
	if span := second.Host.Sub(first.Host); span <= 0 || second.Ticks <= first.Ticks {
		t.Errorf("clocks went from %+v to %+v", first, second)
	}
}
