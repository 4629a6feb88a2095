package ply

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// Log scales beyond are clamped: one huge splat would take the resolution of all
// others in its chunk.
const maxPackedScale = 20

// EncodePacked writes the cloud as compressed PLY and returns what of it the format
// cannot hold. Splats are put into an order in which those of a chunk are
// neighbours. All values must be finite.
func EncodePacked(w io.Writer, c *gaussian.Cloud) (lost []string, err error) {
	e := &packer{c: c, order: pack.Morton(c)}
	parts := [][]byte{e.header(), e.chunks(), e.splats}
	if c.SHDegree > 0 {
		parts = append(parts, e.rest())
	}
	for _, b := range parts {
		if _, err := w.Write(b); err != nil {
			return nil, err
		}
	}
	var report pack.Report
	report.Counted(e.scales, c.Len(), fmt.Sprintf("have a log scale outside of -%d..%d, which is clamped", maxPackedScale, maxPackedScale))
	report.Counted(e.sh, c.Len(), "have SH coefficients outside of -4..4, which are clamped")
	return report.Warnings, nil
}

type packer struct {
	c          *gaussian.Cloud
	order      []int
	splats     []byte
	scales, sh int // splats that were clamped
}

func (e *packer) header() []byte {
	var b bytes.Buffer
	n := len(e.order)
	b.WriteString("ply\nformat binary_little_endian 1.0\n")
	if e.c.Antialiased {
		b.WriteString("comment antialiased 1\n")
	}
	fmt.Fprintf(&b, "element chunk %d\n", (n+chunkRows-1)/chunkRows)
	for _, name := range strings.Fields(boundNames + " " + colorNames) {
		fmt.Fprintf(&b, "property float %s\n", name)
	}
	fmt.Fprintf(&b, "element vertex %d\n", n)
	for _, name := range strings.Fields(packedProps) {
		fmt.Fprintf(&b, "property uint %s\n", name)
	}
	if e.c.SHDegree > 0 {
		fmt.Fprintf(&b, "element sh %d\n", n)
	}
	for i := range 3 * (gaussian.Coefficients(e.c.SHDegree) - 1) {
		fmt.Fprintf(&b, "property uchar f_rest_%d\n", i)
	}
	b.WriteString("end_header\n")
	return b.Bytes()
}

// chunks returns the bounds of all chunks and leaves their splats in splats.
func (e *packer) chunks() (bounds []byte) {
	for at := 0; at < len(e.order); at += chunkRows {
		members := e.order[at:min(at+chunkRows, len(e.order))]
		b := e.bounds(members)
		bounds = appendFloats(bounds, b[:]...)
		for _, i := range members {
			e.splat(i, &b)
		}
	}
	return bounds
}

// values returns position, log scale and colour of splat i, and whether a log scale
// was clamped.
func (e *packer) values(i int) (v [3][3]float32, clamped bool) {
	sh := e.c.SH[3*gaussian.Coefficients(e.c.SHDegree)*i:]
	for k := range 3 {
		s := e.c.LogScales[3*i+k]
		clamped = clamped || s > maxPackedScale || s < -maxPackedScale
		v[0][k] = e.c.Means[3*i+k]
		v[1][k] = min(max(s, -maxPackedScale), maxPackedScale)
		v[2][k] = float32(gaussian.SH0ToRGB(float64(sh[k])))
	}
	return v, clamped
}

func (e *packer) bounds(members []int) (b [18]float32) {
	for n, i := range members {
		v, clamped := e.values(i)
		if clamped {
			e.scales++
		}
		for group := range 3 {
			for k := range 3 {
				lo, hi := &b[6*group+k], &b[6*group+3+k]
				if x := v[group][k]; n == 0 {
					*lo, *hi = x, x
				} else {
					*lo, *hi = min(*lo, x), max(*hi, x)
				}
			}
		}
	}
	return b
}

func (e *packer) splat(i int, b *[18]float32) {
	v, _ := e.values(i)
	var position, scale, color uint32
	for k := range 3 {
		position |= step(v[0][k], b[k], b[3+k], wordMax[k]) << wordShift[k]
		scale |= step(v[1][k], b[6+k], b[9+k], wordMax[k]) << wordShift[k]
		color |= step(v[2][k], b[12+k], b[15+k], 255) << (24 - 8*k)
	}
	color |= uint32(pack.AlphaByte(e.c.Opacities[i]))
	for _, word := range []uint32{position, packRotation(pack.Unit(e.c.Quats[4*i : 4*i+4])), scale, color} {
		e.splats = binary.LittleEndian.AppendUint32(e.splats, word)
	}
}

// step is the position of v between lo and hi in steps.
func step(v, lo, hi float32, steps uint32) uint32 {
	span := float64(hi) - float64(lo)
	if !(span > 0) {
		return 0
	}
	t := (float64(v) - float64(lo)) / span
	return uint32(min(max(math.Round(t*float64(steps)), 0), float64(steps)))
}

func packRotation(q [4]float64) uint32 {
	largest := pack.Largest(q)
	sign := math.Copysign(1, q[largest])
	word := uint32(largest)
	for k, v := range q {
		if k != largest {
			word = word<<10 | uint32(min(max(math.Round((sign*v/math.Sqrt2+0.5)*1023), 0), 1023))
		}
	}
	return word
}

func (e *packer) rest() (b []byte) {
	rest := gaussian.Coefficients(e.c.SHDegree) - 1
	for _, i := range e.order {
		sh := e.c.SH[3*(rest+1)*i:]
		clamped := false
		for channel := range 3 {
			for k := range rest {
				v := float64(sh[3*(k+1)+channel])
				clamped = clamped || math.Abs(v) > 4
				b = append(b, byte(min(max((v+4)*32, 0), 255)))
			}
		}
		if clamped {
			e.sh++
		}
	}
	return b
}
