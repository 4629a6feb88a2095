package cpu

import "splat/internal/kernel"

// backward adds to out the gradients of a splat's stored parameters, given sum,
// the gradients of what project wrote (mean2d, conic, opacity, colour). It is the
// chain rule through projectSplat and splatColor, in reverse.
func backward[F Float](p *splatView[F], step *kernel.Step, row, sh []F, sum *[kernel.SlotRow]F, out *splatGradient[F]) {
	dt := backwardColor(step, row, sh, sum, out)
	dCov, dOpacity := backwardConic(p, step, sum)
	out.geom[kernel.GeomOpacity] += dOpacity * p.comp * p.opacity * (1 - p.opacity)
	dSigma, camera := backwardImage(p, step, dCov)
	backwardMean(p, step, sum, &camera)
	for k := range 3 {
		out.geom[kernel.GeomMean+k] += dt[k] +
			F(step.R[k])*camera[0] + F(step.R[3+k])*camera[1] + F(step.R[6+k])*camera[2]
	}
	backwardCovariance(p, row, dSigma, out)
}

// backwardColor fills basis and color and returns the gradient of the mean that
// comes through the viewing direction.
func backwardColor[F Float](step *kernel.Step, row, sh []F, sum *[kernel.SlotRow]F, out *splatGradient[F]) (dMean [3]F) {
	degree := int(step.SHDegree)
	d, length := viewDirection(step, row)
	shBasis(&out.basis, degree, d[0], d[1], d[2])
	n := kernel.Coefficients(degree)
	for c := range 3 {
		value := F(0.5)
		for k := range n {
			value += out.basis[k] * sh[3*k+c]
		}
		if value > 0 { // clamped colours have no gradient
			out.color[c] = sum[kernel.SlotColor+c]
		}
	}
	var w [16]F
	for k := range n {
		w[k] = sh[3*k]*out.color[0] + sh[3*k+1]*out.color[1] + sh[3*k+2]*out.color[2]
	}
	var dd [3]F
	shBasisGradient(&dd, &w, degree, d[0], d[1], d[2])
	along := dd[0]*d[0] + dd[1]*d[1] + dd[2]*d[2]
	for k := range 3 {
		dMean[k] = (dd[k] - along*d[k]) / length
	}
	return dMean
}

// backwardConic returns the gradients of the image covariance (xx, xy as one
// parameter, yy), before the blur, and of the compensated opacity.
func backwardConic[F Float](p *splatView[F], step *kernel.Step, sum *[kernel.SlotRow]F) (dCov [3]F, dOpacity F) {
	id := 1 / p.det
	ka, kb, kc := p.c*id, -p.b*id, p.a*id
	va, vb, vc := sum[kernel.SlotConicA], 0.5*sum[kernel.SlotConicB], sum[kernel.SlotConicC]
	// -K V K for symmetric 2x2 matrices
	m00, m01 := ka*va+kb*vb, ka*vb+kb*vc
	m10, m11 := kb*va+kc*vb, kb*vb+kc*vc
	dCov[0] = -(m00*ka + m01*kb)
	dCov[1] = -2 * (m00*kb + m01*kc)
	dCov[2] = -(m10*kb + m11*kc)
	dOpacity = sum[kernel.SlotOpacity]
	if step.Mode&kernel.ModeAntialiased != 0 && p.comp > 0 {
		r := p.comp * p.comp
		k := dOpacity * p.opacity * 0.5 / p.comp * id
		dCov[0] += k * (p.c - p.blur - r*p.c)
		dCov[1] += k * 2 * p.b * (r - 1)
		dCov[2] += k * (p.a - p.blur - r*p.a)
	}
	return dCov, dOpacity
}

