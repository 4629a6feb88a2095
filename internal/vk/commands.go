package vk

import (
	"errors"
	"fmt"
	"unsafe"
)

// maxUpdate is the most bytes of an Update.
const maxUpdate = 65536

// Commands is a recorded list of work. Recording calls do not fail: the first mistake
// is what End returns.
type Commands struct {
	d        *Device
	reusable bool
	pool     uint64
	handle   uint64
	ended    bool
	err      error
}

// NewCommands begins a list. A reusable one may be submitted again and again, also
// while it runs; another once after each Reset.
func (d *Device) NewCommands(reusable bool) (*Commands, error) {
	c := &Commands{d: d, reusable: reusable}
	err := c.create()
	if err == nil {
		err = c.begin()
	}
	if err != nil {
		d.destroyCommandPool(d.handle, c.pool)
		return nil, err
	}
	d.keep(c)
	return c, nil
}

// create gives the list a pool of its own, so that lists can be recorded on several
// goroutines.
func (c *Commands) create() error {
	a := borrow()
	defer a.release()
	info := a.commandPoolCreateInfo()
	info.queueFamilyIndex = c.d.physical.family
	if !c.reusable {
		info.flags = commandPoolCreateTransientBit
	}
	out := put[uint64](a)
	if err := c.d.check("vkCreateCommandPool", c.d.createCommandPool(c.d.handle, info, out)); err != nil {
		return err
	}
	c.pool = *out
	alloc := a.commandBufferAllocateInfo()
	alloc.commandPool = c.pool
	alloc.level = commandBufferLevelPrimary
	alloc.commandBufferCount = 1
	err := c.d.check("vkAllocateCommandBuffers", c.d.allocateCommandBuffers(c.d.handle, alloc, out))
	c.handle = *out
	return err
}

func (c *Commands) begin() error {
	a := borrow()
	defer a.release()
	info := a.commandBufferBeginInfo()
	info.flags = commandBufferUsageOneTimeSubmitBit
	if c.reusable {
		info.flags = commandBufferUsageSimultaneousUseBit
	}
	c.ended, c.err = false, nil
	c.d.counts.recordings.Add(1)
	return c.d.check("vkBeginCommandBuffer", c.d.beginCommandBuffer(c.handle, info))
}

// Reset empties the list and begins it again. The device must be done with it.
func (c *Commands) Reset() error {
	if err := c.d.check("vkResetCommandPool", c.d.resetCommandPool(c.d.handle, c.pool, 0)); err != nil {
		return err
	}
	return c.begin()
}

// End ends the recording and returns the first mistake in it. Only then the list may
// be submitted.
func (c *Commands) End() error {
	err := c.d.check("vkEndCommandBuffer", c.d.endCommandBuffer(c.handle))
	if c.err != nil {
		return c.err
	}
	c.ended = err == nil
	return err
}

// Free destroys the list. Freeing twice, or nil, does nothing.
func (c *Commands) Free() {
	if c != nil && c.d.forget(c) {
		c.d.destroyCommandPool(c.d.handle, c.pool)
	}
}

// fail keeps the first mistake.
func (c *Commands) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

var errEnded = errors.New("the command list has ended: Reset begins it again")

// recording reports whether commands may be added. Nothing is added behind a mistake.
func (c *Commands) recording() bool {
	if c.ended && c.err == nil {
		c.err = errEnded
	}
	return c.err == nil
}

// Bind makes p the kernel of the dispatches that follow, with the buffers of the set
// of that index. d may be nil for a kernel without buffers.
func (c *Commands) Bind(p *Pipeline, d *Descriptors, set int) {
	if !c.recording() {
		return
	}
	c.d.cmdBindPipeline(c.handle, pipelineBindPointCompute, p.handle)
	if d == nil {
		if p.bindings > 0 {
			c.fail("pipeline %q: bound without its %d buffers", p.name, p.bindings)
		}
		return
	}
	if set < 0 || set >= len(d.sets) {
		c.fail("pipeline %q: descriptor set %d of %d", p.name, set, len(d.sets))
		return
	}
	a := borrow()
	defer a.release()
	handle := put[uint64](a)
	*handle = d.sets[set]
	c.d.cmdBindDescriptorSets(c.handle, pipelineBindPointCompute, p.layout.pipeline, 0, 1, handle, 0, nil)
}

