package vk

import "time"

// Timeline is a number that only grows: submissions raise it when they are done, host
// and other submissions wait for it. It begins at 0.
type Timeline struct {
	d      *Device
	handle uint64
}

// Point is a value of a timeline.
type Point struct {
	Timeline *Timeline
	Value    uint64
}

// NewTimeline makes a timeline.
func (d *Device) NewTimeline() (*Timeline, error) {
	a := borrow()
	defer a.release()
	kind := a.semaphoreTypeCreateInfo()
	kind.semaphoreType = semaphoreTypeTimeline
	info := a.semaphoreCreateInfo()
	info.pNext = address(kind)
	out := put[uint64](a)
	if err := d.check("vkCreateSemaphore", d.createSemaphore(d.handle, info, out)); err != nil {
		return nil, err
	}
	t := &Timeline{d: d, handle: *out}
	d.keep(t)
	return t, nil
}

// Value returns the present value, without waiting.
func (t *Timeline) Value() (uint64, error) {
	a := borrow()
	defer a.release()
	out := put[uint64](a)
	t.d.counts.polls.Add(1)
	err := t.d.check("vkGetSemaphoreCounterValue", t.d.getSemaphoreCounterValue(t.d.handle, t.handle, out))
	return *out, err
}

// Wait waits until the timeline has reached value. done is false when the timeout has
// passed before; 0 only looks, a negative one never passes.
func (t *Timeline) Wait(value uint64, timeout time.Duration) (done bool, err error) {
	a := borrow()
	defer a.release()
	info := a.semaphoreWaitInfo()
	info.semaphoreCount = 1
	info.pSemaphores = first(copied(a, []uint64{t.handle}))
	info.pValues = first(copied(a, []uint64{value}))
	limit := uint64(timeout)
	if timeout < 0 {
		limit = ^uint64(0)
	}
	if timeout == 0 {
		t.d.counts.polls.Add(1)
	} else {
		t.d.counts.waits.Add(1)
	}
	result := t.d.waitSemaphores(t.d.handle, info, limit)
	return result == success, t.d.check("vkWaitSemaphores", result)
}

// Signal raises the timeline from the host.
func (t *Timeline) Signal(value uint64) error {
	a := borrow()
	defer a.release()
	info := a.semaphoreSignalInfo()
	info.semaphore = t.handle
	info.value = value
	return t.d.check("vkSignalSemaphore", t.d.signalSemaphore(t.d.handle, info))
}

// Free destroys the timeline. Freeing twice, or nil, does nothing.
func (t *Timeline) Free() {
	if t != nil && t.d.forget(t) {
		t.d.destroySemaphore(t.d.handle, t.handle)
	}
}
