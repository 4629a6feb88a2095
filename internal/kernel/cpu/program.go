package cpu

import (
	"fmt"

	"splat/internal/kernel"
)

// program is a recording with its buffers and functions looked up.
type program struct {
	rec   *kernel.Recording
	ops   []operation
	state *storage // of the control record, nil where there is none
}

// Recording implements kernel.Program.
func (p *program) Recording() *kernel.Recording { return p.rec }

// operation is one dispatch ready to run.
type operation struct {
	run       func(*Group)
	contract  *kernel.Contract
	buffers   []*storage
	constants []uint32
	groups    int
	indirect  *storage
	entry     int
	stage     string
}

// Compile implements kernel.Backend.
func (b *Backend) Compile(r *kernel.Recording) (kernel.Program, error) {
	p := &program{rec: r, ops: make([]operation, len(r.Dispatches)), state: b.memory[r.State()]}
	for i, d := range r.Dispatches {
		t, ok := twins[d.Kernel.Name]
		if !ok {
			return nil, fmt.Errorf("cpu: kernel %s has no CPU function", d.Kernel.Name)
		}
		op := &p.ops[i]
		*op = operation{run: t.f32, contract: d.Kernel, constants: d.Constants, groups: d.Groups, entry: d.Entry, stage: d.Stage}
		switch {
		case b.opts.Float64:
			op.run = t.f64
		case t.native != nil && !b.opts.Reference:
			op.run = t.native
		}
		for _, buf := range d.Buffers {
			s := b.memory[buf]
			if s == nil {
				return nil, fmt.Errorf("cpu: recording %s: kernel %s: buffer %s is not allocated", r.Name, d.Kernel.Name, buf.Name)
			}
			op.buffers = append(op.buffers, s)
		}
		if d.Indirect != nil {
			if op.indirect = b.memory[d.Indirect]; op.indirect == nil {
				return nil, fmt.Errorf("cpu: recording %s: kernel %s: argument buffer %s is not allocated", r.Name, d.Kernel.Name, d.Indirect.Name)
			}
		}
	}
	return p, nil
}

// twin is the CPU function of a kernel at both precisions, and a faster one for
// float32 where there is one.
type twin struct{ f32, f64, native func(*Group) }

var twins = map[string]*twin{}

// register attaches the CPU function of a contract, in one line beside it.
func register(c *kernel.Contract, f32, f64 func(*Group)) bool {
	if _, dup := twins[c.Name]; dup {
		panic("cpu: kernel " + c.Name + " registered twice")
	}
	twins[c.Name] = &twin{f32: f32, f64: f64}
	return true
}

// accelerate attaches a faster float32 function to a contract, which does the
// same within the tolerances of the contract's conformance case.
func accelerate(c *kernel.Contract, native func(*Group)) bool {
	natives = append(natives, func() { twins[c.Name].native = native })
	return true
}

// natives attach the faster functions once all twins are registered, whatever
// order the files are initialised in.
var natives []func()

func init() {
	for _, attach := range natives {
		attach()
	}
}

// Has reports whether the kernel called name has a CPU function.
func Has(name string) bool { _, ok := twins[name]; return ok }
