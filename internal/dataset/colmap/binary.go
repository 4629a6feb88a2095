package colmap

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"splat/internal/geom"
)

// reader reads little-endian fields and knows where it is, for messages.
type reader struct {
	f         io.ReadSeeker
	buf       *bufio.Reader
	off, size int64
}

// need returns the next n bytes (at most the buffer's size); they are valid until
// the next call.
func (r *reader) need(n int, what string) ([]byte, error) {
	if left := r.size - r.off; int64(n) > left {
		return nil, fmt.Errorf("at byte %d: expected %s (%d bytes), but the file ends after %d more", r.off, what, n, left)
	}
	b, err := r.buf.Peek(n)
	if err != nil {
		return nil, fmt.Errorf("at byte %d: %w", r.off, err)
	}
	r.off += int64(n)
	r.buf.Discard(n)
	return b, nil
}

// skip passes over n records of the given size, without reading what is not
// buffered: observations are the bulk of a model.
func (r *reader) skip(n uint64, each int64, what string) error {
	left := r.size - r.off
	if n > uint64(left/each) {
		return fmt.Errorf("at byte %d: expected %d %s (%d bytes each), but the file ends after %d more bytes", r.off, n, what, each, left)
	}
	bytes := int64(n) * each
	r.off += bytes
	if bytes <= int64(r.buf.Buffered()) {
		_, err := r.buf.Discard(int(bytes))
		return err
	}
	if _, err := r.f.Seek(r.off, io.SeekStart); err != nil {
		return err
	}
	r.buf.Reset(r.f)
	return nil
}

func (r *reader) uint64(what string) (uint64, error) {
	b, err := r.need(8, what)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// cstring reads up to a NUL byte.
func (r *reader) cstring(what string) (string, error) {
	start := r.off
	s, err := r.buf.ReadSlice(0)
	if err != nil {
		if errors.Is(err, bufio.ErrBufferFull) {
			return "", fmt.Errorf("at byte %d: %s has no end within %d bytes", start, what, len(s))
		}
		return "", fmt.Errorf("at byte %d: expected %s, ended by a zero byte, but the file ends after %d more bytes", start, what, len(s))
	}
	r.off += int64(len(s))
	return string(s[:len(s)-1]), nil
}

func f64(b []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
}

// record names the record that an error is about.
func record(what string, i, n int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s record %d of %d: %w", what, i+1, n, err)
}

func camerasBinary(r *reader) ([]Camera, error) {
	n, err := r.count("camera", 24)
	if err != nil {
		return nil, err
	}
	cams := make([]Camera, n)
	for i := range cams {
		if err := r.camera(&cams[i]); err != nil {
			return nil, record("camera", i, n, err)
		}
	}
	return cams, nil
}

func (r *reader) camera(c *Camera) error {
	b, err := r.need(24, "id, model, width and height")
	if err != nil {
		return err
	}
	c.ID = binary.LittleEndian.Uint32(b)
	c.Width, c.Height = clampSide(binary.LittleEndian.Uint64(b[8:])), clampSide(binary.LittleEndian.Uint64(b[16:]))
	id := int32(binary.LittleEndian.Uint32(b[4:]))
	l := lensByID(id)
	if l == nil {
		return fmt.Errorf("camera %d: unknown model id %d, expected 0 to %d", c.ID, id, len(lenses)-1)
	}
	c.Model = l.name
	if b, err = r.need(8*l.params, fmt.Sprintf("the %d parameters of %s", l.params, l.name)); err != nil {
		return err
	}
	c.Params = make([]float64, l.params)
	for i := range c.Params {
		c.Params[i] = f64(b, i)
	}
	return nil
}

func imagesBinary(r *reader) ([]Image, error) {
	n, err := r.count("image", 73)
	if err != nil {
		return nil, err
	}
	images := make([]Image, n)
	for i := range images {
		if err := r.image(&images[i]); err != nil {
			return nil, record("image", i, n, err)
		}
	}
	return images, nil
}

func (r *reader) image(im *Image) error {
	b, err := r.need(64, "id, pose and camera id")
	if err != nil {
		return err
	}
	im.ID = binary.LittleEndian.Uint32(b)
	p := b[4:]
	im.Quat = geom.Quat{f64(p, 0), f64(p, 1), f64(p, 2), f64(p, 3)}
	im.T = geom.Vec3{f64(p, 4), f64(p, 5), f64(p, 6)}
	im.CameraID = binary.LittleEndian.Uint32(b[60:])
	if im.Name, err = r.cstring("the image's name"); err != nil {
		return err
	}
	n, err := r.uint64("the number of observations")
	if err != nil {
		return err
	}
	return r.skip(n, 24, "observations")
}

func pointsBinary(r *reader, pts *Points) error {
	n, err := r.count("point", 51)
	if err != nil {
		return err
	}
	pts.XYZ, pts.RGB = make([]float32, 0, 3*n), make([]uint8, 0, 3*n)
	for i := range n {
		if err := r.point(pts); err != nil {
			return record("point", i, n, err)
		}
	}
	return nil
}

func (r *reader) point(pts *Points) error {
	b, err := r.need(51, "id, position, colour, error and track length")
	if err != nil {
		return err
	}
	xyz := b[8:]
	pts.add(f64(xyz, 0), f64(xyz, 1), f64(xyz, 2), b[32], b[33], b[34])
	return r.skip(binary.LittleEndian.Uint64(b[43:]), 8, "track elements")
}

// add appends a point, or counts it as dropped.
func (p *Points) add(x, y, z float64, r, g, b uint8) {
	if !(geom.Vec3{x, y, z}).InReach() {
		p.Dropped++
		return
	}
	p.XYZ = append(p.XYZ, float32(x), float32(y), float32(z))
	p.RGB = append(p.RGB, r, g, b)
}
