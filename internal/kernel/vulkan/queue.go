package vulkan

import (
	"errors"
	"fmt"
	"time"

	"splat/internal/kernel"
	"splat/internal/vk"
)

// queue numbers submissions and knows which are done.
type queue struct {
	device   *vk.Device
	timeline *vk.Timeline
	last     uint64   // submission submitted last
	flights  []uint64 // submissions that ran programs and may not be done
	limit    int
	lists    []*vk.Commands // scratch of a submission

	throttled int64 // waits because enough was in flight
	tracer    kernel.Tracer
	stamps    flights // where there is a tracer
}

func (q *queue) open(d *vk.Device, limit int) (err error) {
	q.device, q.limit = d, limit
	q.timeline, err = d.NewTimeline()
	return err
}

func (q *queue) close() {
	q.stamps.close()
	if q.timeline != nil {
		q.timeline.Free()
	}
}

// submit submits lists as the next submission and returns its number. what says what
// they are.
func (q *queue) submit(what string, lists ...*vk.Commands) (uint64, error) {
	kernel.BeginWork(q.tracer, kernel.HostSubmit, what)
	defer kernel.EndWork(q.tracer)
	q.last++
	if q.tracer != nil {
		lists = q.stamps.around(q.last, what, lists)
	}
	if err := q.device.Submit(lists, nil, []vk.Point{{Timeline: q.timeline, Value: q.last}}); err != nil {
		q.last--
		return 0, lost(err)
	}
	return q.last, nil
}

// done is the number of the last submission that is done.
func (q *queue) done() (uint64, error) {
	v, err := q.timeline.Value()
	return v, lost(err)
}

// patience is how long the host waits at a time before it looks at the device again.
const patience = 2 * time.Second

// hung is how long a submission may take before the device counts as hung: far beyond
// any driver's own limit.
const hung = 10 * time.Minute

// waitFor waits for a submission. why is one of kernel's reasons to wait.
func (q *queue) waitFor(n uint64, why string) error {
	kernel.BeginWork(q.tracer, kernel.HostWait, why)
	defer kernel.EndWork(q.tracer)
	for start := time.Now(); ; {
		ok, err := q.timeline.Wait(n, patience)
		switch {
		case err != nil:
			return lost(err)
		case ok && q.tracer != nil:
			return q.stamps.take(n, q.device, q.tracer)
		case ok:
			return nil
		case time.Since(start) > hung:
			return fmt.Errorf("vulkan: the device has not finished a submission in %v", hung)
		}
	}
}

// wait waits for everything.
func (q *queue) wait() error {
	q.flights = q.flights[:0]
	return q.waitFor(q.last, kernel.WaitIdle)
}

// throttle waits until another program may be submitted. It is the only wait between
// two limits.
func (q *queue) throttle() error {
	for len(q.flights) >= q.limit {
		q.throttled++
		if err := q.waitFor(q.flights[0], kernel.WaitInFlight); err != nil {
			return err
		}
		q.flights = append(q.flights[:0], q.flights[1:]...)
	}
	return nil
}

// lost says what a lost device means.
func lost(err error) error {
	if errors.Is(err, vk.ErrDeviceLost) {
		return fmt.Errorf("vulkan: %w (%w): the driver was reset, or work took too long for it", kernel.ErrLost, err)
	}
	return err
}
