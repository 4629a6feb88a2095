package vulkan

import (
	"time"

	"splat/internal/kernel"
	"splat/internal/vk"
)

// stampPlaces is how many submissions may be stamped and not read yet. Where more are
// in flight the others go without.
const stampPlaces = 64

// stamped is room for the times at which the device begins and ends a submission.
type stamped struct {
	times      *vk.Timestamps
	head, tail *vk.Commands
	number     uint64 // of the submission; 0: free
	what       string
	submitted  time.Time
}

// flights stamps submissions, where a tracer listens: two short lists around each. The
// zero value stamps nothing.
type flights struct {
	period float64 // nanoseconds a tick
	places []stamped
	first  int // the oldest that is in use
	used   int
	lists  []*vk.Commands // scratch
	ticks  [2]uint64
	moment vk.Moment // of both clocks; none where the driver cannot tell
}

// open makes the places. Devices without timestamps have none.
func (f *flights) open(d *vk.Device, info vk.Info) (err error) {
	if info.Limits.TimestampBits < 64 || f.places != nil {
		return nil // shorter counters wrap around, some within seconds
	}
	f.period = info.Limits.TimestampPeriod
	f.places = make([]stamped, stampPlaces)
	for i := range f.places {
		if err := f.places[i].make(d); err != nil {
			return err
		}
	}
	return nil
}

func (s *stamped) make(d *vk.Device) (err error) {
	if s.times, err = d.NewTimestamps(2); err != nil {
		return err
	}
	if s.head, err = d.NewCommands(true); err != nil {
		return err
	}
	s.head.ResetTimestamps(s.times, 0, 2)
	s.head.Timestamp(s.times, 0)
	if err := s.head.End(); err != nil {
		return err
	}
	if s.tail, err = d.NewCommands(true); err != nil {
		return err
	}
	s.tail.Barrier(everything)
	s.tail.Timestamp(s.times, 1)
	return s.tail.End()
}

func (f *flights) close() {
	for _, s := range f.places {
		if s.head != nil {
			s.head.Free()
		}
		if s.tail != nil {
			s.tail.Free()
		}
		if s.times != nil {
			s.times.Free()
		}
	}
	f.places = nil
}

// around puts the stamps of a submission around its lists.
func (f *flights) around(number uint64, what string, lists []*vk.Commands) []*vk.Commands {
	if f.used == len(f.places) {
		return lists
	}
	s := &f.places[(f.first+f.used)%len(f.places)]
	f.used++
	s.number, s.what, s.submitted = number, what, time.Now()
	f.lists = append(append(append(f.lists[:0], s.head), lists...), s.tail)
	return f.lists
}

// take reads the stamps of submissions that are done and tells them.
func (f *flights) take(done uint64, d *vk.Device, t kernel.Tracer) error {
	seen := time.Now()
	if f.used > 0 && f.places[f.first].number <= done {
		if err := f.calibrate(d, seen); err != nil {
			return err
		}
	}
	for f.used > 0 && f.places[f.first].number <= done {
		s := &f.places[f.first]
		f.first, f.used = (f.first+1)%len(f.places), f.used-1
		ready, err := s.times.Read(0, f.ticks[:])
		if err != nil {
			return err
		}
		if ready && t != nil {
			t.Flight(f.flight(s, seen))
		}
	}
	return nil
}

// calibratePause is the least time between two readings of both clocks: they drift apart
// by some millionths.
const calibratePause = 20 * time.Millisecond

// calibrate reads both clocks, where that was not done just now.
func (f *flights) calibrate(d *vk.Device, now time.Time) error {
	if !f.moment.Host.IsZero() && now.Sub(f.moment.Host) < calibratePause {
		return nil
	}
	m, ok, err := d.Calibrate()
	if err == nil && ok {
		f.moment = m
	}
	return err
}

// flight is what the stamps say.
func (f *flights) flight(s *stamped, seen time.Time) kernel.Flight {
	out := kernel.Flight{What: s.what, Submitted: s.submitted, From: f.duration(int64(f.ticks[0])), To: f.duration(int64(f.ticks[1])), Seen: seen}
	f.relate(&out, f.ticks[0])
	return out
}

// drift is how far apart clocks go: one part in so many.
const drift = 20_000

// relate tells when something that began at a tick began on the host's clock, where both
// clocks have been read.
func (f *flights) relate(out *kernel.Flight, began uint64) {
	if f.moment.Host.IsZero() {
		return
	}
	since := f.duration(int64(began - f.moment.Ticks))
	out.Began, out.Within = f.moment.Host.Add(since), f.moment.Within+since.Abs()/drift
}

// tellKernels tells the tracer of the dispatches whose timestamps have just been read.
func (b *Backend) tellKernels(p *program, ticks []uint64) {
	t, f := b.queue.tracer, &b.queue.stamps
	if t == nil || f.places == nil || f.calibrate(b.device, time.Now()) != nil {
		return // whoever waits next hears of a lost device
	}
	for i := range p.rec.Dispatches {
		d := &p.rec.Dispatches[i]
		out := kernel.Flight{From: f.duration(int64(ticks[2*i])), To: f.duration(int64(ticks[2*i+1]))}
		f.relate(&out, ticks[2*i])
		t.Kernel(d.Stage, d.Kernel.Name, out)
	}
}

// duration is a number of ticks as time.
func (f *flights) duration(ticks int64) time.Duration {
	return time.Duration(float64(ticks) * f.period)
}
