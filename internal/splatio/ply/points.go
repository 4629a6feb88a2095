package ply

import (
	"io"
	"math"

	"splat/internal/fault"
	"splat/internal/gaussian"
)

// ReadPoints reads the positions (3n) and colours (3n sRGB bytes) of a point
// cloud; rgb is nil where the file has no colours. Positions may be NaN or
// infinite: gaussian.FromPoints drops those. Colours are looked for as red green
// blue, r g b and diffuse_red diffuse_green diffuse_blue: bytes as they are,
// 16-bit integers scaled down, floating point as 0..1 unless a value above 1
// occurs, then as 0..255. The constant SH coefficients of a splat file serve too.
func ReadPoints(path string) (xyz []float32, rgb []uint8, err error) {
	err = withFile(path, func(r io.Reader, size int64) (err error) {
		xyz, rgb, err = decodePoints(r, size, path)
		return err
	})
	return xyz, rgb, err
}

// PointsFrom is ReadPoints for size bytes from r; name is for messages.
func PointsFrom(r io.Reader, size int64, name string) (xyz []float32, rgb []uint8, err error) {
	return decodePoints(r, size, name)
}

func decodePoints(r io.Reader, size int64, name string) ([]float32, []uint8, error) {
	f, err := open(r, size, name)
	if err != nil {
		return nil, nil, err
	}
	if f.isPacked() {
		return nil, nil, fault.Dataf("%s: found splats (compressed PLY of SuperSplat), expected a point cloud", name)
	}
	at, err := f.vertexElement()
	if err != nil {
		return nil, nil, err
	}
	e := &f.h.elements[at]
	want := e.indices("x", "y", "z")
	if want == nil {
		return nil, nil, fault.Dataf("%s: element vertex lacks the properties x y z", name)
	}
	colours := coloursOf(e)
	table, err := f.table(at, append(want, colours.columns...))
	if err != nil {
		return nil, nil, err
	}
	xyz := make([]float32, 0, 3*e.rows)
	var values []float32
	row := make([]float32, 3+len(colours.columns))
	for range e.rows {
		if err := table.next(row); err != nil {
			return nil, nil, err
		}
		xyz = append(xyz, row[:3]...)
		values = append(values, row[3:]...)
	}
	return xyz, colours.bytes(values), nil
}

// indices returns the positions of the scalar properties names, or nil unless
// all are there.
func (e *element) indices(names ...string) []int {
	var out []int
	for _, n := range names {
		i := e.index(n)
		if i < 0 {
			return nil
		}
		out = append(out, i)
	}
	return out
}

// colours is how a file stores the colours of points: the columns, none where it
// has no colours, and the conversion to 0..255.
type colours struct {
	columns []int
	convert func(v float32) float64
	typ     scalar
}

func coloursOf(e *element) colours {
	for _, names := range [][]string{{"red", "green", "blue"}, {"r", "g", "b"}, {"diffuse_red", "diffuse_green", "diffuse_blue"}} {
		if columns := e.indices(names...); columns != nil {
			c := colours{columns: columns, typ: e.props[columns[0]].typ}
			c.convert = func(v float32) float64 { return float64(v) }
			if c.typ == uint16Type {
				c.convert = func(v float32) float64 { return float64(v) / 257 }
			}
			return c
		}
	}
	sh0 := func(v float32) float64 { return 255 * gaussian.SH0ToRGB(float64(v)) }
	return colours{columns: e.indices("f_dc_0", "f_dc_1", "f_dc_2"), convert: sh0}
}

// bytes converts stored values to 8 bits; what is not a number becomes grey.
func (c *colours) bytes(values []float32) []uint8 {
	if c.columns == nil {
		return nil
	}
	scale := 1.0
	if c.typ.isFloat() && unitRange(values) {
		scale = 255
	}
	out := make([]uint8, len(values))
	for i, v := range values {
		x := scale * c.convert(v)
		if math.IsNaN(x) {
			x = 128
		}
		out[i] = uint8(math.Round(min(max(x, 0), 255)))
	}
	return out
}

func unitRange(values []float32) bool {
	for _, v := range values {
		if v > 1 {
			return false
		}
	}
	return true
}
