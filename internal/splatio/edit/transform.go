package edit

import (
	"math"

	"splat/internal/gaussian"
	"splat/internal/geom"
	"splat/internal/splatio/pack"
)

// Transform is a similarity: x becomes R Scale x + Offset.
type Transform struct {
	Rotation geom.Quat // of length one
	Scale    float64   // positive
	Offset   geom.Vec3
}

// Identity changes nothing.
var Identity = Transform{Rotation: geom.Quat{1, 0, 0, 0}, Scale: 1}

// Euler returns the rotation by degrees about the fixed axes x, then y, then z.
func Euler(x, y, z float64) geom.Quat {
	q := geom.Quat{1, 0, 0, 0}
	for k, degrees := range [3]float64{x, y, z} {
		half := degrees * math.Pi / 360
		turn := geom.Quat{math.Cos(half)}
		turn[1+k] = math.Sin(half)
		q = times(turn, q)
	}
	return q
}

// times is the quaternion of rotation b, then a.
func times(a, b geom.Quat) geom.Quat {
	return geom.Quat{
		a[0]*b[0] - a[1]*b[1] - a[2]*b[2] - a[3]*b[3],
		a[0]*b[1] + a[1]*b[0] + a[2]*b[3] - a[3]*b[2],
		a[0]*b[2] - a[1]*b[3] + a[2]*b[0] + a[3]*b[1],
		a[0]*b[3] + a[1]*b[2] - a[2]*b[1] + a[3]*b[0],
	}
}

// Apply transforms the cloud in place: positions, sizes, rotations and SH.
func (t Transform) Apply(c *gaussian.Cloud) {
	if t == Identity {
		return
	}
	r, grow := t.Rotation.Matrix(), math.Log(t.Scale)
	for i := range c.Len() {
		m := r.MulVec(c.Mean(i)).Scale(t.Scale).Add(t.Offset)
		for k := range 3 {
			c.Means[3*i+k] = float32(m[k])
			c.LogScales[3*i+k] += float32(grow)
		}
	}
	if t.Rotation == Identity.Rotation {
		return
	}
	for i := range c.Len() {
		pack.SetQuat(c, i, times(t.Rotation, pack.Unit(c.Quats[4*i:4*i+4])))
	}
	rotateSH(c, r)
}

// rotateSH turns the colours of all splats by r: band by band, since a rotation mixes
// the functions of one degree only.
func rotateSH(c *gaussian.Cloud, r geom.Mat3) {
	stride := 3 * gaussian.Coefficients(c.SHDegree)
	for l := 1; l <= c.SHDegree; l++ {
		n := 2*l + 1
		d := bandRotation(l, r)
		out := make([]float64, 3*n)
		for i := range c.Len() {
			band := c.SH[stride*i+3*l*l : stride*i+3*(l+1)*(l+1)]
			clear(out)
			for row := range n {
				for col := range n {
					for ch := range 3 {
						out[3*row+ch] += d[row*n+col] * float64(band[3*col+ch])
					}
				}
			}
			for k := range band {
				band[k] = float32(out[k])
			}
		}
	}
}
