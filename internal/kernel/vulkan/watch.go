package vulkan

import (
	"fmt"
	"slices"

	"splat/internal/kernel"
	"splat/internal/vk"
)

// watch copies the watched buffers at the end of each submission that ran a program to
// memory that the host reads. Submissions take turns at the places, one more than can be
// in flight, so the newest complete copy is never being written.
type watch struct {
	buffers []*kernel.Buffer
	offsets map[*kernel.Buffer]int64
	places  []place
	turn    int
}

// place is one copy of all watched buffers.
type place struct {
	memory     *vk.Buffer
	commands   *vk.Commands
	submission uint64 // that wrote it last; 0: none
}

// watchMore adds a buffer.
func (b *Backend) watchMore(buf *kernel.Buffer) error {
	b.watch.buffers = append(b.watch.buffers, buf)
	return b.rewatch()
}

// watchLess leaves a buffer out.
func (b *Backend) watchLess(buf *kernel.Buffer) {
	if i := slices.Index(b.watch.buffers, buf); i >= 0 {
		b.watch.buffers = slices.Delete(b.watch.buffers, i, i+1)
		_ = b.rewatch() // without copies, Peek says so
	}
}

// rewatch makes the places anew for the buffers there are.
func (b *Backend) rewatch() error {
	if err := b.Wait(); err != nil {
		return err
	}
	w := &b.watch
	w.close()
	w.offsets, w.turn = map[*kernel.Buffer]int64{}, 0
	var size int64
	for _, buf := range w.buffers {
		w.offsets[buf] = size
		size += b.memory[buf].Size()
	}
	if size == 0 {
		return nil
	}
	w.places = make([]place, b.opts.InFlight+1)
	for i := range w.places {
		if err := b.makePlace(&w.places[i], size); err != nil {
			return err
		}
	}
	return nil
}

func (b *Backend) makePlace(p *place, size int64) (err error) {
	if p.memory, err = b.device.NewBuffer("watched", size, vk.ReadbackMemory); err != nil {
		return err
	}
	clear(p.memory.Bytes())
	if p.commands, err = b.device.NewCommands(true); err != nil {
		return err
	}
	p.commands.Barrier(vk.ComputeToTransfer | vk.TransferToTransfer)
	for _, buf := range b.watch.buffers {
		m := b.memory[buf]
		p.commands.Copy(p.memory, b.watch.offsets[buf], m, 0, m.Size())
	}
	p.commands.Barrier(vk.ToHost)
	return p.commands.End()
}

// list returns the copies for the next submission, nil where nothing is watched.
func (w *watch) list() *vk.Commands {
	if len(w.places) == 0 {
		return nil
	}
	w.turn = (w.turn + 1) % len(w.places)
	return w.places[w.turn].commands
}

// note remembers that submission n writes the place whose turn it was.
func (w *watch) note(n uint64) {
	if len(w.places) > 0 {
		w.places[w.turn].submission = n
	}
}

func (w *watch) close() {
	for _, p := range w.places {
		if p.commands != nil {
			p.commands.Free()
		}
		if p.memory != nil {
			p.memory.Free()
		}
	}
	w.places = nil
}

// newest returns the newest place that is complete, nil if none is.
func (w *watch) newest(done uint64) (out *place) {
	for i := range w.places {
		p := &w.places[i]
		if p.submission > 0 && p.submission <= done && (out == nil || p.submission > out.submission) {
			out = p
		}
	}
	return out
}

// Peek implements kernel.Backend.
func (b *Backend) Peek(buf *kernel.Buffer, at int, data []byte) error {
	offset, ok := b.watch.offsets[buf]
	if !ok || len(b.watch.places) == 0 {
		return fmt.Errorf("vulkan: buffer %s is not watched", buf.Name)
	}
	if at < 0 || int64(at*buf.Elem.Size()+len(data)) > buf.Bytes() {
		return fmt.Errorf("vulkan: buffer %s has %d elements, asked for %d bytes from element %d", buf.Name, buf.Len, len(data), at)
	}
	done, err := b.queue.done()
	if err != nil {
		return err
	}
	if p := b.watch.newest(done); p != nil {
		copy(data, p.memory.Bytes()[offset+int64(at*buf.Elem.Size()):])
	} else {
		clear(data)
	}
	return nil
}
