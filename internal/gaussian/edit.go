package gaussian

import (
	"fmt"
	"math"
	"slices"

	"splat/internal/geom"
)

// MaxDegree is the highest SH degree a Cloud can hold.
const MaxDegree = 4

// array is one of the arrays of a cloud: its values, how many a splat has, and
// its name in messages.
type array struct {
	name   string
	values *[]float32
	stride int
}

func (c *Cloud) arrays() [5]array {
	return [5]array{
		{"mean", &c.Means, 3},
		{"quaternion", &c.Quats, 4},
		{"log scale", &c.LogScales, 3},
		{"opacity", &c.Opacities, 1},
		{"SH", &c.SH, 3 * Coefficients(c.SHDegree)},
	}
}

// Check reports an error unless all arrays hold the same number of splats and
// the SH degree is one a Cloud can have.
func (c *Cloud) Check() error {
	if c.SHDegree < 0 || c.SHDegree > MaxDegree {
		return fmt.Errorf("gaussian: SH degree %d, expected 0..%d", c.SHDegree, MaxDegree)
	}
	n := c.Len()
	for _, a := range c.arrays() {
		if len(*a.values) != n*a.stride {
			return fmt.Errorf("gaussian: %s array has %d values, expected %d for %d splats",
				a.name, len(*a.values), n*a.stride, n)
		}
	}
	return nil
}

// Clone returns a copy that shares nothing with c.
func (c *Cloud) Clone() *Cloud {
	d := *c
	for _, a := range d.arrays() {
		*a.values = slices.Clone(*a.values)
	}
	return &d
}

// Append adds the splats of o after those of c. The degrees must agree; see
// SetDegree.
func (c *Cloud) Append(o *Cloud) error {
	if c.SHDegree != o.SHDegree {
		return fmt.Errorf("gaussian: append: SH degree %d to degree %d", o.SHDegree, c.SHDegree)
	}
	from := o.arrays()
	for k, a := range c.arrays() {
		*a.values = append(*a.values, *from[k].values...)
	}
	return nil
}

// Select returns a new cloud of the splats at the indices keep, in that order;
// an index may occur more than once.
func (c *Cloud) Select(keep []int) *Cloud {
	d := *c
	for _, a := range d.arrays() {
		*a.values = gather(*a.values, keep, a.stride)
	}
	return &d
}

func gather(src []float32, keep []int, stride int) []float32 {
	dst := make([]float32, 0, len(keep)*stride)
	for _, i := range keep {
		dst = append(dst, src[i*stride:(i+1)*stride]...)
	}
	return dst
}

// SetDegree changes the SH degree in place: new bands are zero, surplus bands
// are cut off.
func (c *Cloud) SetDegree(degree int) {
	if degree == c.SHDegree {
		return
	}
	from, to := 3*Coefficients(c.SHDegree), 3*Coefficients(degree)
	sh := make([]float32, c.Len()*to)
	for i := range c.Len() {
		copy(sh[i*to:(i+1)*to], c.SH[i*from:(i+1)*from])
	}
	c.SH, c.SHDegree = sh, degree
}

// Transform applies the similarity x' = scale*x + offset in place: to the means
// and to the sizes. scale must be positive.
func (c *Cloud) Transform(scale float64, offset [3]float64) {
	if !(scale > 0) {
		panic(fmt.Sprintf("gaussian: Transform with scale %g", scale))
	}
	for i, x := range c.Means {
		c.Means[i] = float32(scale*float64(x) + offset[i%3])
	}
	grow := math.Log(scale)
	for i, s := range c.LogScales {
		c.LogScales[i] = float32(float64(s) + grow)
	}
}

// Finite reports whether no stored value of splat i is NaN or infinite.
func (c *Cloud) Finite(i int) bool {
	sh := 3 * Coefficients(c.SHDegree)
	return allFinite(c.Means[3*i:3*i+3]) && allFinite(c.Quats[4*i:4*i+4]) &&
		allFinite(c.LogScales[3*i:3*i+3]) && isFinite(c.Opacities[i]) &&
		allFinite(c.SH[sh*i:sh*(i+1)])
}

// NonFinite counts the splats that hold a NaN or an infinity and describes the
// first one, such as "splat 17: opacity NaN"; "" where there is none.
func (c *Cloud) NonFinite() (count int, first string) {
	for i := range c.Len() {
		if c.Finite(i) {
			continue
		}
		if count == 0 {
			first = c.describe(i)
		}
		count++
	}
	return count, first
}

func (c *Cloud) describe(i int) string {
	for _, a := range c.arrays() {
		for _, v := range (*a.values)[i*a.stride : (i+1)*a.stride] {
			if !isFinite(v) {
				return fmt.Sprintf("splat %d: %s %v", i, a.name, v)
			}
		}
	}
	return ""
}

// Bounds returns the corners of the box around the finite means; two zero
// vectors where there is none.
func (c *Cloud) Bounds() (lo, hi geom.Vec3) {
	found := false
	for i := range c.Len() {
		m := c.Mean(i)
		switch {
		case !m.IsFinite():
		case !found:
			lo, hi, found = m, m, true
		default:
			for k, v := range m {
				lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
			}
		}
	}
	return lo, hi
}

// isFinite tests the exponent bits: all ones means NaN or infinity.
func isFinite(v float32) bool {
	const exponent = 0x7f800000
	return math.Float32bits(v)&exponent != exponent
}

func allFinite(vs []float32) bool {
	for _, v := range vs {
		if !isFinite(v) {
			return false
		}
	}
	return true
}
