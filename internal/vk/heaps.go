package vk

import (
	"math/bits"
	"slices"
)

// MemoryKind is where a buffer lives and who may touch it.
type MemoryKind int

const (
	// DeviceMemory is fast for the device; the host does not see it.
	DeviceMemory MemoryKind = iota
	// UploadMemory is written by the host, in order, and copied from.
	UploadMemory
	// ReadbackMemory is copied to and read by the host.
	ReadbackMemory
)

// String returns "device memory" and so on.
func (k MemoryKind) String() string {
	switch k {
	case UploadMemory:
		return "upload memory"
	case ReadbackMemory:
		return "readback memory"
	}
	return "device memory"
}

// Heap is one of the device's memories. Sizes are bytes.
type Heap struct {
	Size        uint64
	Budget      uint64 // what this process may have; four fifths of Size when the driver does not tell
	Used        uint64 // what it has, by the driver's count; 0 when the driver does not tell
	DeviceLocal bool
	HostVisible bool
}

// Free returns what is left of the budget.
func (h Heap) Free() uint64 {
	if h.Used > h.Budget {
		return 0
	}
	return h.Budget - h.Used
}

const (
	hostVisible = memoryPropertyHostVisibleBit | memoryPropertyHostCoherentBit
	// plainFlags are the properties this package understands. Types with others
	// (protected, lazily allocated, uncached) need features it does not enable.
	plainFlags = memoryPropertyDeviceLocalBit | hostVisible | memoryPropertyHostCachedBit
)

// memory remembers the memory types.
func (p *Physical) memory(a *arena) {
	props := a.physicalDeviceMemoryProperties2()
	p.instance.getPhysicalDeviceMemoryProperties2(p.handle, props)
	p.types = props.memoryProperties
	for _, t := range p.types.memoryTypes[:p.types.memoryTypeCount] {
		const want = hostVisible | memoryPropertyHostCachedBit
		p.info.Features.HostCached = p.info.Features.HostCached || t.propertyFlags&want == want
	}
}

// Heaps asks for the heaps and what is free of them at the moment. It is empty for
// devices that are unusable.
func (p *Physical) Heaps() (heaps []Heap) {
	a := borrow()
	defer a.release()
	budget := p.budget(a)
	for i, h := range p.types.memoryHeaps[:p.types.memoryHeapCount] {
		heap := Heap{Size: h.size, Budget: h.size / 5 * 4, DeviceLocal: h.flags&memoryHeapDeviceLocalBit != 0}
		if b := budget.heapBudget[i]; b > 0 {
			heap.Budget, heap.Used = b, budget.heapUsage[i]
		}
		heaps = append(heaps, heap)
	}
	for _, t := range p.types.memoryTypes[:p.types.memoryTypeCount] {
		if t.propertyFlags&hostVisible == hostVisible {
			heaps[t.heapIndex].HostVisible = true
		}
	}
	return heaps
}

// budget is all zero when the driver does not tell.
func (p *Physical) budget(a *arena) *physicalDeviceMemoryBudgetPropertiesEXT {
	budget := a.physicalDeviceMemoryBudgetPropertiesEXT()
	if p.info.Features.MemoryBudget {
		props := a.physicalDeviceMemoryProperties2()
		props.pNext = address(budget)
		p.instance.getPhysicalDeviceMemoryProperties2(p.handle, props)
	}
	return budget
}

// candidates lists memory types for a kind, best first, out of the allowed ones.
func (p *Physical) candidates(kind MemoryKind, allowed uint32) (types []uint32) {
	for ; allowed != 0; allowed &= allowed - 1 {
		t := uint32(bits.TrailingZeros32(allowed))
		if t < p.types.memoryTypeCount && suits(p.types.memoryTypes[t].propertyFlags, kind) {
			types = append(types, t)
		}
	}
	slices.SortStableFunc(types, func(s, t uint32) int {
		return dislike(p.types.memoryTypes[s].propertyFlags, kind) - dislike(p.types.memoryTypes[t].propertyFlags, kind)
	})
	if kind == DeviceMemory && len(types) > 1 {
		return types[:1] // nothing moves silently to slower or scarcer memory
	}
	return types
}

func suits(flags uint32, kind MemoryKind) bool {
	need := uint32(hostVisible)
	if kind == DeviceMemory {
		need = memoryPropertyDeviceLocalBit
	}
	return flags&need == need && flags&^uint32(plainFlags) == 0
}

// dislike is higher the less a type is wanted for a kind. Memory of the device that
// the host sees is scarce on many machines; cached memory is slow to write in order
// and the only kind that is fast to read.
func dislike(flags uint32, kind MemoryKind) (n int) {
	visible := flags&memoryPropertyHostVisibleBit != 0
	local := flags&memoryPropertyDeviceLocalBit != 0
	cached := flags&memoryPropertyHostCachedBit != 0
	switch kind {
	case DeviceMemory:
		return weight(visible, 2) + weight(cached, 1)
	case UploadMemory:
		return weight(local, 2) + weight(cached, 1)
	}
	return weight(!cached, 2) + weight(local, 1)
}

func weight(yes bool, n int) int {
	if yes {
		return n
	}
	return 0
}
