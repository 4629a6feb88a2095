// Package vulkan executes recordings on a GPU. A recording becomes one command list,
// recorded once with its descriptor sets and the barriers that follow from the declared
// reads and writes, and submitted as often as it is to run. Submit does not wait for
// the device, except while as many submissions are in flight as are allowed.
//
// All work goes through one queue and is ordered by a timeline semaphore whose value is
// the number of the submission.
package vulkan

import (
	"errors"
	"fmt"
	"slices"

	"splat/internal/kernel"
	"splat/internal/vk"
)

// Options configures a backend. The zero value is the production one.
type Options struct {
	Variants map[string]string // kernel to the variant of its shader; absent: the plain one
	Profile  bool              // measure dispatches with device timestamps, of some steps
	Sync     bool              // wait after every dispatch
	Rerecord bool              // record the command list anew for every run
	InFlight int               // submissions on the device at a time; 0: 3

	// Emulate makes subgroup operations go through shared memory, with subgroups this
	// wide (32 or 64); 0: only where the device's do not fit.
	Emulate int

	// NoTimestamps does as if the device had none.
	NoTimestamps bool

	// DropBarrier leaves out the barrier before the dispatch of that number in every
	// recording, 0 none: the mutant that synchronization validation must report.
	DropBarrier int

	CacheDir string // of compiled pipelines; "": none are kept
}

// DefaultInFlight is how many submissions may be on the device at a time.
const DefaultInFlight = 3

// Backend is a Vulkan device. It implements kernel.Backend.
type Backend struct {
	opts   Options
	device *vk.Device
	info   vk.Info

	memory    map[*kernel.Buffer]*vk.Buffer
	pipelines pipelines
	queue     queue
	staging   staging
	watch     watch
	timings   timings
	programs  map[*program]bool
	order     []*program // the same, in the order of their making
	ticks     []uint64   // scratch
	closed    bool

	messages func() []vk.Message // of the validation layer; nil: it is off
	heard    int                 // of which have been told
}

// Open makes a backend of a device.
func Open(physical *vk.Physical, o Options) (*Backend, error) {
	if o.InFlight <= 0 {
		o.InFlight = DefaultInFlight
	}
	info := physical.Info()
	if info.Unusable != "" {
		return nil, fmt.Errorf("%s: %s", info.Name, info.Unusable)
	}
	cache := cacheFile(o.CacheDir, info)
	device, err := physical.Open(vk.DeviceOptions{Cache: cache.load(), Describe: o.Profile})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", info.Name, err)
	}
	b := &Backend{opts: o, device: device, info: info, memory: map[*kernel.Buffer]*vk.Buffer{}, programs: map[*program]bool{}}
	b.pipelines = newPipelines(device, o, cache)
	b.timings.open(o, info)
	err = errors.Join(b.queue.open(device, o.InFlight), b.staging.open(device))
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("%s: %w", info.Name, err)
	}
	return b, nil
}

// Name returns "vulkan".
func (*Backend) Name() string { return "vulkan" }

// Device names the hardware.
func (b *Backend) Device() string { return b.info.Name }

// Info is everything known of the device.
func (b *Backend) Info() vk.Info { return b.info }

// Counters tells how often the host asked the device for what.
func (b *Backend) Counters() vk.Counters { return b.device.Counters() }

// SetTracer implements kernel.Traced. nil ends telling. Submissions get timestamps then,
// where the device has them.
func (b *Backend) SetTracer(t kernel.Tracer) {
	b.queue.tracer = t
	if t != nil && b.queue.stamps.open(b.device, b.info) != nil {
		b.queue.stamps.close() // the tracer does without them
	}
}

// Throttled tells how often Submit waited because enough was in flight. While steps run
// no other wait happens.
func (b *Backend) Throttled() int64 { return b.queue.throttled }

// Budget is the device memory that is free, in bytes, as the driver has it.
func (b *Backend) Budget() int64 { return b.device.Budget() }

// Alloc implements kernel.Backend.
func (b *Backend) Alloc(buf *kernel.Buffer) error {
	if b.memory[buf] != nil {
		return fmt.Errorf("vulkan: buffer %s is allocated already", buf.Name)
	}
	if buf.Len < 0 || buf.Elem.Size() == 0 {
		return fmt.Errorf("vulkan: buffer %s: no storage for %d elements of %q", buf.Name, buf.Len, buf.Elem)
	}
	kernel.BeginWork(b.queue.tracer, kernel.HostAllocate, buf.Name)
	defer kernel.EndWork(b.queue.tracer)
	m, err := b.device.NewBuffer(buf.Name, buf.Bytes(), vk.DeviceMemory)
	if err != nil {
		return err
	}
	b.memory[buf] = m
	b.tellMemory()
	if err := b.clear(m); err != nil {
		return err
	}
	if buf.Watched {
		return b.watchMore(buf)
	}
	return nil
}

// Free implements kernel.Backend. It waits for what may still use the buffer.
func (b *Backend) Free(buf *kernel.Buffer) {
	m := b.memory[buf]
	if m == nil {
		return
	}
	_ = b.Wait() // a lost device has nothing in flight either
	b.harvest()
	b.freePrograms(buf)
	b.watchLess(buf)
	m.Free()
	delete(b.memory, buf)
}

// tellMemory tells the tracer what all buffers take together.
func (b *Backend) tellMemory() {
	if b.queue.tracer == nil {
		return
	}
	var sum int64
	for _, m := range b.memory {
		sum += m.Size()
	}
	b.queue.tracer.Counter("device memory of buffers, MiB", float64(sum)/(1<<20))
}

// freePrograms releases the programs that use a buffer: they cannot run any more.
func (b *Backend) freePrograms(buf *kernel.Buffer) {
	for p := range b.programs {
		if slices.Contains(p.rec.Buffers(), buf) {
			b.order = slices.DeleteFunc(b.order, func(q *program) bool { return q == p })
			p.free()
			delete(b.programs, p)
		}
	}
}

// Wait implements kernel.Backend.
func (b *Backend) Wait() error {
	if err := b.flush(); err != nil {
		return err
	}
	if err := b.queue.wait(); err != nil {
		return err
	}
	return b.complaints()
}

// Close implements kernel.Backend. Closing again does nothing.
func (b *Backend) Close() {
	if b.closed {
		return
	}
	b.closed = true
	_ = b.device.WaitIdle() // a lost device has nothing in flight either
	for p := range b.programs {
		p.free()
	}
	b.watch.close()
	b.staging.close()
	b.pipelines.close()
	for _, m := range b.memory {
		m.Free()
	}
	b.queue.close()
	b.device.Close()
}

// storage returns a buffer's memory.
func (b *Backend) storage(buf *kernel.Buffer) (*vk.Buffer, error) {
	m := b.memory[buf]
	if m == nil {
		return nil, fmt.Errorf("vulkan: buffer %s is not allocated", buf.Name)
	}
	return m, nil
}
