package cpu_test

import (
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// rig runs single kernels on hand-made buffers.
type rig struct {
	t  testing.TB
	be *cpu.Backend
}

func newRig(t testing.TB, o cpu.Options) *rig { return &rig{t, kerneltest.NewCPU(t, o)} }

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// buffer makes a buffer of n elements.
func (r *rig) buffer(name string, elem kernel.Elem, n int) *kernel.Buffer {
	r.t.Helper()
	b := &kernel.Buffer{Name: name, Elem: elem, Len: n, Persistent: true}
	r.must(r.be.Alloc(b))
	return b
}

func (r *rig) words(name string, data ...uint32) *kernel.Buffer {
	r.t.Helper()
	b := r.buffer(name, kernel.U32, len(data))
	r.must(kernel.WriteSlice(r.be, b, 0, data))
	return b
}

func (r *rig) reals(name string, data ...float32) *kernel.Buffer {
	r.t.Helper()
	b := r.buffer(name, kernel.Real, len(data))
	r.must(kernel.WriteSlice(r.be, b, 0, data))
	return b
}

// setRecord stores a record.
func setRecord[T kernel.Record](r *rig, b *kernel.Buffer, rec T) {
	r.t.Helper()
	r.must(kernel.WriteRecord(r.be, b, 0, rec))
}

func newRecord[T kernel.Record](r *rig, name string, elem kernel.Elem, rec T) *kernel.Buffer {
	r.t.Helper()
	b := r.buffer(name, elem, 1)
	setRecord(r, b, rec)
	return b
}

// counts makes a counts buffer with some slots set.
func (r *rig) counts(slots map[int]uint32) *kernel.Buffer {
	r.t.Helper()
	data := make([]uint32, kernel.NumCounts)
	for slot, n := range slots {
		data[slot] = n
	}
	return r.words("counts", data...)
}

// run records, compiles and runs.
func (r *rig) run(record func(rec *kernel.Recording)) {
	r.t.Helper()
	rec := &kernel.Recording{Name: r.t.Name()}
	record(rec)
	p, err := r.be.Compile(rec)
	r.must(err)
	r.must(r.be.Submit(p, 1))
	r.must(r.be.Wait())
}

// kernel runs one kernel.
func (r *rig) kernel(k *kernel.Contract, groups int, args kernel.Args, constants ...uint32) {
	r.t.Helper()
	r.run(func(rec *kernel.Recording) { rec.Direct(k, groups, args, constants...) })
}

func (r *rig) readWords(b *kernel.Buffer, n int) []uint32 {
	r.t.Helper()
	out := make([]uint32, n)
	r.must(kernel.ReadSlice(r.be, b, 0, out))
	return out
}

func (r *rig) readReals(b *kernel.Buffer) []float32 {
	r.t.Helper()
	out := make([]float32, b.Len)
	r.must(kernel.ReadSlice(r.be, b, 0, out))
	return out
}
