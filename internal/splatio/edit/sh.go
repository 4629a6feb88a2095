package edit

import (
	"math"

	"splat/internal/gaussian"
	"splat/internal/geom"
)

// bandRotation returns the matrix, of 2l+1 rows, that takes the coefficients of a
// function of band l to those of the function turned by r. It is found by comparing
// the two in enough directions, in the sense of least squares; the system is well
// conditioned, since the functions are orthogonal.
func bandRotation(l int, r geom.Mat3) []float64 {
	n := 2*l + 1
	back := r.T()
	normal, right := make([]float64, n*n), make([]float64, n*n)
	for _, d := range directions(8 * n) {
		turned, before := band(l, d), band(l, back.MulVec(d))
		for a := range n {
			for b := range n {
				normal[a*n+b] += turned[a] * turned[b]
				right[a*n+b] += turned[a] * before[b]
			}
		}
	}
	return solve(normal, right, n)
}

// directions returns n unit vectors spread evenly over the sphere.
func directions(n int) []geom.Vec3 {
	golden := math.Pi * (3 - math.Sqrt(5))
	list := make([]geom.Vec3, n)
	for i := range list {
		z := 1 - (2*float64(i)+1)/float64(n)
		s, c := math.Sincos(golden * float64(i))
		flat := math.Sqrt(1 - z*z)
		list[i] = geom.Vec3{flat * c, flat * s, z}
	}
	return list
}

// band returns the values of the functions of degree l in the direction d.
func band(l int, d geom.Vec3) []float64 {
	if l < gaussian.MaxDegree {
		b := gaussian.SHBasis(l, d)
		return b[l*l : (l+1)*(l+1)]
	}
	x, y, z := d[0], d[1], d[2]
	xx, yy, zz := x*x, y*y, z*z
	return []float64{ // degree 4, with the signs of the lower ones
		2.5033429417967046 * x * y * (xx - yy),
		-1.7701307697799304 * y * z * (3*xx - yy),
		0.9461746957575601 * x * y * (7*zz - 1),
		-0.6690465435572892 * y * z * (7*zz - 3),
		0.10578554691520431 * (zz*(35*zz-30) + 3),
		-0.6690465435572892 * x * z * (7*zz - 3),
		0.47308734787878004 * (xx - yy) * (7*zz - 1),
		-1.7701307697799304 * x * z * (xx - 3*yy),
		0.6258357354491761 * (xx*(xx-3*yy) - yy*(3*xx-yy)),
	}
}

// solve returns X of A X = B by elimination with pivots; all are n x n.
func solve(a, b []float64, n int) []float64 {
	for col := range n {
		pivot := col
		for row := col + 1; row < n; row++ {
			if math.Abs(a[row*n+col]) > math.Abs(a[pivot*n+col]) {
				pivot = row
			}
		}
		swapRows(a, col, pivot, n)
		swapRows(b, col, pivot, n)
		for row := range n {
			if row == col {
				continue
			}
			f := a[row*n+col] / a[col*n+col]
			for k := range n {
				a[row*n+k] -= f * a[col*n+k]
				b[row*n+k] -= f * b[col*n+k]
			}
		}
	}
	for row := range n {
		for k := range n {
			b[row*n+k] /= a[row*n+row]
		}
	}
	return b
}

func swapRows(m []float64, i, j, n int) {
	for k := range n {
		m[i*n+k], m[j*n+k] = m[j*n+k], m[i*n+k]
	}
}
