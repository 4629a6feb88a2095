package spz

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"

	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// Default is the version that is written where none is asked for: the newest that
// programs without zstd read.
const Default = 3

// Positions have 12 fractional bits, as everywhere, unless the cloud is too wide.
const (
	usualFraction = 12
	maxFixed      = 1<<23 - 1
)

// Encode writes the cloud as SPZ of version 2, 3 or 4 and returns what of it the
// format cannot hold. All values must be finite. SH is stored with all 8 bits.
func Encode(w io.Writer, c *gaussian.Cloud, version int) (lost []string, err error) {
	if version < 2 || version > Newest {
		return nil, fault.Usagef("SPZ version %d, expected 2, 3 or 4", version)
	}
	turned := c.Clone()
	pack.FlipYZ(turned)
	h := &header{version: uint32(version), points: uint32(c.Len()), degree: c.SHDegree, fraction: fractionFor(c)}
	if c.Antialiased {
		h.flags |= flagAntialiased
	}
	e := &encoder{h: h, c: turned}
	arrays := e.arrays()
	if version == 4 {
		err = write4(w, h, arrays)
	} else {
		err = writeGzip(w, h, arrays)
	}
	return e.report.Warnings, err
}

// fractionFor returns the most fractional bits, not above the usual, that let all
// positions fit.
func fractionFor(c *gaussian.Cloud) int {
	far := 0.0
	for _, v := range c.Means {
		far = max(far, math.Abs(float64(v)))
	}
	bits := usualFraction
	for bits > 0 && math.Ldexp(far, bits) > maxFixed {
		bits--
	}
	return bits
}

type encoder struct {
	h      *header
	c      *gaussian.Cloud
	report pack.Report
}

// arrays packs the splats and counts those of which something was clamped.
func (e *encoder) arrays() [][]byte {
	n := e.c.Len()
	var arrays [][]byte
	for _, s := range e.h.sizes() {
		arrays = append(arrays, make([]byte, 0, s*n))
	}
	var far, size, color, sh int
	for i := range n {
		far += e.positions(&arrays[0], i)
		arrays[1] = append(arrays[1], pack.AlphaByte(e.c.Opacities[i]))
		size += e.sizes(&arrays[3], i)
		e.rotation(&arrays[4], i)
		color += e.color(&arrays[2], i)
		if e.h.degree > 0 {
			sh += e.rest(&arrays[5], i)
		}
	}
	e.report.Counted(far, n, "are farther away than 8388607, where they are put")
	e.report.Counted(size, n, "have a log scale outside of -10..5.94, which is clamped")
	e.report.Counted(color, n, "have a constant coefficient outside of -3.33..3.33, which is clamped")
	e.report.Counted(sh, n, "have SH coefficients outside of -1..0.99, which are clamped")
	return arrays
}

func (e *encoder) positions(dst *[]byte, i int) (clamped int) {
	for _, v := range e.c.Means[3*i : 3*i+3] {
		fixed := math.Round(math.Ldexp(float64(v), e.h.fraction))
		if math.Abs(fixed) > maxFixed {
			fixed, clamped = math.Copysign(maxFixed, fixed), 1
		}
		u := uint32(int32(fixed))
		*dst = append(*dst, byte(u), byte(u>>8), byte(u>>16))
	}
	return clamped
}

func (e *encoder) sizes(dst *[]byte, i int) (clamped int) {
	for _, v := range e.c.LogScales[3*i : 3*i+3] {
		*dst = append(*dst, quantise(16*(float64(v)+10), &clamped))
	}
	return clamped
}

func (e *encoder) color(dst *[]byte, i int) (clamped int) {
	at := 3 * gaussian.Coefficients(e.h.degree) * i
	for _, v := range e.c.SH[at : at+3] {
		*dst = append(*dst, quantise(255*(float64(v)*colorScale+0.5), &clamped))
	}
	return clamped
}

func (e *encoder) rest(dst *[]byte, i int) (clamped int) {
	stride := 3 * gaussian.Coefficients(e.h.degree)
	for _, v := range e.c.SH[stride*i+3 : stride*(i+1)] {
		*dst = append(*dst, quantise(128*float64(v)+128, &clamped))
	}
	return clamped
}

// quantise rounds v to a byte and sets clamped to 1 where v is outside.
func quantise(v float64, clamped *int) byte {
	if v < -0.5 || v > 255.5 {
		*clamped = 1
	}
	return pack.Byte(v)
}

func (e *encoder) rotation(dst *[]byte, i int) {
	q := pack.Unit(e.c.Quats[4*i : 4*i+4])
	if e.h.version >= 3 {
		*dst = binary.LittleEndian.AppendUint32(*dst, packThree(q))
		return
	}
	sign := math.Copysign(1, q[0])
	for _, v := range q[1:] {
		*dst = append(*dst, pack.Byte(127.5*(sign*v+1)))
	}
}

func (h *header) bytes() []byte {
	b := append([]byte(nil), magic...)
	b = binary.LittleEndian.AppendUint32(b, h.version)
	b = binary.LittleEndian.AppendUint32(b, h.points)
	return append(b, byte(h.degree), byte(h.fraction), h.flags, 0)
}

func writeGzip(w io.Writer, h *header, arrays [][]byte) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, b := range append([][]byte{h.bytes()}, arrays...) {
		if _, err := z.Write(b); err != nil {
			return err
		}
	}
	return z.Close()
}

func write4(w io.Writer, h *header, arrays [][]byte) error {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(false))
	if err != nil {
		return err
	}
	defer z.Close()
	head := h.bytes()
	head[15] = byte(len(arrays))
	head = binary.LittleEndian.AppendUint32(head, headerSize4)
	head = append(head, make([]byte, headerSize4-len(head))...)
	var body bytes.Buffer
	for _, a := range arrays {
		packed := z.EncodeAll(a, nil)
		head = binary.LittleEndian.AppendUint64(head, uint64(len(packed)))
		head = binary.LittleEndian.AppendUint64(head, uint64(len(a)))
		body.Write(packed)
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err = w.Write(body.Bytes())
	return err
}
