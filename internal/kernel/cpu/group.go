package cpu

import (
	"fmt"
	"unsafe"

	"splat/internal/kernel"
)

// Float is the arithmetic type of a kernel.
type Float interface{ float32 | float64 }

// Group is one workgroup of a dispatch as the kernel function sees it. The
// function loops over the workgroup's invocations itself; a barrier of the shader
// is the end of such a loop.
type Group struct {
	ID int // flat workgroup id
	op *operation

	arena  []byte // the workgroup's shared memory, reused
	offset int
}

// Constant returns the value of the constant called name.
func (g *Group) Constant(name string) int {
	for i, c := range g.op.contract.Constants {
		if c == name {
			return int(g.op.constants[i])
		}
	}
	panic("cpu: kernel " + g.op.contract.Name + " has no constant " + name)
}

// Span returns the range of flat invocation ids of this workgroup, cut to n.
func (g *Group) Span(n uint32) (from, to int) { return g.Block(n, g.op.contract.Group) }

// Block returns the range of elements of this workgroup when each takes per, cut
// to n.
func (g *Group) Block(n uint32, per int) (from, to int) {
	from = g.ID * per
	return min(from, int(n)), min(from+per, int(n))
}

func (g *Group) binding(name string, elem kernel.Elem) *storage {
	for i := range g.op.contract.Bindings {
		b := &g.op.contract.Bindings[i]
		if b.Name == name {
			if elem != "" && b.Elem != elem {
				panic(fmt.Sprintf("cpu: kernel %s: binding %s is %s", g.op.contract.Name, name, b.Elem))
			}
			return g.op.buffers[i]
		}
	}
	panic("cpu: kernel " + g.op.contract.Name + " has no binding " + name)
}

// words returns the u32 binding called name.
func words(g *Group, name string) []uint32 { return g.binding(name, kernel.U32).u32 }

// reals returns the real binding called name.
func reals[F Float](g *Group, name string) []F {
	s := g.binding(name, kernel.Real)
	if is32[F]() {
		return *(*[]F)(unsafe.Pointer(&s.f32))
	}
	return *(*[]F)(unsafe.Pointer(&s.f64))
}

// record returns the first record of the binding called name.
func record[T kernel.Record](g *Group, name string) *T {
	return (*T)(unsafe.Pointer(&g.binding(name, "").raw[0]))
}

// records returns the binding called name as a slice of records.
func records[T kernel.Record](g *Group, name string) []T {
	s := g.binding(name, "")
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(&s.raw[0])), len(s.raw)/int(unsafe.Sizeof(t)))
}

// is32 reports whether F is float32; the compiler resolves it per instantiation.
func is32[F Float]() bool { var f F; return unsafe.Sizeof(f) == 4 }

// shared returns n elements of the workgroup's shared memory, uninitialised. The
// memory lives until the workgroup ends. T must hold no pointers.
func shared[T any](g *Group, n int) []T {
	var t T
	size := (n*int(unsafe.Sizeof(t)) + 63) &^ 63
	if g.offset+size > len(g.arena) {
		g.arena = make([]byte, max(2*len(g.arena), g.offset+size, 1<<16))
		g.offset = 0 // slices handed out before keep the old arena alive
	}
	p := unsafe.Pointer(&g.arena[g.offset])
	g.offset += size
	return unsafe.Slice((*T)(p), n)
}