// backwardImage returns the gradients of the world covariance (xx xy xz yy yz zz,
// each off-diagonal one counted once as a matrix entry) and of the mean in the
// camera frame through the Jacobian.
func backwardImage[F Float](p *splatView[F], step *kernel.Step, dCov [3]F) (dSigma [6]F, dt [3]F) {
	m0, m1 := p.m[0:3], p.m[3:6]
	ga, gb, gc := dCov[0], 0.5*dCov[1], dCov[2]
	at := 0
	for i := range 3 {
		for j := i; j < 3; j++ {
			dSigma[at] = ga*m0[i]*m0[j] + gb*(m0[i]*m1[j]+m1[i]*m0[j]) + gc*m1[i]*m1[j]
			at++
		}
	}
	s0, s1 := symmetric(&p.sigma, m0), symmetric(&p.sigma, m1)
	var j00, j02, j11, j12 F // gradients of the Jacobian's entries
	for k := range 3 {
		d0 := 2 * (ga*s0[k] + gb*s1[k])
		d1 := 2 * (gb*s0[k] + gc*s1[k])
		j00 += d0 * F(step.R[k])
		j02 += d0 * F(step.R[6+k])
		j11 += d1 * F(step.R[3+k])
		j12 += d1 * F(step.R[6+k])
	}
	fx, fy := F(step.Fx), F(step.Fy)
	iz := 1 / p.t[2]
	dt[2] = -iz * iz * (fx*(j00-p.u*j02) + fy*(j11-p.v*j12))
	du, dv := -fx*iz*j02, -fy*iz*j12
	if !p.clampU {
		dt[0] += du * iz
		dt[2] -= du * p.u * iz
	}
	if !p.clampV {
		dt[1] += dv * iz
		dt[2] -= dv * p.v * iz
	}
	return dSigma, dt
}

// backwardMean adds the gradient of the projected mean.
func backwardMean[F Float](p *splatView[F], step *kernel.Step, sum *[kernel.SlotRow]F, dt *[3]F) {
	iz := 1 / p.t[2]
	gx, gy := sum[kernel.SlotX]*F(step.Fx)*iz, sum[kernel.SlotY]*F(step.Fy)*iz
	dt[0] += gx
	dt[1] += gy
	dt[2] -= (gx*p.t[0] + gy*p.t[1]) * iz
}

// backwardCovariance adds the gradients of quaternion and log scales through
// Sigma = (R S)(R S)^T, with R of the normalised quaternion.
func backwardCovariance[F Float](p *splatView[F], row []F, s [6]F, out *splatGradient[F]) {
	full := [9]F{s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]}
	var dR [9]F
	for k := range 3 {
		var dScale F
		for i := range 3 {
			// dM = 2 dSigma M, M = R S
			dm := 2 * p.scale[k] * (full[3*i]*p.rot[k] + full[3*i+1]*p.rot[3+k] + full[3*i+2]*p.rot[6+k])
			dScale += dm * p.rot[3*i+k]
			dR[3*i+k] = dm * p.scale[k]
		}
		out.geom[kernel.GeomScale+k] += dScale * p.scale[k]
	}
	backwardQuaternion(row, &dR, out)
}

func backwardQuaternion[F Float](row []F, d *[9]F, out *splatGradient[F]) {
	n := sqrt(row[4]*row[4] + row[5]*row[5] + row[6]*row[6] + row[7]*row[7])
	w, x, y, z := row[4]/n, row[5]/n, row[6]/n, row[7]/n
	var q [4]F
	q[0] = 2 * (x*(d[7]-d[5]) + y*(d[2]-d[6]) + z*(d[3]-d[1]))
	q[1] = 2 * (y*(d[1]+d[3]) + z*(d[2]+d[6]) + w*(d[7]-d[5]) - 2*x*(d[4]+d[8]))
	q[2] = 2 * (x*(d[1]+d[3]) + z*(d[5]+d[7]) + w*(d[2]-d[6]) - 2*y*(d[0]+d[8]))
	q[3] = 2 * (x*(d[2]+d[6]) + y*(d[5]+d[7]) + w*(d[3]-d[1]) - 2*z*(d[0]+d[4]))
	along := q[0]*w + q[1]*x + q[2]*y + q[3]*z
	unit := [4]F{w, x, y, z}
	for k := range 4 {
		out.geom[kernel.GeomQuat+k] += (q[k] - along*unit[k]) / n
	}
}
