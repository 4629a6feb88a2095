package twin

import (
	"fmt"

	"splat/internal/kernel"
)

// program is a compiled recording: one program of the device, or parts that run
// one after the other.
type program struct {
	rec   *kernel.Recording
	whole *devicePart
	parts []runner
}

// Recording implements kernel.Program.
func (p *program) Recording() *kernel.Recording { return p.rec }

// runner is a part of a recording.
type runner interface{ run(b *Backend) error }

// side says where a dispatch runs.
type side uint8

const (
	onDevice side = iota
	onHost
	onBoth
)

// Compile implements kernel.Backend.
func (b *Backend) Compile(r *kernel.Recording) (kernel.Program, error) {
	sides := b.sides(r)
	p := &program{rec: r}
	for at := 0; at < len(sides); {
		end := at + 1
		for end < len(sides) && sides[end] == sides[at] && sides[at] != onBoth {
			end++
		}
		if end-at == len(sides) && sides[at] == onDevice {
			break
		}
		next, err := b.part(r, at, end, sides[at])
		if err != nil {
			return nil, err
		}
		p.parts = append(p.parts, next)
		at = end
	}
	if len(p.parts) > 0 {
		return p, nil
	}
	var err error
	p.whole, err = b.devicePart(r)
	return p, err
}

// sides decides where each dispatch runs.
func (b *Backend) sides(r *kernel.Recording) []side {
	out := make([]side, len(r.Dispatches))
	before := b.takeover(r)
	for i := range r.Dispatches {
		d := &r.Dispatches[i]
		host, checked := b.onHost.chooses(d), b.checked.chooses(d)
		switch {
		case host || i < before:
			out[i] = onHost
		case checked:
			out[i] = onBoth
		}
	}
	return out
}

// takeover is the number of dispatches that From leaves to the host. A kernel of
// that name goes before a stage of that name, which may begin earlier.
func (b *Backend) takeover(r *kernel.Recording) int {
	for i := range r.Dispatches {
		if r.Dispatches[i].Kernel.Name == b.opts.From && b.from.chooses(&r.Dispatches[i]) {
			return i
		}
	}
	for i := range r.Dispatches {
		if b.from.chooses(&r.Dispatches[i]) {
			return i
		}
	}
	return 0
}

// part compiles dispatches from..to of r for one side.
func (b *Backend) part(r *kernel.Recording, from, to int, where side) (runner, error) {
	sub := &kernel.Recording{Name: fmt.Sprintf("%s %d..%d", r.Name, from+1, to), Dispatches: r.Dispatches[from:to]}
	switch where {
	case onHost:
		return b.hostPart(sub)
	case onBoth:
		return b.checkPart(sub, r, from)
	}
	return b.devicePart(sub)
}

// written lists the buffers that a recording writes, each once.
func written(r *kernel.Recording) (out []*kernel.Buffer) {
	seen := map[*kernel.Buffer]bool{}
	for _, d := range r.Dispatches {
		for i, buf := range d.Buffers {
			if d.Kernel.Bindings[i].Access.Writes() && !seen[buf] {
				seen[buf] = true
				out = append(out, buf)
			}
		}
	}
	return out
}

// devicePart is what the device runs.
type devicePart struct {
	program kernel.Program
	written []*kernel.Buffer
}

func (b *Backend) devicePart(sub *kernel.Recording) (*devicePart, error) {
	p, err := b.device.Compile(sub)
	return &devicePart{p, written(sub)}, err
}

func (p *devicePart) run(b *Backend) error { return p.submit(b, 1) }

func (p *devicePart) submit(b *Backend, times int) error {
	b.outdate(p.written...)
	return b.device.Submit(p.program, times)
}

// hostPart is what the host runs.
type hostPart struct {
	program kernel.Program
	// Everything bound is fetched, also what is only written: a kernel may leave
	// parts of that, or all of it, as they were.
	bound, written []*shadow
}

func (b *Backend) hostPart(sub *kernel.Recording) (*hostPart, error) {
	p := &hostPart{}
	var err error
	if p.bound, err = b.shadowsOf(sub.Buffers()); err != nil {
		return nil, err
	}
	if p.written, err = b.shadowsOf(written(sub)); err != nil {
		return nil, err
	}
	p.program, err = b.host.Compile(b.reflected(sub))
	return p, err
}

func (b *Backend) shadowsOf(bufs []*kernel.Buffer) (out []*shadow, err error) {
	for _, buf := range bufs {
		s, err := b.shadowOf(buf)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// reflected is a recording on the shadows of its buffers, which exist.
func (b *Backend) reflected(sub *kernel.Recording) *kernel.Recording {
	out := &kernel.Recording{Name: sub.Name}
	for _, d := range sub.Dispatches {
		bufs := d.Buffers
		d.Buffers = nil
		for _, buf := range bufs {
			d.Buffers = append(d.Buffers, b.shadows[buf].on)
		}
		if d.Indirect != nil {
			d.Indirect = b.shadows[d.Indirect].on
		}
		out.Dispatches = append(out.Dispatches, d)
	}
	return out
}

func (p *hostPart) run(b *Backend) error {
	for _, s := range p.bound {
		if err := b.fetch(s); err != nil {
			return err
		}
	}
	for _, s := range p.written {
		s.stale = true // until it has been delivered
	}
	if err := runHost(b.host, p.program); err != nil {
		return err
	}
	for _, s := range p.written {
		if err := b.deliver(s); err != nil {
			return err
		}
	}
	return nil
}

func runHost(host kernel.Backend, p kernel.Program) error {
	if err := host.Submit(p, 1); err != nil {
		return err
	}
	return host.Wait()
}
