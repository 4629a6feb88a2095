package ksplat

import (
	"encoding/binary"
	"math"

	"splat/internal/fault"
	"splat/internal/gaussian"
)

const (
	headerSize  = 4096
	sectionSize = 1024
	headerUsed  = 64 // bytes of the header that mean something; the others are zero
	maxDegree   = 3
)

// Is reports whether a file that begins with head is KSPLAT: it has no magic number,
// but a long header that is nearly empty.
func Is(head []byte, _ bool) bool {
	if len(head) < headerSize || head[0] != 0 || head[1] != 1 || head[2] != 0 || head[3] != 0 {
		return false
	}
	for _, b := range head[headerUsed:headerSize] {
		if b != 0 {
			return false
		}
	}
	sections := u32(head, 4)
	return sections > 0 && sections < 1<<16 && u32(head, 8) <= sections
}

func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func u16(b []byte, at int) int    { return int(binary.LittleEndian.Uint16(b[at:])) }
func f32(b []byte, at int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[at:]))
}

// header is what of the file's header is used.
type header struct {
	sections int
	splats   int64
	level    int
	lo, hi   float64 // what the bytes 0 and 255 of SH stand for
}

// section is a section's header, and where it lies.
type section struct {
	splats, room int64 // rows used, and rows there
	bucketSize   int64 // splats in a full bucket
	buckets      int64
	step         float64 // of positions of 16 bits
	offset       float64 // what of them is zero
	bucketBytes  int64   // of a bucket's centre
	full         int64   // full buckets
	partial      int64   // partly filled ones
	degree       int
	start        int64
}

func parseHeader(b []byte, name string) (*header, error) {
	if len(b) < headerSize {
		return nil, fault.Dataf("%s: the file is cut in its header: %d bytes, expected %d", name, len(b), headerSize)
	}
	if b[0] != 0 || b[1] != 1 {
		return nil, fault.Dataf("%s: KSPLAT version %d.%d, expected 0.1", name, b[0], b[1])
	}
	h := &header{sections: int(u32(b, 4)), splats: int64(u32(b, 16)), level: u16(b, 20), lo: float64(f32(b, 36)), hi: float64(f32(b, 40))}
	if h.level > 2 {
		return nil, fault.Dataf("%s: compression level %d, expected 0, 1 or 2", name, h.level)
	}
	if h.lo == 0 && h.hi == 0 {
		h.lo, h.hi = -1.5, 1.5
	}
	if room := (len(b) - headerSize) / sectionSize; h.sections > room {
		return nil, fault.Dataf("%s: %d sections by the header, the file has room for the headers of %d", name, h.sections, room)
	}
	return h, nil
}

// parseSections reads all section headers and checks that what they claim lies in
// the file.
func (h *header) parseSections(b []byte, name string) ([]*section, error) {
	start := int64(headerSize + h.sections*sectionSize)
	var sections []*section
	for k := range h.sections {
		s := parseSection(b[headerSize+k*sectionSize:])
		s.start = start
		if s.degree > maxDegree {
			return nil, fault.Dataf("%s: section %d: SH degree %d, expected 0 to %d", name, k, s.degree, maxDegree)
		}
		size, ok := h.size(s)
		if left := int64(len(b)) - start; !ok || size > left {
			return nil, fault.Dataf("%s: section %d with %d splats and %d buckets does not fit into the %d bytes that are left", name, k, s.room, s.buckets, left)
		}
		if s.splats > s.room {
			return nil, fault.Dataf("%s: section %d has %d splats in room for %d", name, k, s.splats, s.room)
		}
		start += size
		sections = append(sections, s)
	}
	return sections, nil
}

func parseSection(b []byte) *section {
	s := &section{
		splats: int64(u32(b, 0)), room: int64(u32(b, 4)), bucketSize: int64(u32(b, 8)), buckets: int64(u32(b, 12)),
		bucketBytes: int64(u16(b, 20)), full: int64(u32(b, 32)), partial: int64(u32(b, 36)), degree: u16(b, 40),
	}
	s.offset = float64(u32(b, 24))
	if s.offset == 0 {
		s.offset = 32767
	}
	s.step = float64(f32(b, 16)) / 2 / s.offset
	return s
}

// size returns the bytes of a section; false where the numbers cannot be right. All
// are of at most 32 bits, so that no product overflows.
func (h *header) size(s *section) (int64, bool) {
	if h.level > 0 && (s.bucketBytes < 12 || s.full+s.partial > s.buckets) {
		return 0, false
	}
	return 4*s.partial + s.bucketBytes*s.buckets + h.row(s.degree)*s.room, true
}

// row returns the bytes of a splat.
func (h *header) row(degree int) int64 {
	rest := int64(3 * (gaussian.Coefficients(degree) - 1))
	switch h.level {
	case 0:
		return 44 + 4*rest
	case 1:
		return 24 + 2*rest
	}
	return 24 + rest
}
