package cpu

import (
	"fmt"
	"unsafe"

	"splat/internal/kernel"
)

// WriteBytes implements kernel.Backend. In float64 mode reals are widened.
func (b *Backend) WriteBytes(buf *kernel.Buffer, at int, data []byte) error {
	s, err := b.span(buf, at, len(data))
	if err != nil {
		return err
	}
	if s.f64 != nil {
		for i, v := range float32s(data) {
			s.f64[at+i] = float64(v)
		}
		return nil
	}
	copy(s.bytes()[at*buf.Elem.Size():], data)
	return nil
}

// ReadBytes implements kernel.Backend. In float64 mode reals are rounded.
func (b *Backend) ReadBytes(buf *kernel.Buffer, at int, data []byte) error {
	s, err := b.span(buf, at, len(data))
	if err != nil {
		return err
	}
	if s.f64 != nil {
		out := float32s(data)
		for i := range out {
			out[i] = float32(s.f64[at+i])
		}
		return nil
	}
	copy(data, s.bytes()[at*buf.Elem.Size():])
	return nil
}

// Peek implements kernel.Backend: nothing is ever in flight.
func (b *Backend) Peek(buf *kernel.Buffer, at int, data []byte) error {
	if !buf.Watched {
		return fmt.Errorf("cpu: buffer %s is not watched", buf.Name)
	}
	return b.ReadBytes(buf, at, data)
}

// Copy implements kernel.Backend.
func (b *Backend) Copy(to, from *kernel.Buffer) error {
	dst, src := b.memory[to], b.memory[from]
	if dst == nil || src == nil || to.Elem != from.Elem {
		return fmt.Errorf("cpu: cannot copy buffer %s to %s", from.Name, to.Name)
	}
	copy(dst.bytes(), src.bytes())
	return nil
}

// Reals64 gives direct access to a real buffer of a float64 backend, for
// gradient checks.
func (b *Backend) Reals64(buf *kernel.Buffer) []float64 { return b.memory[buf].f64 }

func (b *Backend) span(buf *kernel.Buffer, at, bytes int) (*storage, error) {
	s := b.memory[buf]
	if s == nil {
		return nil, fmt.Errorf("cpu: buffer %s is not allocated", buf.Name)
	}
	n := bytes / buf.Elem.Size()
	if bytes%buf.Elem.Size() != 0 || at < 0 || at+n > buf.Len {
		return nil, fmt.Errorf("cpu: buffer %s has %d elements, asked for %d..%d", buf.Name, buf.Len, at, at+n)
	}
	return s, nil
}

// bytes is the raw memory of a buffer.
func (s *storage) bytes() []byte {
	switch {
	case s.u32 != nil:
		return asBytes(s.u32)
	case s.f32 != nil:
		return asBytes(s.f32)
	case s.f64 != nil:
		return asBytes(s.f64)
	}
	return s.raw
}

func float32s(data []byte) []float32 {
	if len(data) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&data[0])), len(data)/4)
}
