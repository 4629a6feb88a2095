package vk

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"
)

// Submissions wait for a point and raise another; the host sees both.
func TestTimeline(t *testing.T) {
	r := newRig(t)
	gate, done := r.timeline(), r.timeline()
	down := r.buffer("down", 4, ReadbackMemory)
	putWords(down.Bytes(), 1)
	c := r.record(func(c *Commands) {
		c.Fill(down, 0, 4, 2)
		c.Barrier(ToHost)
	})
	r.must(r.Submit([]*Commands{c}, []Point{{gate, 5}}, []Point{{done, 7}}))
	if ok, err := done.Wait(7, 10*time.Millisecond); ok || err != nil {
		t.Fatalf("done before the gate is open: %v, %v", ok, err)
	}
	r.must(gate.Signal(5))
	if ok, err := done.Wait(7, -1); !ok || err != nil {
		t.Fatalf("not done: %v, %v", ok, err)
	}
	if ok, err := done.Wait(8, 0); ok || err != nil {
		t.Errorf("value 8: %v, %v", ok, err)
	}
	if v, err := done.Value(); v != 7 || err != nil {
		t.Errorf("value %d, %v", v, err)
	}
	if w := getWords(down.Bytes())[0]; w != 2 {
		t.Errorf("the fill wrote %d", w)
	}
	if c := r.Counters(); c.Waits != 2 || c.Polls != 2 || c.Submits != 1 || c.Lists != 1 || c.IdleWaits != 0 {
		t.Errorf("%+v", c)
	}
}

// A list resubmitted with at most three submissions in flight adds up.
func TestThrottledResubmission(t *testing.T) {
	const steps, flight, repeat = 50, 3, 4
	r := newRig(t)
	x := r.buffer("x", 4*64, ReadbackMemory)
	clear(x.Bytes())
	p := r.pipeline(scaleSpec(t, 1))
	sets := r.sets(SetSpec{p, []*Buffer{x}})
	c := r.record(func(c *Commands) {
		c.Bind(p, sets, 0)
		c.Push(p, []uint32{64, 1})
		c.Dispatch(1, 1, 1)
		c.Barrier(ComputeToCompute | ToHost)
	})
	done := r.timeline()
	list := []*Commands{c, c, c, c}
	signal := make([]Point, 1)
	for i := range uint64(steps) {
		if i >= flight {
			if ok, err := done.Wait(i-flight+1, time.Minute); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		signal[0] = Point{done, i + 1}
		r.must(r.Submit(list[:repeat], nil, signal))
	}
	r.must(r.WaitIdle())
	if got := getWords(x.Bytes())[63]; got != steps*repeat {
		t.Errorf("%d additions, expected %d", got, steps*repeat)
	}
	if n := r.Counters(); n.Submits != steps || n.Lists != steps*repeat || n.Waits != steps-flight || n.IdleWaits != 1 {
		t.Errorf("%+v", n)
	}
}

// Submitting and waiting allocate nothing.
func TestSubmitLeavesNoGarbage(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	r := newRig(t)
	done := r.timeline()
	c := r.record(func(c *Commands) {})
	list, signal := []*Commands{c, c}, []Point{{done, 0}}
	n := testing.AllocsPerRun(100, func() {
		signal[0].Value++
		if err := r.Submit(list, nil, signal); err != nil {
			t.Fatal(err)
		}
		if _, err := done.Wait(signal[0].Value, -1); err != nil {
			t.Fatal(err)
		}
	})
	if n > 0 {
		t.Errorf("%g allocations a submission", n)
	}
}

func TestTimestamps(t *testing.T) {
	r := newRig(t)
	if r.Info().Limits.TimestampBits == 0 {
		if _, err := r.NewTimestamps(1); err == nil {
			t.Error("timestamps on a device without")
		}
		t.Skip("the device has no timestamps")
	}
	const n = 5
	ts, err := r.NewTimestamps(n + 1)
	r.must(err)
	out := make([]uint64, n)
	if r.Info().Features.HostQueryReset {
		if ready, err := ts.Read(0, out); ready || err != nil {
			t.Errorf("ready before anything ran: %v, %v", ready, err)
		}
	}
	x := r.buffer("x", 4<<16, DeviceMemory)
	p := r.pipeline(scaleSpec(t, 3))
	sets := r.sets(SetSpec{p, []*Buffer{x}})
	r.run(func(c *Commands) {
		c.ResetTimestamps(ts, 0, n+1)
		c.Fill(x, 0, x.Size(), 1)
		c.Barrier(TransferToCompute)
		c.Bind(p, sets, 0)
		c.Push(p, []uint32{1 << 16, 1})
		for i := range n {
			c.Timestamp(ts, i)
			c.Dispatch(1<<10, 1, 1)
			c.Barrier(ComputeToCompute)
		}
	})
	if ready, err := ts.Read(0, out); !ready || err != nil {
		t.Fatalf("not ready: %v, %v", ready, err)
	}
	copies := r.buffer("copies", 8*n, ReadbackMemory)
	r.run(func(c *Commands) {
		c.CopyTimestamps(copies, 0, ts, 0, n)
		c.Barrier(ToHost)
	})
	for i, want := range out {
		if got := binary.LittleEndian.Uint64(copies.Bytes()[8*i:]); got != want {
			t.Errorf("time %d was copied as %d, is %d", i, got, want)
		}
	}
	for i := 1; i < n; i++ {
		if ticks := out[i] - out[i-1]; ticks == 0 || ticks > uint64(10e9/r.Info().Limits.TimestampPeriod) {
			t.Errorf("times %v", out)
			break
		}
	}
	if ready, err := ts.Read(n, out[:1]); ready || err != nil {
		t.Errorf("the time that was not taken: %v, %v", ready, err)
	}
	if _, err := ts.Read(2, out); err == nil || !strings.Contains(err.Error(), "timestamps 2 to 6 of 6") {
		t.Error(err)
	}
}

func BenchmarkSubmit(b *testing.B) {
	i, err := Open(Options{})
	if err != nil {
		b.Skip(err)
	}
	defer i.Close()
	d, err := i.Devices()[0].Open(DeviceOptions{})
	if err != nil {
		b.Fatal(err)
	}
	c, err := d.NewCommands(true)
	if err != nil {
		b.Fatal(err)
	}
	if err := c.End(); err != nil {
		b.Fatal(err)
	}
	done, err := d.NewTimeline()
	if err != nil {
		b.Fatal(err)
	}
	list, signal := []*Commands{c}, []Point{{done, 0}}
	b.ReportAllocs()
	for b.Loop() {
		signal[0].Value++
		if err := d.Submit(list, nil, signal); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCall is the cheapest call there is: the price of leaving Go.
func BenchmarkCall(b *testing.B) {
	i, err := Open(Options{})
	if err != nil {
		b.Skip(err)
	}
	defer i.Close()
	d, err := i.Devices()[0].Open(DeviceOptions{})
	if err != nil {
		b.Fatal(err)
	}
	t, err := d.NewTimeline()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		t.Value()
	}
}
