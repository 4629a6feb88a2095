// Package splat32 reads and writes .splat files: rows of 32 bytes and nothing else.
//
//	0  x y z       position, float32
//	12 sx sy sz    size, linear, float32
//	24 r g b a     colour and opacity, 8 bits
//	28 w x y z     rotation, (byte - 128) / 128
//
// The axes are those of the PLY file. Directions of view have no place in it: the
// constant colour is all.
package splat32

import (
	"encoding/binary"
	"io"
	"math"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

const row = 32

// Decode reads the content of a .splat file. Its memory is the cloud, 56 bytes a row
// of 32. A file without any sign of what it is must at least hold sizes and numbers:
// where more than a tenth are none, it is refused.
func Decode(data []byte, name string) (*gaussian.Cloud, *pack.Report, error) {
	if len(data)%row != 0 {
		return nil, nil, fault.Dataf("%s: the file has %d bytes, expected a multiple of %d (rows of a .splat file)", name, len(data), row)
	}
	report := &pack.Report{Format: "splat"}
	c := gaussian.New(len(data)/row, 0)
	turnless := 0
	for i := range c.Len() {
		if !decodeRow(c, i, data[row*i:]) {
			turnless++
		}
	}
	if bad, first := c.NonFinite(); bad > c.Len()/10 {
		return nil, nil, fault.Dataf("%s: not a .splat file: %d of %d rows are no splats (%s)", name, bad, c.Len(), first)
	}
	report.Counted(turnless, c.Len(), "have a rotation of zero length")
	return c, report, nil
}

// decodeRow reports false where the row has no rotation.
func decodeRow(c *gaussian.Cloud, i int, b []byte) bool {
	for k := range 3 {
		c.Means[3*i+k] = float(b[4*k:])
		c.LogScales[3*i+k] = pack.LogSize(float64(float(b[12+4*k:])))
		c.SH[3*i+k] = pack.Color(b[24+k])
	}
	c.Opacities[i] = pack.Alpha(b[27])
	q := c.Quats[4*i : 4*i+4]
	for k := range q {
		q[k] = float32(int(b[28+k])-128) / 128
	}
	if q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0 {
		q[0] = 1
		return false
	}
	return true
}

func float(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// Encode writes the cloud and returns what of it the format cannot hold. All values
// must be finite.
func Encode(w io.Writer, c *gaussian.Cloud) (lost []string, err error) {
	buf := make([]byte, 0, 1<<16)
	clipped := 0
	for i := range c.Len() {
		if buf = appendRow(buf, c, i); len(buf)+row > cap(buf) {
			if _, err := w.Write(buf); err != nil {
				return nil, err
			}
			buf = buf[:0]
		}
		if outside(c, i) {
			clipped++
		}
	}
	if _, err := w.Write(buf); err != nil {
		return nil, err
	}
	report := pack.Report{Warnings: pack.Flat(c, ".splat")}
	report.Counted(clipped, c.Len(), "have a colour outside of 0..1, which is clamped")
	return report.Warnings, nil
}

// outside reports whether the constant colour of splat i does not fit.
func outside(c *gaussian.Cloud, i int) bool {
	at := 3 * gaussian.Coefficients(c.SHDegree) * i
	for _, v := range c.SH[at : at+3] {
		if rgb := gaussian.SH0ToRGB(float64(v)); rgb < -0.5/255 || rgb > 1+0.5/255 {
			return true
		}
	}
	return false
}

func appendRow(buf []byte, c *gaussian.Cloud, i int) []byte {
	for _, v := range c.Means[3*i : 3*i+3] {
		buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
	}
	for _, v := range c.LogScales[3*i : 3*i+3] {
		size := min(math.Exp(float64(v)), math.MaxFloat32)
		buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(float32(size)))
	}
	at := 3 * gaussian.Coefficients(c.SHDegree) * i
	for _, v := range c.SH[at : at+3] {
		buf = append(buf, pack.ColorByte(v))
	}
	buf = append(buf, pack.AlphaByte(c.Opacities[i]))
	for _, v := range pack.Unit(c.Quats[4*i : 4*i+4]) {
		buf = append(buf, pack.Byte(128*v+128))
	}
	return buf
}
