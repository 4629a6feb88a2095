// Package null is a backend that plans and does nothing: it checks recordings,
// adds up memory and returns zeros. Memory estimates and tests of planning use
// it; it needs no memory for what it "allocates".
package null

import (
	"fmt"

	"splat/internal/kernel"
)

// Backend counts what it is asked for. It implements kernel.Backend.
type Backend struct {
	sizes      map[*kernel.Buffer]int64
	bytes      int64
	peak       int64
	dispatches int
}

// New returns an empty null backend.
func New() *Backend { return &Backend{sizes: map[*kernel.Buffer]int64{}} }

type program struct{ rec *kernel.Recording }

func (p program) Recording() *kernel.Recording { return p.rec }

// Name returns "null".
func (*Backend) Name() string { return "null" }

// Device returns "none".
func (*Backend) Device() string { return "none" }

// Bytes returns what is allocated now, Peak the most that ever was.
func (b *Backend) Bytes() int64 { return b.bytes }

// Peak returns the largest value that Bytes ever had.
func (b *Backend) Peak() int64 { return b.peak }

// Dispatches returns the number of dispatches submitted, no-ops included.
func (b *Backend) Dispatches() int { return b.dispatches }

// Alloc implements kernel.Backend.
func (b *Backend) Alloc(buf *kernel.Buffer) error {
	if _, ok := b.sizes[buf]; ok {
		return fmt.Errorf("null: buffer %s is allocated already", buf.Name)
	}
	if buf.Len < 0 || buf.Elem.Size() == 0 {
		return fmt.Errorf("null: buffer %s: no storage for %d elements of %q", buf.Name, buf.Len, buf.Elem)
	}
	b.sizes[buf] = buf.Bytes()
	b.bytes += buf.Bytes()
	b.peak = max(b.peak, b.bytes)
	return nil
}

// Free implements kernel.Backend.
func (b *Backend) Free(buf *kernel.Buffer) {
	b.bytes -= b.sizes[buf]
	delete(b.sizes, buf)
}

// WriteBytes implements kernel.Backend; the data is dropped.
func (b *Backend) WriteBytes(buf *kernel.Buffer, at int, data []byte) error {
	return b.check(buf, at, len(data))
}

// ReadBytes implements kernel.Backend; it delivers zeros.
func (b *Backend) ReadBytes(buf *kernel.Buffer, at int, data []byte) error {
	clear(data)
	return b.check(buf, at, len(data))
}

// Peek implements kernel.Backend: everything is 0.
func (b *Backend) Peek(buf *kernel.Buffer, at int, data []byte) error {
	clear(data)
	return b.check(buf, at, len(data))
}

func (b *Backend) check(buf *kernel.Buffer, at, bytes int) error {
	if _, ok := b.sizes[buf]; !ok {
		return fmt.Errorf("null: buffer %s is not allocated", buf.Name)
	}
	if at < 0 || int64(at)*int64(buf.Elem.Size())+int64(bytes) > buf.Bytes() {
		return fmt.Errorf("null: buffer %s has %d elements, asked for %d bytes at %d", buf.Name, buf.Len, bytes, at)
	}
	return nil
}

// Copy implements kernel.Backend.
func (b *Backend) Copy(to, from *kernel.Buffer) error {
	if err := b.check(to, 0, 0); err != nil {
		return err
	}
	return b.check(from, 0, 0)
}

// Compile implements kernel.Backend: every buffer must be allocated.
func (b *Backend) Compile(r *kernel.Recording) (kernel.Program, error) {
	for _, buf := range r.Buffers() {
		if err := b.check(buf, 0, 0); err != nil {
			return nil, fmt.Errorf("recording %s: %w", r.Name, err)
		}
	}
	return program{r}, nil
}

// Submit implements kernel.Backend.
func (b *Backend) Submit(p kernel.Program, times int) error {
	b.dispatches += times * len(p.Recording().Dispatches)
	return nil
}

// Wait implements kernel.Backend.
func (*Backend) Wait() error { return nil }

// Timelines implements kernel.Backend: nothing runs, so nothing is measured.
func (*Backend) Timelines(func(kernel.Timeline)) {}

// Close implements kernel.Backend.
func (*Backend) Close() {}
