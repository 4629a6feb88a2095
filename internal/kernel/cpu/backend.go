// Package cpu executes recordings on the processor. Each kernel is a Go function
// of the contract's name: the readable specification of the shader and the CPU
// engine at once. Kernels are generic over float32 and float64; the latter is
// for gradient checks.
//
// A dispatch's workgroups run in parallel on a fixed pool; every dispatch ends
// before the next begins. Each output is written by one workgroup and sums have
// a fixed shape, so results do not depend on the number of threads.
package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"unsafe"

	"splat/internal/kernel"
	"splat/internal/sysinfo"
)

// Options configures a backend. The zero value is the production one.
type Options struct {
	Threads int  // 0: all processors
	Float64 bool // store and compute reals in float64
	Profile bool // measure every dispatch

	// Reference runs the readable kernels only, where faster ones would do.
	Reference bool

	// MaxBytes limits all buffers together; 0 is the machine's memory. Beyond it
	// Alloc fails, where the system would rather kill the process.
	MaxBytes int64

	// Checked runs every dispatch with its workgroups in a random order (from
	// ShuffleSeed), with all buffers it does not declare poisoned, with write-only
	// bindings poisoned first and read-only ones compared afterwards; buffers that
	// are not persistent are poisoned before each submission. Slow; for tests.
	Checked     bool
	ShuffleSeed uint64
}

// Backend is the CPU backend. It implements kernel.Backend.
type Backend struct {
	opts      Options
	pool      *pool
	memory    map[*kernel.Buffer]*storage
	bytes     int64 // of all buffers
	timelines kernel.TimelineRing
	rng       *rand.Rand
	tracer    kernel.Tracer
}

// storage is the memory of one buffer. Exactly one slice is in use.
type storage struct {
	buf *kernel.Buffer
	u32 []uint32
	f32 []float32
	f64 []float64
	raw []byte // records
}

// New returns a CPU backend.
func New(o Options) *Backend {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = math.MaxInt64
		if n := sysinfo.Memory(); n > 0 {
			o.MaxBytes = int64(n)
		}
	}
	return &Backend{
		opts:   o,
		pool:   newPool(o.Threads),
		memory: map[*kernel.Buffer]*storage{},
		rng:    rand.New(rand.NewPCG(o.ShuffleSeed, 1)),
	}
}

// Name returns "cpu".
func (*Backend) Name() string { return "cpu" }

// Device names the processor and the number of threads used.
func (b *Backend) Device() string {
	name, _ := sysinfo.Processor()
	if name == "" {
		name = runtime.GOARCH
	}
	return fmt.Sprintf("%s (%d threads)", name, b.opts.Threads)
}

// Close stops the pool.
func (b *Backend) Close() { b.pool.close() }

// Alloc implements kernel.Backend.
func (b *Backend) Alloc(buf *kernel.Buffer) error {
	if b.memory[buf] != nil {
		return fmt.Errorf("cpu: buffer %s is allocated already", buf.Name)
	}
	if buf.Len < 0 || buf.Elem.Size() == 0 {
		return fmt.Errorf("cpu: buffer %s: no storage for %d elements of %q", buf.Name, buf.Len, buf.Elem)
	}
	if n := b.sizeOf(buf); n > b.opts.MaxBytes-b.bytes {
		return fmt.Errorf("cpu: out of memory: buffer %s needs %d bytes, and %d of %d are in use", buf.Name, n, b.bytes, b.opts.MaxBytes)
	}
	kernel.BeginWork(b.tracer, kernel.HostAllocate, buf.Name)
	defer kernel.EndWork(b.tracer)
	b.bytes += b.sizeOf(buf)
	s := &storage{buf: buf}
	switch {
	case buf.Elem == kernel.U32:
		s.u32 = make([]uint32, buf.Len)
	case buf.Elem == kernel.Real && b.opts.Float64:
		s.f64 = make([]float64, buf.Len)
	case buf.Elem == kernel.Real:
		s.f32 = make([]float32, buf.Len)
	default:
		words := make([]uint32, buf.Len*buf.Elem.Size()/4) // aligned for any record
		s.raw = asBytes(words)
	}
	b.memory[buf] = s
	return nil
}

// sizeOf is the size of a buffer here.
func (b *Backend) sizeOf(buf *kernel.Buffer) int64 {
	if buf.Elem == kernel.Real && b.opts.Float64 {
		return 2 * buf.Bytes()
	}
	return buf.Bytes()
}

// Free implements kernel.Backend.
func (b *Backend) Free(buf *kernel.Buffer) {
	if b.memory[buf] != nil {
		b.bytes -= b.sizeOf(buf)
		delete(b.memory, buf)
	}
}

// SetTracer implements kernel.Traced. nil ends telling.
func (b *Backend) SetTracer(t kernel.Tracer) { b.tracer = t }

// Submit implements kernel.Backend; it returns when the work is done.
func (b *Backend) Submit(p kernel.Program, times int) error {
	kernel.BeginWork(b.tracer, kernel.HostSubmit, "programs")
	defer kernel.EndWork(b.tracer)
	prog, ok := p.(*program)
	if !ok {
		return fmt.Errorf("cpu: program of another backend: %T", p)
	}
	for range times {
		if b.opts.Checked {
			b.poisonScratch(prog)
		}
		if b.opts.Profile {
			b.measure(prog)
			continue
		}
		for i := range prog.ops {
			b.run(&prog.ops[i])
		}
	}
	return nil
}

// Wait implements kernel.Backend; Submit leaves nothing to wait for.
func (b *Backend) Wait() error { return nil }

// run executes one dispatch on the pool.
func (b *Backend) run(op *operation) {
	groups := op.groups
	if op.indirect != nil {
		x, y := op.indirect.u32[3*op.entry], op.indirect.u32[3*op.entry+1]
		groups = int(x) * int(y)
	}
	if b.opts.Checked {
		b.runChecked(op, groups)
		return
	}
	b.pool.run(op, groups, nil)
}

func asBytes[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
