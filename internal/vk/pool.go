package vk

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	smallBlock = 64 << 20
	largeBlock = 256 << 20
	largeHeap  = 8 << 30 // from which blocks are large
)

// pool hands out device memory. Buffers up to half a block share blocks; larger ones
// get an allocation each. Blocks that become empty go back to the driver.
type pool struct {
	d      *Device
	mu     sync.Mutex
	blocks [32][]*block // by memory type
	count  uint32       // allocations
	used   [16]atomic.Int64
}

// region is a part of a block.
type region struct {
	span
	*block
}

// alloc finds memory of a type for the buffer.
func (m *pool) alloc(b *Buffer, typ uint32, size, align int64) (region, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.reuse(typ, size, align); ok {
		return r, nil
	}
	block, err := m.grow(b, typ, size)
	if err != nil {
		return region{}, err
	}
	i, _ := block.fit(size, align)
	return region{block.take(i, size, align), block}, nil
}

// reuse takes the best fit of all blocks.
func (m *pool) reuse(typ uint32, size, align int64) (region, bool) {
	var best *block
	var index int
	var rest int64
	for _, b := range m.blocks[typ] {
		if i, r := b.fit(size, align); i >= 0 && (best == nil || r < rest) {
			best, index, rest = b, i, r
		}
	}
	if best == nil {
		return region{}, false
	}
	return region{best.take(index, size, align), best}, true
}

// grow asks the driver for a block that holds size bytes: a shared one where that is
// sensible and fits, else one of that size.
func (m *pool) grow(b *Buffer, typ uint32, size int64) (*block, error) {
	heap := m.d.physical.types.memoryTypes[typ].heapIndex
	free := m.left(heap)
	if size > free {
		return nil, m.refuse(b, heap, size, free, nil)
	}
	if max := m.d.physical.info.Limits.Allocations; m.count >= max {
		return nil, fmt.Errorf("buffer %q: all of the device's %d allocations are in use", b.name, max)
	}
	want := m.blockSize(heap, size)
	if want > free {
		want = size
	}
	block, err := m.allocate(typ, want)
	if err != nil && want > size {
		block, err = m.allocate(typ, size)
	}
	if errors.Is(err, ErrOutOfDeviceMemory) {
		return nil, m.refuse(b, heap, size, free, err)
	}
	if err != nil {
		return nil, fmt.Errorf("buffer %q: %w", b.name, err)
	}
	return block, nil
}

func (m *pool) blockSize(heap uint32, size int64) int64 {
	block := int64(smallBlock)
	if m.d.physical.types.memoryHeaps[heap].size >= largeHeap {
		block = largeBlock
	}
	if size > block/2 || uint64(block) > m.d.physical.info.Limits.AllocationSize {
		return size
	}
	return block
}

func (m *pool) refuse(b *Buffer, heap uint32, asked, free int64, cause error) error {
	return &OutOfMemory{Buffer: b.name, Kind: b.kind, Asked: asked, Used: m.used[heap].Load(),
		Heap: int64(m.d.physical.types.memoryHeaps[heap].size), Free: free, Cause: cause}
}

// left returns what the budget leaves of a heap. Drivers may be late in counting
// what this device allocated.
func (m *pool) left(heap uint32) int64 {
	h := m.d.physical.Heaps()[heap]
	h.Used = max(h.Used, uint64(m.used[heap].Load()))
	return int64(h.Free())
}

func (m *pool) allocate(typ uint32, size int64) (*block, error) {
	a := borrow()
	defer a.release()
	info := a.memoryAllocateInfo()
	info.allocationSize = uint64(size)
	info.memoryTypeIndex = typ
	out := put[uint64](a)
	if err := m.d.check("vkAllocateMemory", m.d.allocateMemory(m.d.handle, info, out)); err != nil {
		return nil, err
	}
	b := newBlock(size)
	b.handle, b.typ = *out, typ
	m.blocks[typ] = append(m.blocks[typ], b)
	m.account(b, 1)
	m.d.counts.allocations.Add(1)
	return b, nil
}

// account counts a block in (1) or out (-1).
func (m *pool) account(b *block, sign int64) {
	m.count += uint32(sign)
	m.used[m.d.physical.types.memoryTypes[b.typ].heapIndex].Add(sign * b.size)
}

// mapping returns the region as the host sees it.
func (m *pool) mapping(r region) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.mapped == nil {
		a := borrow()
		defer a.release()
		out := put[uintptr](a)
		result := m.d.mapMemory(m.d.handle, r.handle, 0, ^uint64(0), 0, (*unsafe.Pointer)(unsafe.Pointer(out)))
		if err := m.d.check("vkMapMemory", result); err != nil {
			return nil, err
		}
		r.mapped = foreign(*out)
		m.d.counts.maps.Add(1)
	}
	return unsafe.Slice((*byte)(unsafe.Add(r.mapped, r.offset)), r.span.size), nil
}

// release gives a region back.
func (m *pool) release(r region) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.give(r.span)
	if !r.empty() {
		return
	}
	m.d.freeMemory(m.d.handle, r.handle) // unmaps too
	m.account(r.block, -1)
	m.blocks[r.typ] = slices.DeleteFunc(m.blocks[r.typ], func(b *block) bool { return b == r.block })
	m.d.counts.releases.Add(1)
}
