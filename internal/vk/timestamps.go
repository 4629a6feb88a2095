package vk

import (
	"fmt"
	"unsafe"
)

// Timestamps is a list of times that the device takes, in ticks of
// Limits.TimestampPeriod nanoseconds.
type Timestamps struct {
	d      *Device
	handle uint64
	n      int
}

// NewTimestamps makes room for n times. It fails on devices without timestamps.
func (d *Device) NewTimestamps(n int) (*Timestamps, error) {
	if d.physical.info.Limits.TimestampBits == 0 {
		return nil, fmt.Errorf("%s has no timestamps", d.physical.info.Name)
	}
	if n < 1 {
		return nil, fmt.Errorf("%d timestamps, expected at least 1", n)
	}
	a := borrow()
	defer a.release()
	info := a.queryPoolCreateInfo()
	info.queryType = queryTypeTimestamp
	info.queryCount = uint32(n)
	out := put[uint64](a)
	if err := d.check("vkCreateQueryPool", d.createQueryPool(d.handle, info, out)); err != nil {
		return nil, err
	}
	t := &Timestamps{d: d, handle: *out, n: n}
	if d.physical.info.Features.HostQueryReset {
		d.resetQueryPool(d.handle, t.handle, 0, uint32(n))
	}
	d.keep(t)
	return t, nil
}

// Len returns the number of times.
func (t *Timestamps) Len() int { return t.n }

// Read reads times into out, from index from on, without waiting. ready is false when
// some have not been taken since they were reset; then out is unchanged.
func (t *Timestamps) Read(from int, out []uint64) (ready bool, err error) {
	if from < 0 || len(out) > t.n-from {
		return false, fmt.Errorf("timestamps %d to %d of %d", from, from+len(out)-1, t.n)
	}
	if len(out) == 0 {
		return true, nil
	}
	a := borrow()
	defer a.release()
	data := array[uint64](a, len(out))
	t.d.counts.readCalls.Add(1)
	result := t.d.getQueryPoolResults(t.d.handle, t.handle, uint32(from), uint32(len(out)),
		uint64(8*len(out)), unsafe.Pointer(&data[0]), 8, queryResult64Bit)
	if err := t.d.check("vkGetQueryPoolResults", result); err != nil || result == notReady {
		return false, err
	}
	copy(out, data)
	return true, nil
}

// Free destroys the list. Freeing twice, or nil, does nothing.
func (t *Timestamps) Free() {
	if t != nil && t.d.forget(t) {
		t.d.destroyQueryPool(t.d.handle, t.handle)
	}
}

// ResetTimestamps makes n times ready to be taken. Each must be reset before it is
// taken again.
func (c *Commands) ResetTimestamps(t *Timestamps, from, n int) {
	if !c.recording() || n == 0 {
		return
	}
	if from < 0 || n < 0 || n > t.n-from {
		c.fail("timestamps %d to %d of %d", from, from+n-1, t.n)
		return
	}
	c.d.cmdResetQueryPool(c.handle, t.handle, uint32(from), uint32(n))
}

// CopyTimestamps writes n times, 8 bytes each, to a buffer, once they have been taken.
func (c *Commands) CopyTimestamps(to *Buffer, offset int64, t *Timestamps, from, n int) {
	if !c.recording() || !c.inside(to, offset, int64(8*n)) || n == 0 {
		return
	}
	if from < 0 || n < 0 || n > t.n-from {
		c.fail("timestamps %d to %d of %d", from, from+n-1, t.n)
		return
	}
	c.d.cmdCopyQueryPoolResults(c.handle, t.handle, uint32(from), uint32(n), to.handle, uint64(offset), 8, queryResult64Bit|queryResultWaitBit)
}

// Timestamp takes time i when everything recorded before it is done.
func (c *Commands) Timestamp(t *Timestamps, i int) {
	if !c.recording() {
		return
	}
	if i < 0 || i >= t.n {
		c.fail("timestamp %d of %d", i, t.n)
		return
	}
	c.d.cmdWriteTimestamp(c.handle, pipelineStageBottomOfPipeBit, t.handle, uint32(i))
}
