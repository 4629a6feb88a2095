package vulkan

import (
	"fmt"

	"splat/internal/kernel"
	"splat/internal/vk"
)

// program is a recording on this device: pipelines, one descriptor set a dispatch and
// the command list.
type program struct {
	backend  *Backend
	rec      *kernel.Recording
	ops      []operation
	sets     *vk.Descriptors
	commands *vk.Commands   // all of it
	singles  []*vk.Commands // a dispatch each, where the host waits after each
	probes   []probe        // with timestamps, where programs are measured
	brackets []probe        // plain, between two timestamps
}

// operation is a dispatch with everything looked up.
type operation struct {
	pipeline *vk.Pipeline
	pushed   []uint32
	x, y     uint32
	indirect *vk.Buffer // nil: direct
	offset   int64
	barrier  vk.BarrierKind // between it and the dispatches before it; 0: none is needed
}

// Recording implements kernel.Program.
func (p *program) Recording() *kernel.Recording { return p.rec }

// Compile implements kernel.Backend.
func (b *Backend) Compile(r *kernel.Recording) (kernel.Program, error) {
	kernel.BeginWork(b.queue.tracer, kernel.HostRecord, r.Name)
	defer kernel.EndWork(b.queue.tracer)
	p := &program{backend: b, rec: r, ops: make([]operation, len(r.Dispatches))}
	if err := p.build(); err != nil {
		p.free()
		return nil, fmt.Errorf("vulkan: recording %s: %w", r.Name, err)
	}
	b.programs[p] = true
	b.order = append(b.order, p)
	return p, nil
}

func (p *program) build() error {
	kernel.BeginWork(p.backend.queue.tracer, kernel.HostBuild, "pipelines")
	err := p.backend.pipelines.prepare(p.rec)
	kernel.EndWork(p.backend.queue.tracer)
	if err != nil {
		return err
	}
	sets := make([]vk.SetSpec, len(p.ops))
	for i := range p.rec.Dispatches {
		d := &p.rec.Dispatches[i]
		op, buffers, err := p.backend.operation(d)
		if err != nil {
			return fmt.Errorf("kernel %s: %w", d.Kernel.Name, err)
		}
		p.ops[i], sets[i] = op, vk.SetSpec{Pipeline: op.pipeline, Buffers: buffers}
	}
	p.placeBarriers()
	if p.sets, err = p.backend.device.NewDescriptors(sets); err != nil {
		return err
	}
	if err := p.makeProbes(); err != nil {
		return err
	}
	return p.record()
}

// placeBarriers puts a barrier where the recording says that a dispatch must wait. Only a
// dispatch whose arguments were written since the last such barrier makes the device wait
// with reading arguments too, which on some devices drains the whole queue.
func (p *program) placeBarriers() {
	written := map[*kernel.Buffer]bool{}
	for i, wait := range p.rec.Barriers() {
		d := &p.rec.Dispatches[i]
		if wait {
			p.ops[i].barrier = vk.ComputeToCompute
		}
		if d.Indirect != nil && written[d.Indirect] {
			p.ops[i].barrier |= vk.ComputeToIndirect
			clear(written)
		}
		if i > 0 && i == p.backend.opts.DropBarrier {
			p.ops[i].barrier = 0
		}
		for k, b := range d.Buffers {
			if d.Kernel.Bindings[k].Access.Writes() {
				written[b] = true
			}
		}
	}
}

// operation looks up what a dispatch needs.
func (b *Backend) operation(d *kernel.Dispatch) (op operation, buffers []*vk.Buffer, err error) {
	if op.pipeline, op.pushed, err = b.pipelines.get(d); err != nil {
		return op, nil, err
	}
	for _, buf := range d.Buffers {
		m, err := b.storage(buf)
		if err != nil {
			return op, nil, err
		}
		buffers = append(buffers, m)
	}
	op.x, op.y = kernel.FoldGroups(uint32(d.Groups))
	if d.Indirect != nil {
		op.offset = int64(12 * d.Entry)
		op.indirect, err = b.storage(d.Indirect)
	}
	return op, buffers, err
}

// record records the command list, or a list a dispatch where the host is to wait after
// each.
func (p *program) record() (err error) {
	kernel.BeginWork(p.backend.queue.tracer, kernel.HostRecord, "command list")
	defer kernel.EndWork(p.backend.queue.tracer)
	if p.backend.opts.Sync {
		p.singles = make([]*vk.Commands, len(p.ops))
		for i := range p.ops {
			if p.singles[i], err = p.list(i, i+1); err != nil {
				return err
			}
		}
		return nil
	}
	p.commands, err = p.list(0, len(p.ops))
	return err
}

// everything is the barrier at the start of a list, which waits for all lists before it.
const everything = vk.ComputeToCompute | vk.ComputeToIndirect | vk.TransferToCompute | vk.TransferToIndirect

// list records dispatches [from, to).
func (p *program) list(from, to int) (*vk.Commands, error) {
	c, err := p.backend.device.NewCommands(true)
	if err != nil {
		return nil, err
	}
	c.Barrier(everything)
	for i := from; i < to; i++ {
		p.dispatch(c, i, i > from)
	}
	if err := c.End(); err != nil {
		c.Free()
		return nil, err
	}
	return c, nil
}

func (p *program) dispatch(c *vk.Commands, i int, inside bool) {
	op := &p.ops[i]
	if op.barrier != 0 && inside {
		c.Barrier(op.barrier)
	}
	p.launch(c, i)
}

// launch records a dispatch without its barrier.
func (p *program) launch(c *vk.Commands, i int) {
	op := &p.ops[i]
	c.Bind(op.pipeline, p.sets, i)
	if len(op.pushed) > 0 {
		c.Push(op.pipeline, op.pushed)
	}
	if op.indirect != nil {
		c.DispatchIndirect(op.indirect, op.offset)
	} else {
		c.Dispatch(op.x, op.y, 1)
	}
}

// free releases what the program holds; nothing of it may be in flight.
func (p *program) free() {
	p.freeLists()
	if p.sets != nil {
		p.sets.Free()
	}
	for i := range p.probes {
		p.probes[i].free()
		p.brackets[i].free()
	}
}

func (p *program) freeLists() {
	for _, c := range p.singles {
		if c != nil {
			c.Free()
		}
	}
	if p.commands != nil {
		p.commands.Free()
	}
	p.singles, p.commands = nil, nil
}
