package vulkan

import (
	"fmt"

	"splat/internal/kernel"
	"splat/internal/vk"
)

// Sizes of the memory through which data pass.
const (
	uploadBytes   = 32 << 20
	readbackBytes = 16 << 20
)

// staging moves data between host and device. Uploads are copied into a ring of
// host-visible memory and collected in an open list that is submitted before whatever
// comes next; the host waits only when the ring is full.
type staging struct {
	device   *vk.Device
	upload   *vk.Buffer
	readback *vk.Buffer
	head     int64 // where the next upload goes
	used     int64 // bytes between the oldest upload in flight and head
	pending  *vk.Commands
	size     int64 // bytes of the pending list's uploads
	flights  []upload
	idle     []*vk.Commands
}

// upload is a submitted list of uploads.
type upload struct {
	submission uint64
	bytes      int64
	commands   *vk.Commands
}

func (s *staging) open(d *vk.Device) (err error) {
	s.device = d
	if s.upload, err = d.NewBuffer("upload staging", uploadBytes, vk.UploadMemory); err != nil {
		return err
	}
	s.readback, err = d.NewBuffer("readback staging", readbackBytes, vk.ReadbackMemory)
	return err
}

func (s *staging) close() {
	for _, f := range s.flights {
		f.commands.Free()
	}
	for _, c := range s.idle {
		c.Free()
	}
	if s.pending != nil {
		s.pending.Free()
	}
	if s.upload != nil {
		s.upload.Free()
	}
	if s.readback != nil {
		s.readback.Free()
	}
}

// transfers are the barriers around a list of transfers.
const transfers = vk.ComputeToTransfer | vk.TransferToTransfer

// begin opens the pending list if there is none and returns it, behind a barrier
// against what the list did so far.
func (s *staging) begin() (*vk.Commands, error) {
	if s.pending == nil {
		c, err := s.take()
		if err != nil {
			return nil, err
		}
		s.pending = c
	}
	s.pending.Barrier(transfers)
	return s.pending, nil
}

// take returns an empty list.
func (s *staging) take() (*vk.Commands, error) {
	if n := len(s.idle); n > 0 {
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return c, c.Reset()
	}
	return s.device.NewCommands(false)
}

// flush submits the pending list.
func (b *Backend) flush() error {
	s := &b.staging
	if s.pending == nil {
		return nil
	}
	c := s.pending
	s.pending = nil
	if err := c.End(); err != nil {
		return err
	}
	n, err := b.queue.submit("uploads", c)
	if err != nil {
		return err
	}
	s.flights = append(s.flights, upload{submission: n, bytes: s.size, commands: c})
	s.size = 0
	return b.reclaim()
}

// reclaim takes back what finished uploads held.
func (b *Backend) reclaim() error {
	s := &b.staging
	if len(s.flights) == 0 {
		return nil
	}
	done, err := b.queue.done()
	if err != nil {
		return err
	}
	for len(s.flights) > 0 && s.flights[0].submission <= done {
		s.used -= s.flights[0].bytes
		s.idle = append(s.idle, s.flights[0].commands)
		s.flights = s.flights[1:]
	}
	return nil
}

// reserve returns the place of n bytes in the ring, n at most half of it.
func (b *Backend) reserve(n int64) (at int64, err error) {
	s := &b.staging
	size := s.upload.Size()
	n = (n + 15) &^ 15
	skip := int64(0)
	if s.head+n > size {
		skip = size - s.head
	}
	for s.used+skip+n > size {
		if err := b.flush(); err != nil {
			return 0, err
		}
		if len(s.flights) > 0 {
			if err := b.queue.waitFor(s.flights[0].submission, kernel.WaitUpload); err != nil {
				return 0, err
			}
		}
		if err := b.reclaim(); err != nil {
			return 0, err
		}
	}
	at = (s.head + skip) % size
	s.head = at + n
	s.used += skip + n
	s.size += skip + n
	return at, nil
}

// clear fills a buffer with zeros, in order with everything else.
func (b *Backend) clear(m *vk.Buffer) error {
	c, err := b.staging.begin()
	if err != nil {
		return err
	}
	c.Fill(m, 0, m.Size(), 0)
	return nil
}

// span checks a range of elements and returns its memory and byte offset.
func (b *Backend) span(buf *kernel.Buffer, at, bytes int) (*vk.Buffer, int64, error) {
	m, err := b.storage(buf)
	if err != nil {
		return nil, 0, err
	}
	size := buf.Elem.Size()
	if bytes%size != 0 || at < 0 || at+bytes/size > buf.Len {
		return nil, 0, fmt.Errorf("vulkan: buffer %s has %d elements, asked for %d..%d", buf.Name, buf.Len, at, at+bytes/size)
	}
	return m, int64(at) * int64(size), nil
}

// WriteBytes implements kernel.Backend.
func (b *Backend) WriteBytes(buf *kernel.Buffer, at int, data []byte) error {
	kernel.BeginWork(b.queue.tracer, kernel.HostUpload, "write")
	defer kernel.EndWork(b.queue.tracer)
	m, offset, err := b.span(buf, at, len(data))
	if err != nil {
		return err
	}
	for len(data) > 0 {
		n := min(int64(len(data)), uploadBytes/2)
		from, err := b.reserve(n)
		if err != nil {
			return err
		}
		copy(b.staging.upload.Bytes()[from:from+n], data)
		c, err := b.staging.begin()
		if err != nil {
			return err
		}
		c.Copy(m, offset, b.staging.upload, from, n)
		data, offset = data[n:], offset+n
	}
	return nil
}

// ReadBytes implements kernel.Backend.
func (b *Backend) ReadBytes(buf *kernel.Buffer, at int, data []byte) error {
	kernel.BeginWork(b.queue.tracer, kernel.HostUpload, "read")
	defer kernel.EndWork(b.queue.tracer)
	m, offset, err := b.span(buf, at, len(data))
	if err != nil {
		return err
	}
	for len(data) > 0 {
		n := min(int64(len(data)), readbackBytes)
		c, err := b.staging.begin()
		if err != nil {
			return err
		}
		c.Copy(b.staging.readback, 0, m, offset, n)
		c.Barrier(vk.ToHost)
		if err := b.Wait(); err != nil {
			return err
		}
		copy(data, b.staging.readback.Bytes()[:n])
		data, offset = data[n:], offset+n
	}
	return nil
}

// Copy implements kernel.Backend.
func (b *Backend) Copy(to, from *kernel.Buffer) error {
	dst, err := b.storage(to)
	if err != nil {
		return err
	}
	src, err := b.storage(from)
	if err != nil {
		return err
	}
	if to.Elem != from.Elem {
		return fmt.Errorf("vulkan: cannot copy buffer %s to %s", from.Name, to.Name)
	}
	c, err := b.staging.begin()
	if err != nil {
		return err
	}
	c.Copy(dst, 0, src, 0, min(to.Bytes(), from.Bytes()))
	return nil
}
