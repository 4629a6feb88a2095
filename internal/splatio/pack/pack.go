// Package pack holds what the packed splat formats share: 8-bit opacities and
// colours, quaternions, the turn between the axes of two conventions, and limits on
// what compressed data may grow to.
package pack

import (
	"fmt"
	"math"

	"splat/internal/gaussian"
)

// Report says what was found in a file besides the splats.
type Report struct {
	Format   string   // as "splat info" names it
	Warnings []string // what was odd but could be handled, one line each
}

// Warnf adds a warning.
func (r *Report) Warnf(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// Counted adds a warning that begins with "N of TOTAL splats", unless n is zero.
func (r *Report) Counted(n, total int, what string) {
	if n > 0 {
		r.Warnf("%d of %d splats %s", n, total, what)
	}
}

// The growth that compressed data is allowed: real files stay below 30 times,
// with the cloud that is made of them.
const (
	maxGrowth = 100
	slack     = 1 << 20
)

// Limit is how many bytes the content of a compressed file of size bytes may have.
// What claims more is taken for an attack or for damage.
func Limit(size int64) int64 { return maxGrowth*size + slack }

// Floor is the logarithm that stands for a size of zero.
const Floor = -20

// LogSize is the stored form of a linear size: at least Floor; NaN for what is no
// size.
func LogSize(size float64) float32 {
	if size < 0 {
		return float32(math.NaN())
	}
	return float32(max(math.Log(size), Floor))
}

// Byte rounds v to a byte, clamped.
func Byte(v float64) byte {
	if !(v > 0) {
		return 0
	}
	return byte(min(v+0.5, 255))
}

// edge is the opacity, or what it lacks to one, that the bytes 0 and 255 stand for:
// the middle of what is rounded to them, so that their logits are finite.
const edge = 1.0 / 1020

// Alpha is the logit of an opacity of 8 bits.
func Alpha(b byte) float32 {
	return float32(gaussian.Logit(min(max(float64(b)/255, edge), 1-edge)))
}

// AlphaByte is the opacity of a logit in 8 bits.
func AlphaByte(logit float32) byte { return Byte(255 * gaussian.Sigmoid(float64(logit))) }

// Color is the constant SH coefficient of a colour of 8 bits.
func Color(b byte) float32 { return float32(gaussian.RGBToSH0(float64(b) / 255)) }

// ColorByte is the colour of a constant SH coefficient in 8 bits; colours outside of
// 0..1 are clamped.
func ColorByte(sh float32) byte { return Byte(255 * gaussian.SH0ToRGB(float64(sh))) }

// Unit returns a quaternion w x y z of length one; that of no rotation for one of
// length zero.
func Unit(q []float32) [4]float64 {
	u := [4]float64{float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])}
	n := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2] + u[3]*u[3])
	if !(n > 0) {
		return [4]float64{1, 0, 0, 0}
	}
	for k := range u {
		u[k] /= n
	}
	return u
}

// Largest returns the position of the component of the largest magnitude, the first
// of equal ones.
func Largest(q [4]float64) int {
	at := 0
	for k := range q {
		if math.Abs(q[k]) > math.Abs(q[at]) {
			at = k
		}
	}
	return at
}

// Complete sets the component at of a unit quaternion from the other three.
func Complete(q *[4]float64, at int) {
	q[at] = 0
	q[at] = math.Sqrt(max(0, 1-q[0]*q[0]-q[1]*q[1]-q[2]*q[2]-q[3]*q[3]))
}

// SetQuat stores a quaternion as that of splat i.
func SetQuat(c *gaussian.Cloud, i int, q [4]float64) {
	for k, v := range q {
		c.Quats[4*i+k] = float32(v)
	}
}

// FlipYZ turns a cloud, in place, by half a turn about x: from axes right, down,
// front (PLY files) to right, up, back (SPZ, glTF) and the other way.
func FlipYZ(c *gaussian.Cloud) {
	for i := range c.Len() {
		c.Means[3*i+1], c.Means[3*i+2] = 0-c.Means[3*i+1], 0-c.Means[3*i+2] // no zero becomes -0
		c.Quats[4*i+2], c.Quats[4*i+3] = -c.Quats[4*i+2], -c.Quats[4*i+3]
	}
	signs := flipSigns(c.SHDegree)
	for k := range c.SH {
		c.SH[k] *= signs[k/3%len(signs)]
	}
}

// flipSigns is how each SH function changes when y and z change their signs: those of
// a negative order are odd in y, those with an odd sum of degree and order in z.
func flipSigns(degree int) []float32 {
	signs := make([]float32, 0, gaussian.Coefficients(degree))
	for l := range degree + 1 {
		for m := -l; m <= l; m++ {
			s := float32(1)
			if (m < 0) != ((l+m)%2 != 0) {
				s = -1
			}
			signs = append(signs, s)
		}
	}
	return signs
}

// Half is the value of a float of 16 bits.
func Half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, int(h>>10&31), float64(h&1023)
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -24)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | uint32(h&1023)<<13)
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	return math.Float32frombits(sign | math.Float32bits(float32(v)))
}
