package vulkan

import (
	"errors"
	"fmt"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/kerneltest"
)

// guardLen is the number of elements behind each buffer that must stay what they are.
const guardLen = 64

// guardByte fills them.
const guardByte = 0xA5

// guarded is a backend whose buffers are longer than they say. After each submission it
// looks at what lies behind those that were bound.
type guarded struct {
	kernel.Backend
	longer map[*kernel.Buffer]*kernel.Buffer
	folded *kernel.Buffer // arguments of dispatches, folded into y; nil: they stay
}

type guardedProgram struct {
	kernel.Program
	said *kernel.Recording
}

func (p guardedProgram) Recording() *kernel.Recording { return p.said }

func guard(t *testing.T, be kernel.Backend, fold bool) *guarded {
	g := &guarded{Backend: be, longer: map[*kernel.Buffer]*kernel.Buffer{}}
	if fold {
		g.folded = &kernel.Buffer{Name: "folded", Elem: kernel.U32, Len: 3, Persistent: true}
		must(t, be.Alloc(g.folded))
	}
	return g
}

func (g *guarded) Alloc(b *kernel.Buffer) error {
	long := *b
	long.Len += guardLen
	g.longer[b] = &long
	return errors.Join(g.Backend.Alloc(&long), g.Backend.WriteBytes(&long, b.Len, guardOf(b)))
}

// guardOf is what lies behind a buffer.
func guardOf(b *kernel.Buffer) []byte {
	data := make([]byte, guardLen*b.Elem.Size())
	for i := range data {
		data[i] = guardByte
	}
	return data
}

func (g *guarded) Free(b *kernel.Buffer) {
	g.Backend.Free(g.longer[b])
	delete(g.longer, b)
}

func (g *guarded) WriteBytes(b *kernel.Buffer, at int, data []byte) error {
	return g.Backend.WriteBytes(g.longer[b], at, data)
}

func (g *guarded) ReadBytes(b *kernel.Buffer, at int, data []byte) error {
	return g.Backend.ReadBytes(g.longer[b], at, data)
}

func (g *guarded) Compile(r *kernel.Recording) (kernel.Program, error) {
	long := &kernel.Recording{Name: r.Name}
	for _, d := range r.Dispatches {
		buffers := make([]*kernel.Buffer, len(d.Buffers))
		for i, b := range d.Buffers {
			buffers[i] = g.longer[b]
		}
		d.Buffers = buffers
		switch {
		case d.Indirect != nil && g.folded != nil:
			d.Indirect, d.Entry = g.folded, 0
		case d.Indirect != nil:
			d.Indirect = g.longer[d.Indirect]
		}
		long.Dispatches = append(long.Dispatches, d)
	}
	p, err := g.Backend.Compile(long)
	return guardedProgram{p, r}, err
}

// Submit runs a recording of one dispatch.
func (g *guarded) Submit(p kernel.Program, times int) error {
	d := p.Recording().Dispatches[0]
	if d.Indirect != nil && g.folded != nil {
		if err := g.fold(d); err != nil {
			return err
		}
	}
	if err := g.Backend.Submit(p.(guardedProgram).Program, times); err != nil {
		return err
	}
	return g.check(d)
}

// fold spreads the workgroups of a dispatch over three rows, with some to spare.
func (g *guarded) fold(d kernel.Dispatch) error {
	args := make([]uint32, 3)
	if err := kernel.ReadSlice(g, d.Indirect, 3*d.Entry, args); err != nil {
		return err
	}
	if n := args[0] * args[1]; n > 1 { // some kernels are made for one workgroup
		args = []uint32{(n + 2) / 3, 3, 1}
	}
	return kernel.WriteSlice(g.Backend, g.folded, 0, args)
}

// check looks behind the buffers of a dispatch.
func (g *guarded) check(d kernel.Dispatch) error {
	for i, b := range d.Buffers {
		data := make([]byte, guardLen*b.Elem.Size())
		if err := g.ReadBytes(b, b.Len, data); err != nil {
			return err
		}
		for k, v := range data {
			if v != guardByte {
				return fmt.Errorf("%s: byte %d behind the %d elements was written", d.Kernel.Bindings[i].Name, k, b.Len)
			}
		}
	}
	return nil
}

// No kernel writes behind its buffers, and each finds its work when the workgroups are
// spread over rows, with more of them than there is work.
func TestGuardsAndRows(t *testing.T) {
	for name, fold := range map[string]bool{"one row": false, "three rows": true} {
		t.Run(name, func(t *testing.T) {
			be := guard(t, openTest(t, Options{}), fold)
			check(t, be, kerneltest.Scenarios())
		})
	}
}

// check plays scenarios on a backend.
func check(t *testing.T, be kernel.Backend, scenarios []kerneltest.Scenario) {
	t.Helper()
	kerneltest.Check(be, kerneltest.Options{Scenarios: scenarios, Watch: func(p kerneltest.Progress) {
		if p.Dispatches == 0 {
			t.Errorf("%s: no dispatch was compared", p.Scenario)
		}
		for _, f := range p.Failures {
			t.Errorf("%s: %s", p.Scenario, f)
		}
	}})
}

// A kernel that writes behind its buffer is found.
func TestGuardsSeeWrites(t *testing.T) {
	be := guard(t, openTest(t, Options{}), false)
	b := &kernel.Buffer{Name: "b", Elem: kernel.U32, Len: 4}
	must(t, be.Alloc(b))
	d := kernel.Dispatch{Kernel: kernel.ScanReduce, Buffers: []*kernel.Buffer{b}}
	must(t, be.check(d))
	must(t, kernel.WriteSlice(be.Backend, be.longer[b], 5, []uint32{1}))
	if be.check(d) == nil {
		t.Error("a word behind the buffer was written, nothing is said")
	}
}
