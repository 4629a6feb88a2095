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
	b.harvest()
	if b.opts.Sync || b.opts.Rerecord {
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
	return b.fly(lists, b.instrument(prog, lists))
}

// fly submits lists, one of which may be measured, and, after them, the copies of what
// the host watches.
func (b *Backend) fly(lists []*vk.Commands, measured *probe) error {
	if c := b.watch.list(); c != nil {
		lists = append(lists, c)
	}
	b.queue.lists = lists
	n, err := b.queue.submit("programs", lists...)
	if err != nil {
		return err
	}
	b.watch.note(n)
	if measured != nil {
		measured.submission = n
	}
	b.queue.flights = append(b.queue.flights, n)
	return nil
}

// submitSlowly runs a program in the ways that are for comparison: with a wait after each
// dispatch, or recorded anew each time. Measured runs are as they always are.
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
		lists := append(b.queue.lists[:0], p.commands)
		measured := b.instrument(p, lists)
		if measured == nil && b.opts.Sync {
			if err := b.submitSingly(p); err != nil {
				return err
			}
			lists = lists[:0]
		}
		if err := b.fly(lists, measured); err != nil {
			return err
		}
	}
	return nil
}

// submitSingly waits after each dispatch.
func (b *Backend) submitSingly(p *program) error {
	for _, c := range p.singles {
		if _, err := b.queue.submit("dispatches", c); err != nil {
			return err
		}
		if err := b.queue.wait(); err != nil {
			return err
		}
	}
	return nil
}
