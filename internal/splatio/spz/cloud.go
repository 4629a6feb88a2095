package spz

import (
	"encoding/binary"
	"math"

	"splat/internal/gaussian"
	"splat/internal/splatio/pack"
)

// colorScale is what a step of the constant coefficient is in a colour of 0..1.
const colorScale = 0.15

// cloud makes splats of the arrays, in the axes of the file.
func (h *header) cloud(arrays [][]byte) *gaussian.Cloud {
	c := gaussian.New(int(h.points), h.degree)
	coefficients := gaussian.Coefficients(h.degree)
	for i := range c.Len() {
		h.position(c.Means[3*i:3*i+3], arrays[0], i)
		c.Opacities[i] = pack.Alpha(arrays[1][i])
		sh := c.SH[3*coefficients*i : 3*coefficients*(i+1)]
		for k := range 3 {
			sh[k] = float32((float64(arrays[2][3*i+k])/255 - 0.5) / colorScale)
			c.LogScales[3*i+k] = float32(arrays[3][3*i+k])/16 - 10
		}
		pack.SetQuat(c, i, h.rotation(arrays[4], i))
		if h.degree > 0 {
			rest := arrays[5][(len(sh)-3)*i:]
			for k := range sh[3:] {
				sh[3+k] = float32(int(rest[k])-128) / 128
			}
		}
	}
	return c
}

func (h *header) position(dst []float32, array []byte, i int) {
	for k := range dst {
		if h.version == 1 {
			dst[k] = pack.Half(binary.LittleEndian.Uint16(array[6*i+2*k:]))
			continue
		}
		b := array[9*i+3*k:]
		fixed := int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24) >> 8
		dst[k] = float32(math.Ldexp(float64(fixed), -h.fraction))
	}
}

// rotation returns the quaternion of splat i as w x y z.
func (h *header) rotation(array []byte, i int) [4]float64 {
	if h.version < 3 {
		q := [4]float64{}
		for k := range 3 {
			q[1+k] = float64(array[3*i+k])/127.5 - 1
		}
		pack.Complete(&q, 0)
		return q
	}
	return smallestThree(binary.LittleEndian.Uint32(array[4*i:]))
}

// The smallest three of a rotation: 2 bits with the place of the largest among
// x y z w, then the others in that order, each a sign and a magnitude of 9 bits in
// units of sqrt(1/2)/511.
const (
	magnitude = 511
	unit      = math.Sqrt2 / 2 / magnitude
)

func smallestThree(packed uint32) [4]float64 {
	var q [4]float64 // w x y z
	largest := int(packed >> 30)
	for k := 3; k >= 0; k-- {
		if k == largest {
			continue
		}
		v := float64(packed&magnitude) * unit
		if packed>>9&1 != 0 {
			v = -v
		}
		q[(k+1)%4] = v
		packed >>= 10
	}
	pack.Complete(&q, (largest+1)%4)
	return q
}

// packThree is the inverse of smallestThree, for a quaternion of length one.
func packThree(q [4]float64) uint32 {
	at := pack.Largest(q)
	largest := (at + 3) % 4
	packed := uint32(largest)
	for k := range 4 {
		if k == largest {
			continue
		}
		v := q[(k+1)%4]
		negative := uint32(0)
		if (v < 0) != (q[at] < 0) {
			negative = 1
		}
		packed = packed<<10 | negative<<9 | uint32(min(math.Round(math.Abs(v)/unit), magnitude))
	}
	return packed
}
