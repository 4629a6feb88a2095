package ply

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"

	"splat/internal/fault"
)

// bufferSize is the read buffer of a large file: it must hold a header.
const bufferSize = maxHeader

// file is an open PLY file, its header read.
type file struct {
	name string
	r    *bufio.Reader
	size int64 // of the whole file
	pos  int64 // bytes consumed, in binary files only
	line int   // lines consumed, in ASCII files only
	h    *header
}

// open reads the header of a PLY file of size bytes.
func open(r io.Reader, size int64, name string) (*file, error) {
	buffer := int(min(size+1, bufferSize)) // no file overflows a buffer of its own size
	f := &file{name: name, r: bufio.NewReaderSize(r, buffer), size: size}
	h, err := readHeader(f.r, name)
	if err != nil {
		return nil, err
	}
	f.h, f.pos, f.line = h, h.size, h.lines
	return f, nil
}

// rows delivers the rows of one element.
type rows interface {
	// next decodes the wanted properties of the next row.
	next(dst []float32) error
}

// table skips to the element at position at and returns its rows, reduced to the
// properties want (positions in the element), in that order.
func (f *file) table(at int, want []int) (rows, error) {
	for i := range f.h.elements[:at] {
		if err := f.skip(&f.h.elements[i]); err != nil {
			return nil, err
		}
	}
	e := &f.h.elements[at]
	if err := f.checkSize(e); err != nil {
		return nil, err
	}
	switch {
	case f.h.encoding == ascii:
		return newASCIIRows(f, e, want), nil
	case e.hasLists():
		return newListRows(f, e, want), nil
	}
	return newFixedRows(f, e, want), nil
}

// checkSize compares the rows that the header declares with the bytes that are
// left, before anything is allocated for them.
func (f *file) checkSize(e *element) error {
	left := f.size - f.pos
	row := e.minRow()
	if f.h.encoding == ascii {
		// A value takes a digit and a separator; the last line may lack its end.
		row = 2 * int64(len(e.props))
		left++
	}
	if row == 0 || e.rows <= left/row {
		return nil
	}
	if f.h.encoding != ascii && !e.hasLists() {
		need := new(big.Int).Mul(big.NewInt(e.rows), big.NewInt(row))
		return fault.Dataf("%s: the file is cut in row %d of element %s: %d rows of %d bytes need %s bytes, %d are there",
			f.name, left/row, e.name, e.rows, row, need, left)
	}
	return fault.Dataf("%s: the file is cut: element %s has %d rows by its header, but only %d bytes follow",
		f.name, e.name, e.rows, left)
}

// skip passes over the rows of e.
func (f *file) skip(e *element) error {
	if f.h.encoding != ascii && !e.hasLists() {
		if err := f.checkSize(e); err != nil {
			return err
		}
		n, err := io.CopyN(io.Discard, f.r, e.rows*e.minRow())
		f.pos += n
		return f.readError(err, e, 0)
	}
	if len(e.props) == 0 {
		return nil
	}
	if err := f.checkSize(e); err != nil {
		return err
	}
	var skipper rows
	if f.h.encoding == ascii {
		skipper = newASCIIRows(f, e, nil)
	} else {
		skipper = newListRows(f, e, nil)
	}
	for range e.rows {
		if err := skipper.next(nil); err != nil {
			return err
		}
	}
	return nil
}

// readError turns the end of the file in the middle of a row into a message.
func (f *file) readError(err error, e *element, row int64) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bufio.ErrBufferFull):
		return fault.Dataf("%s: line %d is longer than %d bytes", f.name, f.line, bufferSize)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Dataf("%s: the file ends in row %d of %d of element %s", f.name, row, e.rows, e.name)
	}
	return fault.Dataf("%s: element %s row %d: %w", f.name, e.name, row, err)
}

// column is where a wanted property lies in a binary row.
type column struct {
	offset int
	typ    scalar
}

// fixedRows reads binary rows that all have the same size, many at a time.
type fixedRows struct {
	f       *file
	e       *element
	columns []column
	stride  int
	order   binary.ByteOrder
	plain   bool   // all wanted values are little-endian float32
	chunk   []byte // whole rows
	rest    []byte // the part of chunk that was not decoded yet
	row     int64
}

