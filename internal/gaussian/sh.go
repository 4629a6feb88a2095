package gaussian

import "splat/internal/geom"

// The constants of the real spherical harmonics up to degree 3. With the signs
// of SHBasis they are the ones of the original 3DGS code, which all splat files
// follow: the odd orders carry the Condon-Shortley sign.
const (
	SHC0 = 0.28209479177387814 // sqrt(1/(4 pi))
	SHC1 = 0.4886025119029199  // sqrt(3/(4 pi))

	SHC2xy = 1.0925484305920792  // also yz and xz
	SHC2zz = 0.31539156525252005 // 2z^2 - x^2 - y^2
	SHC2xx = 0.5462742152960396  // x^2 - y^2

	SHC3y3 = 0.5900435899266435 // y (3x^2 - y^2), x (x^2 - 3y^2)
	SHC3xy = 2.890611442640554  // x y z
	SHC3yz = 0.4570457994644658 // y and x times (4z^2 - x^2 - y^2)
	SHC3zz = 0.3731763325901154 // z (2z^2 - 3x^2 - 3y^2)
	SHC3xx = 1.445305721320277  // z (x^2 - y^2)
)

// MaxEvalDegree is the highest degree that SHBasis evaluates. Clouds of degree
// 4 can be held and written; their fourth band is not drawn.
const MaxEvalDegree = 3

// SHBasis returns the values of the basis functions in the unit direction d
// (from the camera to the splat). Bands above degree are zero.
func SHBasis(degree int, d geom.Vec3) [16]float64 {
	var b [16]float64
	b[0] = SHC0
	x, y, z := d[0], d[1], d[2]
	if degree >= 1 {
		b[1], b[2], b[3] = -SHC1*y, SHC1*z, -SHC1*x
	}
	xx, yy, zz := x*x, y*y, z*z
	if degree >= 2 {
		b[4] = SHC2xy * x * y
		b[5] = -SHC2xy * y * z
		b[6] = SHC2zz * (2*zz - xx - yy)
		b[7] = -SHC2xy * x * z
		b[8] = SHC2xx * (xx - yy)
	}
	if degree >= 3 {
		b[9] = -SHC3y3 * y * (3*xx - yy)
		b[10] = SHC3xy * x * y * z
		b[11] = -SHC3yz * y * (4*zz - xx - yy)
		b[12] = SHC3zz * z * (2*zz - 3*xx - 3*yy)
		b[13] = -SHC3yz * x * (4*zz - xx - yy)
		b[14] = SHC3xx * z * (xx - yy)
		b[15] = -SHC3y3 * x * (xx - 3*yy)
	}
	return b
}

// EvalSH returns the SH sum of one splat in the unit direction d, a value a
// channel, without the offset of 0.5. sh holds the splat's coefficients,
// coefficient-major with RGB inner, at least as many as degree needs. This is
// the float64 reference that the kernels are compared with.
func EvalSH(degree int, sh []float32, d geom.Vec3) geom.Vec3 {
	degree = min(degree, MaxEvalDegree)
	basis := SHBasis(degree, d)
	var sum geom.Vec3
	for k := range Coefficients(degree) {
		for c := range 3 {
			sum[c] += basis[k] * float64(sh[3*k+c])
		}
	}
	return sum
}

// Color returns what a splat looks like from the unit direction d: the SH sum
// plus 0.5, clamped at 0 from below.
func Color(degree int, sh []float32, d geom.Vec3) geom.Vec3 {
	col := EvalSH(degree, sh, d)
	for c := range col {
		col[c] = max(col[c]+0.5, 0)
	}
	return col
}

// RGBToSH0 returns the constant coefficient that shows as the colour c (0..1).
func RGBToSH0(c float64) float64 { return (c - 0.5) / SHC0 }

// SH0ToRGB is the inverse of RGBToSH0.
func SH0ToRGB(sh float64) float64 { return sh*SHC0 + 0.5 }
