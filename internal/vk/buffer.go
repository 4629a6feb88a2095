package vk

import (
	"fmt"
)

const bufferUsage = bufferUsageStorageBufferBit | bufferUsageIndirectBufferBit |
	bufferUsageTransferSrcBit | bufferUsageTransferDstBit

// Buffer is memory that shaders, copies and indirect dispatches may use.
type Buffer struct {
	d      *Device
	name   string
	kind   MemoryKind
	size   int64
	handle uint64
	region region
	bytes  []byte
}

// NewBuffer makes a buffer; its content is undefined. The size is rounded up to a
// multiple of 4, at least 4. The name appears in errors: an *OutOfMemory when there is
// no memory, a *BufferLimit when the device cannot have buffers of this size.
func (d *Device) NewBuffer(name string, size int64, kind MemoryKind) (*Buffer, error) {
	b := &Buffer{d: d, name: name, kind: kind, size: max(alignUp(size, 4), 4)}
	if size < 0 {
		return nil, fmt.Errorf("buffer %q: %d bytes, expected at least 0", name, size)
	}
	if err := b.withinLimits(); err != nil {
		return nil, err
	}
	if err := b.create(); err != nil {
		return nil, err
	}
	if err := b.place(); err != nil {
		d.destroyBuffer(d.handle, b.handle)
		return nil, err
	}
	d.label(objectTypeBuffer, b.handle, name)
	d.counts.buffers.Add(1)
	d.keep(b)
	return b, nil
}

func (b *Buffer) withinLimits() error {
	l := b.d.physical.info.Limits
	if uint64(b.size) > l.StorageBufferRange {
		return &BufferLimit{b.name, "maxStorageBufferRange", b.size, int64(l.StorageBufferRange)}
	}
	if uint64(b.size) > l.AllocationSize {
		return &BufferLimit{b.name, "maxMemoryAllocationSize", b.size, int64(l.AllocationSize)}
	}
	return nil
}

func (b *Buffer) create() error {
	a := borrow()
	defer a.release()
	info := a.bufferCreateInfo()
	info.size = uint64(b.size)
	info.usage = bufferUsage
	out := put[uint64](a)
	err := b.d.check("vkCreateBuffer", b.d.createBuffer(b.d.handle, info, out))
	if err != nil {
		return fmt.Errorf("buffer %q: %w", b.name, err)
	}
	b.handle = *out
	return nil
}

// place finds memory and binds the buffer to it.
func (b *Buffer) place() error {
	a := borrow()
	defer a.release()
	need := put[memoryRequirements](a)
	b.d.getBufferMemoryRequirements(b.d.handle, b.handle, need)
	if err := b.allocate(need); err != nil {
		return err
	}
	err := b.d.check("vkBindBufferMemory", b.d.bindBufferMemory(b.d.handle, b.handle, b.region.handle, uint64(b.region.offset)))
	if err == nil && b.kind != DeviceMemory {
		b.bytes, err = b.d.pool.mapping(b.region)
	}
	if err != nil {
		b.d.pool.release(b.region)
		return fmt.Errorf("buffer %q: %w", b.name, err)
	}
	if b.bytes != nil {
		b.bytes = b.bytes[:b.size:b.size]
	}
	return nil
}

// allocate tries the memory types in order. The first failure is the one to report.
func (b *Buffer) allocate(need *memoryRequirements) (err error) {
	types := b.d.physical.candidates(b.kind, need.memoryTypeBits)
	if len(types) == 0 {
		return fmt.Errorf("buffer %q: the device has no type of %s for it", b.name, b.kind)
	}
	for _, t := range types {
		r, e := b.d.pool.alloc(b, t, int64(need.size), int64(need.alignment))
		if e == nil {
			b.region = r
			return nil
		}
		if err == nil {
			err = e
		}
	}
	return err
}

// Name returns the name.
func (b *Buffer) Name() string { return b.name }

// Size returns the bytes that may be used.
func (b *Buffer) Size() int64 { return b.size }

// Kind returns where the buffer lives.
func (b *Buffer) Kind() MemoryKind { return b.kind }

// Bytes returns the memory as the host sees it; nil for DeviceMemory. What the host
// writes before Submit the device sees; what the device writes the host sees behind a
// ToHost barrier and a timeline. It must not be used after Free.
func (b *Buffer) Bytes() []byte { return b.bytes }

// Free gives the memory back. Freeing twice, or nil, does nothing.
func (b *Buffer) Free() {
	if b == nil || !b.d.forget(b) {
		return
	}
	b.bytes = nil
	b.d.destroyBuffer(b.d.handle, b.handle)
	b.d.pool.release(b.region)
}
