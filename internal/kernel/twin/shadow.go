package twin

import (
	"encoding/binary"
	"fmt"

	"splat/internal/kernel"
)

// shadow is a device buffer's counterpart on the host. It is persistent there,
// since it keeps its contents between the parts of a recording.
type shadow struct {
	of, on *kernel.Buffer // the buffer, and its handle on the host
	// stale shadows do not hold what the device holds. Those that nothing has written
	// on the device since (pictures, cameras) are not fetched again.
	stale bool
}

// shadowOf makes the shadow of buf, which is on the device already, or finds it.
func (b *Backend) shadowOf(buf *kernel.Buffer) (*shadow, error) {
	if s := b.shadows[buf]; s != nil {
		return s, nil
	}
	on := &kernel.Buffer{Name: buf.Name, Elem: buf.Elem, Len: buf.Len, Persistent: true}
	if err := b.host.Alloc(on); err != nil {
		return nil, fmt.Errorf("twin: on the host: %w", err)
	}
	s := &shadow{of: buf, on: on, stale: true}
	b.shadows[buf] = s
	return s, nil
}

func (b *Backend) dropShadow(buf *kernel.Buffer) {
	if s := b.shadows[buf]; s != nil {
		b.host.Free(s.on)
		delete(b.shadows, buf)
	}
}

// outdate notes that the device's contents of the buffers change.
func (b *Backend) outdate(bufs ...*kernel.Buffer) {
	for _, buf := range bufs {
		if s := b.shadows[buf]; s != nil {
			s.stale = true
		}
	}
}

// fetch brings a shadow up to date.
func (b *Backend) fetch(s *shadow) error {
	if !s.stale {
		return nil
	}
	err := b.inChunks(s.of, func(at int, data []byte) error {
		if err := b.device.ReadBytes(s.of, at, data); err != nil {
			return err
		}
		return b.host.WriteBytes(s.on, at, data)
	})
	s.stale = err != nil
	return err
}

// deliver brings the device up to date with a shadow.
func (b *Backend) deliver(s *shadow) error {
	err := b.inChunks(s.of, func(at int, data []byte) error {
		if err := b.host.ReadBytes(s.on, at, data); err != nil {
			return err
		}
		return b.device.WriteBytes(s.of, at, data)
	})
	s.stale = err != nil
	return err
}

// maxChunk bounds the memory that transfers take, in bytes.
const maxChunk = 16 << 20

// inChunks calls move for consecutive elements of buf until all are moved.
func (b *Backend) inChunks(buf *kernel.Buffer, move func(at int, data []byte) error) error {
	if b.chunk == nil {
		b.chunk = make([]byte, maxChunk)
	}
	size := buf.Elem.Size()
	for at, per := 0, maxChunk/size; at < buf.Len; at += per {
		n := min(per, buf.Len-at)
		if err := move(at, b.chunk[:n*size]); err != nil {
			return err
		}
	}
	return nil
}

// words reads all of a buffer of one side.
func (b *Backend) words(be kernel.Backend, buf *kernel.Buffer) ([]uint32, error) {
	out := make([]uint32, 0, buf.Bytes()/4)
	return out[:cap(out)], b.inChunks(buf, func(at int, data []byte) error {
		if err := be.ReadBytes(buf, at, data); err != nil {
			return err
		}
		for i := 0; i < len(data); i += 4 {
			out = append(out, binary.LittleEndian.Uint32(data[i:]))
		}
		return nil
	})
}