// Push sets the push constants from their first on.
func (c *Commands) Push(p *Pipeline, words []uint32) {
	if !c.recording() || len(words) == 0 {
		return
	}
	if 4*len(words) > p.push {
		c.fail("pipeline %q: %d bytes of push constants, expected at most %d", p.name, 4*len(words), p.push)
		return
	}
	a := borrow()
	defer a.release()
	data := copied(a, words)
	c.d.cmdPushConstants(c.handle, p.layout.pipeline, shaderStageComputeBit, 0, uint32(4*len(words)), unsafe.Pointer(&data[0]))
}

// Dispatch runs x*y*z workgroups.
func (c *Commands) Dispatch(x, y, z uint32) {
	if !c.recording() {
		return
	}
	if l := c.d.physical.info.Limits; x > l.GroupsX || y > l.GroupsY {
		c.fail("a dispatch of %d x %d x %d workgroups, the device takes at most %d x %d", x, y, z, l.GroupsX, l.GroupsY)
		return
	}
	c.d.cmdDispatch(c.handle, x, y, z)
}

// DispatchIndirect runs as many workgroups as three numbers in b at the offset say.
func (c *Commands) DispatchIndirect(b *Buffer, offset int64) {
	if c.recording() && c.inside(b, offset, 12) {
		c.d.cmdDispatchIndirect(c.handle, b.handle, uint64(offset))
	}
}

// inside checks a range of a buffer for alignment and bounds.
func (c *Commands) inside(b *Buffer, offset, size int64) bool {
	if offset < 0 || size < 0 || offset%4 != 0 || size > b.size-offset {
		c.fail("buffer %q: %d bytes at %d, expected a multiple of 4 within %d bytes", b.name, size, offset, b.size)
		return false
	}
	return true
}

// Copy copies size bytes; of one buffer to itself only where the ranges do not overlap.
// Offsets are multiples of 4.
func (c *Commands) Copy(to *Buffer, toOffset int64, from *Buffer, fromOffset, size int64) {
	if !c.recording() || !c.inside(to, toOffset, size) || !c.inside(from, fromOffset, size) || size == 0 {
		return
	}
	a := borrow()
	defer a.release()
	region := put[bufferCopy](a)
	*region = bufferCopy{srcOffset: uint64(fromOffset), dstOffset: uint64(toOffset), size: uint64(size)}
	c.d.cmdCopyBuffer(c.handle, from.handle, to.handle, 1, region)
}

// Fill writes word into size bytes, a multiple of 4.
func (c *Commands) Fill(b *Buffer, offset, size int64, word uint32) {
	if !c.recording() || !c.inside(b, offset, size) || size == 0 {
		return
	}
	if size%4 != 0 {
		c.fail("buffer %q: a fill of %d bytes, expected a multiple of 4", b.name, size)
		return
	}
	c.d.cmdFillBuffer(c.handle, b.handle, uint64(offset), uint64(size), word)
}

// Update writes data, at most 65536 bytes and a multiple of 4, which the list keeps.
func (c *Commands) Update(b *Buffer, offset int64, data []byte) {
	if !c.recording() || !c.inside(b, offset, int64(len(data))) || len(data) == 0 {
		return
	}
	if len(data)%4 != 0 || len(data) > maxUpdate {
		c.fail("buffer %q: an update of %d bytes, expected a multiple of 4 up to %d", b.name, len(data), maxUpdate)
		return
	}
	a := borrow()
	defer a.release()
	kept := copied(a, data)
	c.d.cmdUpdateBuffer(c.handle, b.handle, uint64(offset), uint64(len(data)), unsafe.Pointer(&kept[0]))
}

// Barrier orders what was recorded so far before what follows.
func (c *Commands) Barrier(kind BarrierKind) {
	s := kind.scopes()
	if !c.recording() || s.srcStage == 0 {
		return
	}
	a := borrow()
	defer a.release()
	b := a.memoryBarrier()
	b.srcAccessMask, b.dstAccessMask = s.srcAccess, s.dstAccess
	c.d.cmdPipelineBarrier(c.handle, s.srcStage, s.dstStage, 0, 1, b, 0, 0)
}
