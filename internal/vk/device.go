package vk

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// DeviceOptions is how a device is opened.
type DeviceOptions struct {
	// Cache is what CacheData returned earlier. It is ignored unless it comes from the
	// same device and driver.
	Cache []byte
	// Describe makes Pipeline.Describe work, where the driver can.
	Describe bool
}

// resource is what Close frees.
type resource interface{ Free() }

// Device is an open device with its one queue.
type Device struct {
	describes bool // pipelines can be described
	physical  *Physical
	handle    uint64
	queue     uint64
	deviceFuncs
	pool   pool
	cache  uint64 // VkPipelineCache
	lost   atomic.Bool
	counts counts

	mu      sync.Mutex // guards what follows
	live    map[resource]bool
	layouts map[layoutKey]layout
	closed  bool

	submit submitter
}

// Open opens the device with every feature of Features that it has and shaders may
// need.
func (p *Physical) Open(o DeviceOptions) (*Device, error) {
	if p.info.Unusable != "" {
		return nil, fmt.Errorf("device %d (%s) cannot be used: %s", p.info.Index, p.info.Name, p.info.Unusable)
	}
	d := &Device{physical: p, live: map[resource]bool{}, layouts: map[layoutKey]layout{}, describes: o.Describe && p.info.Features.PipelineExecutable}
	d.pool.d = d
	if err := d.create(); err != nil {
		return nil, fmt.Errorf("device %d (%s): %w", p.info.Index, p.info.Name, err)
	}
	if err := d.openCache(o.Cache); err != nil {
		d.destroyDevice(d.handle)
		return nil, err
	}
	d.submit.scratch = newArena()
	p.instance.mu.Lock()
	defer p.instance.mu.Unlock()
	p.instance.open[d] = true
	return d, nil
}

func (d *Device) create() error {
	a := borrow()
	defer a.release()
	p := d.physical
	queue := a.deviceQueueCreateInfo()
	queue.queueFamilyIndex = p.family
	queue.queueCount = 1
	queue.pQueuePriorities = first(copied(a, []float32{1}))
	extensions := p.enableExtensions()
	if d.describes {
		extensions = append(extensions, extPipelineExecutable)
	}
	info := a.deviceCreateInfo()
	info.pNext = address(p.enable(a, d.describes))
	info.queueCreateInfoCount = 1
	info.pQueueCreateInfos = address(queue)
	info.enabledExtensionCount = uint32(len(extensions))
	info.ppEnabledExtensionNames = first(a.cstrings(extensions))
	out := put[uint64](a)
	if err := d.check("vkCreateDevice", p.instance.createDevice(p.handle, info, out)); err != nil {
		return err
	}
	d.handle = *out
	return d.findFunctions(a)
}

func (d *Device) findFunctions(a *arena) error {
	err := fill(d.entries(), func(name string) uintptr {
		return d.physical.instance.getDeviceProcAddr(d.handle, a.cstring(name))
	})
	if err != nil {
		return err
	}
	out := put[uint64](a)
	d.getDeviceQueue(d.handle, d.physical.family, 0, out)
	d.queue = *out
	return nil
}

// Info returns what the device says about itself.
func (d *Device) Info() Info { return d.physical.info }

// Heaps asks what is free at the moment; see Physical.Heaps.
func (d *Device) Heaps() []Heap { return d.physical.Heaps() }

// Lost reports whether a call has said that the device stopped working. Then every
// other call may fail; only Close is left.
func (d *Device) Lost() bool { return d.lost.Load() }

// check is the function check that also notices a lost device.
func (d *Device) check(name string, result int32) error {
	if result == errorDeviceLost {
		d.lost.Store(true)
	}
	return check(name, result)
}

// deviceHeap is the heap of DeviceMemory.
func (d *Device) deviceHeap() uint32 {
	types := d.physical.candidates(DeviceMemory, ^uint32(0))
	if len(types) == 0 {
		return 0
	}
	return d.physical.types.memoryTypes[types[0]].heapIndex
}

// Used returns the bytes allocated in the heap of DeviceMemory, including what is free
// in shared blocks.
func (d *Device) Used() int64 { return d.pool.used[d.deviceHeap()].Load() }

// Budget returns the bytes that may still be allocated in the heap of DeviceMemory. It
// asks the driver.
func (d *Device) Budget() int64 { return d.pool.left(d.deviceHeap()) }

// WaitIdle waits until everything submitted is done.
func (d *Device) WaitIdle() error {
	d.submit.mu.Lock()
	defer d.submit.mu.Unlock()
	d.counts.idleWaits.Add(1)
	return d.check("vkDeviceWaitIdle", d.deviceWaitIdle(d.handle))
}

// keep makes Close free r.
func (d *Device) keep(r resource) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live[r] = true
}

// forget reports whether r was still to be freed.
func (d *Device) forget(r resource) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.live[r]
	delete(d.live, r)
	return was
}

// leftovers returns what has not been freed, users before what they use.
func (d *Device) leftovers() (list []resource) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for r := range d.live {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b resource) int { return age(a) - age(b) })
	return list
}

func age(r resource) int {
	switch r.(type) {
	case *Commands:
		return 0
	case *Descriptors:
		return 1
	case *Pipeline:
		return 2
	}
	return 3
}

// Close waits for the device, frees everything made on it and closes it. Closing
// twice, or nil, does nothing.
func (d *Device) Close() {
	if d == nil || !d.retire() {
		return
	}
	d.WaitIdle() // a device that is lost is closed too
	for _, r := range d.leftovers() {
		r.Free()
	}
	for _, l := range d.layouts {
		d.destroyLayout(l)
	}
	d.destroyPipelineCache(d.handle, d.cache)
	d.destroyDevice(d.handle)
	d.submit.scratch.drop()
}

// retire reports whether the device was open.
func (d *Device) retire() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := !d.closed
	d.closed = true
	i := d.physical.instance
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.open, d)
	return was
}
