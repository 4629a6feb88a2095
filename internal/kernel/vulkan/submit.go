package vulkan

import (
	"fmt"

	"splat/internal/kernel"
	"splat/internal/vk"
)

// Submit implements kernel.Backend. It waits only while as many submissions are in
// flight as are allowed, or, where options ask for it, for the device.
func (b *Backend) Submit(p kernel.Program, times int) error {
	prog, ok := p.(*program)
	if !ok || prog.backend != b {
		return fmt.Errorf("vulkan: program of another backend: %T", p)
	}
	if !b.programs[prog] {
		return fmt.Errorf("vulkan: recording %s was compiled for buffers that are no more", prog.rec.Name)
	}
	if err := b.flush(); err != nil {
		return err
	}
	if b.opts.Sync || b.opts.Rerecord || b.timings.on {
		return b.submitSlowly(prog, times)
	}
	if times <= 0 {
		return nil
	}
	if err := b.queue.throttle(); err != nil {
		return err
	}
	lists := b.queue.lists[:0]
	for range times {
		lists = append(lists, prog.commands)
	}
	return b.fly(lists)
}

// fly submits lists and, after them, the copies of what the host watches.
func (b *Backend) fly(lists []*vk.Commands) error {
	if c := b.watch.list(); c != nil {
		lists = append(lists, c)
	}
	b.queue.lists = lists
	n, err := b.queue.submit(lists...)
	if err != nil {
		return err
	}
	b.watch.note(n)
	b.queue.flights = append(b.queue.flights, n)
	return nil
}

// submitSlowly runs a program in the ways that are for comparison and for measuring:
// with a wait after each dispatch, recorded anew each time, or with timestamps, which a
// second run in flight would overwrite.
func (b *Backend) submitSlowly(p *program, times int) error {
	for range times {
		if b.opts.Rerecord {
			if err := b.queue.wait(); err != nil {
				return err
			}
			p.freeLists()
			if err := p.record(); err != nil {
				return err
			}
		}
		for _, c := range p.singles {
			if _, err := b.queue.submit(c); err != nil {
				return err
			}
			if err := b.queue.wait(); err != nil {
				return err
			}
		}
		var lists []*vk.Commands
		if p.commands != nil {
			lists = append(lists, p.commands)
		}
		if err := b.fly(lists); err != nil {
			return err
		}
		if p.stamps != nil {
			if err := b.queue.wait(); err != nil {
				return err
			}
			if err := b.timings.add(p); err != nil {
				return err
			}
		}
	}
	return nil
}
