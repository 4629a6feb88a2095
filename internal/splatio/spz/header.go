package spz

import (
	"bytes"
	"encoding/binary"

	"splat/internal/fault"
	"splat/internal/gaussian"
)

const (
	magic       = "NGSP"
	headerSize  = 16 // of versions 1 to 3
	headerSize4 = 32
	entrySize   = 16 // of the table of version 4

	// Newest is the highest version that is read and written.
	Newest = 4

	flagAntialiased = 1
	flagExtensions  = 2
)

// Is reports whether a file that begins with head is SPZ: of version 4, unpacked, or,
// for a name that ends in .spz, packed with gzip.
func Is(head []byte, named bool) bool {
	return bytes.HasPrefix(head, []byte(magic)) || named && isGzip(head)
}

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

// header is what both kinds of header hold.
type header struct {
	version  uint32
	points   uint32
	degree   int
	fraction int // bits after the point of positions
	flags    byte
	streams  int   // version 4
	table    int64 // version 4: where the table lies
}

func (h *header) antialiased() bool { return h.flags&flagAntialiased != 0 }

// sizes returns the bytes a splat takes in each array.
func (h *header) sizes() []int {
	position, rotation := 9, 4
	if h.version == 1 {
		position = 6
	}
	if h.version < 3 {
		rotation = 3
	}
	sizes := []int{position, 1, 3, 3, rotation}
	if h.degree > 0 {
		sizes = append(sizes, 3*(gaussian.Coefficients(h.degree)-1))
	}
	return sizes
}

// total returns the bytes that all arrays take.
func (h *header) total() int64 {
	sum := 0
	for _, s := range h.sizes() {
		sum += s
	}
	return int64(sum) * int64(h.points)
}

func parseHeader(b []byte, name string) (*header, error) {
	if len(b) < headerSize && bytes.HasPrefix(b, []byte(magic)) {
		return nil, fault.Dataf("%s: the file is cut in its header: %d bytes, expected %d", name, len(b), headerSize)
	}
	if len(b) < headerSize || string(b[:4]) != magic {
		return nil, fault.Dataf("%s: not an SPZ file: found %q at its beginning, expected %q", name, b[:min(4, len(b))], magic)
	}
	h := &header{version: binary.LittleEndian.Uint32(b[4:]), points: binary.LittleEndian.Uint32(b[8:]), degree: int(b[12]), fraction: int(b[13]), flags: b[14]}
	switch {
	case h.version < 1 || h.version > Newest:
		return nil, fault.Dataf("%s: SPZ version %d, expected 1 to %d", name, h.version, Newest)
	case h.degree > gaussian.MaxDegree:
		return nil, fault.Dataf("%s: SH degree %d, expected 0 to %d", name, h.degree, gaussian.MaxDegree)
	case h.fraction > 24:
		return nil, fault.Dataf("%s: positions with %d fractional bits of 24", name, h.fraction)
	}
	return h, nil
}
