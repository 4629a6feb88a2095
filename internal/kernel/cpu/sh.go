package cpu

// Real spherical harmonics in the INRIA sign convention, as basis values: the
// colour of a splat is sum_k Y_k(d) sh_k + 0.5. The constants are those of the
// orthonormal real basis.
const (
	shC0 = 0.28209479177387814
	shC1 = 0.4886025119029199
	shC2 = 1.0925484305920792
	shC3 = 0.31539156525252005
	shC4 = 0.5462742152960396
	shC5 = 0.5900435899266435
	shC6 = 2.890611442640554
	shC7 = 0.4570457994644658
	shC8 = 0.3731763325901154
	shC9 = 1.445305721320277
)

// shBasis fills y with the (degree+1)^2 basis values of the unit direction (x, y, z).
func shBasis[F Float](out *[16]F, degree int, x, y, z F) {
	out[0] = shC0
	if degree < 1 {
		return
	}
	out[1], out[2], out[3] = -shC1*y, shC1*z, -shC1*x
	if degree < 2 {
		return
	}
	xx, yy, zz := x*x, y*y, z*z
	out[4], out[5], out[6] = shC2*x*y, -shC2*y*z, shC3*(2*zz-xx-yy)
	out[7], out[8] = -shC2*x*z, shC4*(xx-yy)
	if degree < 3 {
		return
	}
	out[9] = -shC5 * y * (3*xx - yy)
	out[10] = shC6 * x * y * z
	out[11] = -shC7 * y * (4*zz - xx - yy)
	out[12] = shC8 * z * (2*zz - 3*xx - 3*yy)
	out[13] = -shC7 * x * (4*zz - xx - yy)
	out[14] = shC9 * z * (xx - yy)
	out[15] = -shC5 * x * (xx - 3*yy)
}

// shBasisGradient adds to d the gradient with respect to (x, y, z) of
// sum_k w_k Y_k(x, y, z), the basis taken as polynomials of independent x, y, z.
func shBasisGradient[F Float](d *[3]F, w *[16]F, degree int, x, y, z F) {
	if degree < 1 {
		return
	}
	d[0] -= shC1 * w[3]
	d[1] -= shC1 * w[1]
	d[2] += shC1 * w[2]
	if degree < 2 {
		return
	}
	d[0] += shC2*y*w[4] - 2*shC3*x*w[6] - shC2*z*w[7] + 2*shC4*x*w[8]
	d[1] += shC2*x*w[4] - shC2*z*w[5] - 2*shC3*y*w[6] - 2*shC4*y*w[8]
	d[2] += -shC2*y*w[5] + 4*shC3*z*w[6] - shC2*x*w[7]
	if degree < 3 {
		return
	}
	xx, yy, zz := x*x, y*y, z*z
	d[0] += -6*shC5*x*y*w[9] + shC6*y*z*w[10] + 2*shC7*x*y*w[11] - 6*shC8*x*z*w[12] -
		shC7*(4*zz-3*xx-yy)*w[13] + 2*shC9*x*z*w[14] - 3*shC5*(xx-yy)*w[15]
	d[1] += -3*shC5*(xx-yy)*w[9] + shC6*x*z*w[10] - shC7*(4*zz-xx-3*yy)*w[11] - 6*shC8*y*z*w[12] +
		2*shC7*x*y*w[13] - 2*shC9*y*z*w[14] + 6*shC5*x*y*w[15]
	d[2] += shC6*x*y*w[10] - 8*shC7*y*z*w[11] + shC8*(6*zz-3*xx-3*yy)*w[12] -
		8*shC7*x*z*w[13] + shC9*(xx-yy)*w[14]
}