func newFixedRows(f *file, e *element, want []int) *fixedRows {
	offsets := make([]int, len(e.props))
	at := 0
	for i, p := range e.props {
		offsets[i] = at
		at += p.typ.bytes()
	}
	r := &fixedRows{f: f, e: e, stride: at, order: f.order()}
	r.plain = f.h.encoding == littleEndian
	for _, i := range want {
		c := column{offsets[i], e.props[i].typ}
		r.columns = append(r.columns, c)
		r.plain = r.plain && c.typ == float32Type
	}
	r.chunk = make([]byte, min(e.rows, int64(max(1, 1<<18/at)))*int64(at))
	return r
}

func (f *file) order() binary.ByteOrder {
	if f.h.encoding == bigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func (r *fixedRows) next(dst []float32) error {
	if len(r.rest) == 0 {
		if err := r.fill(); err != nil {
			return err
		}
	}
	row := r.rest[:r.stride]
	r.rest = r.rest[r.stride:]
	r.row++
	if r.plain {
		for k, c := range r.columns {
			dst[k] = math.Float32frombits(binary.LittleEndian.Uint32(row[c.offset:]))
		}
		return nil
	}
	for k, c := range r.columns {
		dst[k] = c.typ.decode(row[c.offset:], r.order)
	}
	return nil
}

func (r *fixedRows) fill() error {
	left := (r.e.rows - r.row) * int64(r.stride)
	r.rest = r.chunk[:min(left, int64(len(r.chunk)))]
	n, err := io.ReadFull(r.f.r, r.rest)
	r.f.pos += int64(n)
	return r.f.readError(err, r.e, r.row+int64(n/r.stride))
}

// decode returns the value at the start of b.
func (s scalar) decode(b []byte, order binary.ByteOrder) float32 {
	switch s {
	case int8Type:
		return float32(int8(b[0]))
	case uint8Type:
		return float32(b[0])
	case int16Type:
		return float32(int16(order.Uint16(b)))
	case uint16Type:
		return float32(order.Uint16(b))
	case int32Type:
		return float32(int32(order.Uint32(b)))
	case uint32Type:
		return float32(order.Uint32(b))
	case float32Type:
		return math.Float32frombits(order.Uint32(b))
	}
	return float32(math.Float64frombits(order.Uint64(b)))
}

// listRows reads binary rows that hold lists, value by value. Lists are skipped.
type listRows struct {
	f     *file
	e     *element
	slots []int // where each property goes, -1 for nowhere
	order binary.ByteOrder
	row   int64
}

func newListRows(f *file, e *element, want []int) *listRows {
	return &listRows{f: f, e: e, slots: slotsOf(e, want), order: f.order()}
}

// slotsOf inverts want: for each property of e its place among the wanted ones.
func slotsOf(e *element, want []int) []int {
	slots := make([]int, len(e.props))
	for i := range slots {
		slots[i] = -1
	}
	for k, i := range want {
		slots[i] = k
	}
	return slots
}

func (r *listRows) next(dst []float32) error {
	for i, p := range r.e.props {
		if err := r.value(p, r.slots[i], dst); err != nil {
			return r.f.readError(err, r.e, r.row)
		}
	}
	r.row++
	return nil
}

func (r *listRows) value(p property, slot int, dst []float32) error {
	if !p.isList() {
		v, err := r.scalar(p.typ)
		if slot >= 0 {
			dst[slot] = v
		}
		return err
	}
	n, err := r.length(p.count)
	if err != nil {
		return err
	}
	if n < 0 {
		return fmt.Errorf("list %s has length %d", quote(p.name), n)
	}
	skipped, err := io.CopyN(io.Discard, r.f.r, n*int64(p.typ.bytes()))
	r.f.pos += skipped
	return err
}

func (r *listRows) scalar(s scalar) (float32, error) {
	b, err := r.take(s)
	if err != nil {
		return 0, err
	}
	return s.decode(b, r.order), nil
}

// length reads the number before the items of a list.
func (r *listRows) length(s scalar) (int64, error) {
	b, err := r.take(s)
	if err != nil {
		return 0, err
	}
	switch s {
	case int32Type:
		return int64(int32(r.order.Uint32(b))), nil
	case uint32Type:
		return int64(r.order.Uint32(b)), nil
	}
	return int64(s.decode(b, r.order)), nil // 8 and 16 bits fit a float32
}

// take returns the bytes of the next value, valid until the next read.
func (r *listRows) take(s scalar) ([]byte, error) {
	b, err := r.f.r.Peek(s.bytes())
	if err != nil {
		return nil, err
	}
	n, err := r.f.r.Discard(s.bytes())
	r.f.pos += int64(n)
	return b, err
}
