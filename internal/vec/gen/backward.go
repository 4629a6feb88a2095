package main

import "splat/internal/kernel"

// backwardFunctions emits the way from a splat's sums to the gradients of its
// stored parameters.
func backwardFunctions() {
	function("backwardAVX2", "Splats.Backward", func(p *splats) *value {
		o := p.project()
		g := p.backward(o)
		shown := p.and(p.s("Visible", -1), o.visible)
		for i := range kernel.GeomRow - 1 {
			g[i] = p.and(shown, g[i])
		}
		p.regularise(&g, o.opacity, o.scale)
		return p.finish(&g)
	})
	function("regulariseAVX2", "Splats.Regularise", func(p *splats) *value {
		var g [kernel.GeomRow]*value
		for i := range g {
			g[i] = p.num(0)
		}
		opacity := p.sigmoid(p.s("Geom", kernel.GeomOpacity))
		var scale [3]*value
		for k := range scale {
			scale[k] = p.exp(p.s("Geom", kernel.GeomScale+k))
		}
		p.regularise(&g, opacity, scale)
		return p.finish(&g)
	})
}

// regularise adds the gradients of the mean opacity and the mean scale.
func (p *splats) regularise(g *[kernel.GeomRow]*value, opacity *value, scale [3]*value) {
	slope := p.fnma(opacity, opacity, opacity)
	at := kernel.GeomOpacity
	g[at] = p.fma(p.c("OpacityReg", -1), slope, g[at])
	for k, s := range scale {
		at := kernel.GeomScale + k
		g[at] = p.fma(p.c("ScaleReg", -1), s, g[at])
	}
}

// finish stores the gradients and returns where they, and the parameters, are
// numbers that Adam can take.
func (p *splats) finish(g *[kernel.GeomRow]*value) *value {
	sum := p.num(0)
	for i := range kernel.GeomRow - 1 {
		sum = p.fma(p.s("Geom", i), p.num(0), sum) // 0, or NaN for good
	}
	healthy := p.equal(sum, p.num(0))
	for i, v := range g[:kernel.GeomRow-1] {
		p.set("Gradient", i, v)
		healthy = p.and(healthy, p.le(p.abs(v), p.num(kernel.HugeGradient)))
	}
	p.set("Gradient", kernel.GeomRow-1, p.num(0))
	return healthy
}

// backward is the chain rule through project, in reverse; the gradient of the mean
// starts from what came through the colour.
func (p *splats) backward(o *projection) (g [kernel.GeomRow]*value) {
	cov, dOpacity := p.backwardConic(o)
	g[kernel.GeomOpacity] = p.mul(p.mul(dOpacity, o.comp), p.fnma(o.opacity, o.opacity, o.opacity))
	sigma, camera := p.backwardImage(o, cov)
	gx := p.mul(p.mul(p.s("Sum", kernel.SlotX), p.c("Fx", -1)), o.iz)
	gy := p.mul(p.mul(p.s("Sum", kernel.SlotY), p.c("Fy", -1)), o.iz)
	camera[0], camera[1] = p.add(camera[0], gx), p.add(camera[1], gy)
	camera[2] = p.fnma(p.dot(gx, o.t[0], gy, o.t[1]), o.iz, camera[2])
	for k := range 3 {
		g[k] = p.add(p.s("Gradient", k), p.dot(p.c("R", k), camera[0], p.c("R", 3+k), camera[1], p.c("R", 6+k), camera[2]))
	}
	p.backwardCovariance(o, sigma, &g)
	return g
}

// backwardConic returns the gradients of the image covariance before the blur, and
// of the compensated opacity.
func (p *splats) backwardConic(o *projection) (cov [3]*value, dOpacity *value) {
	id := p.div(p.num(1), o.det)
	ka, kb, kc := p.mul(o.c, id), p.neg(p.mul(o.b, id)), p.mul(o.a, id)
	va, vb, vc := p.s("Sum", kernel.SlotConicA), p.times(p.s("Sum", kernel.SlotConicB), 0.5), p.s("Sum", kernel.SlotConicC)
	// -K V K for symmetric 2x2 matrices
	m00, m01 := p.dot(ka, va, kb, vb), p.dot(ka, vb, kb, vc)
	m10, m11 := p.dot(kb, va, kc, vb), p.dot(kb, vb, kc, vc)
	cov[0] = p.neg(p.dot(m00, ka, m01, kb))
	cov[1] = p.times(p.dot(m00, kb, m01, kc), -2)
	cov[2] = p.neg(p.dot(m10, kb, m11, kc))
	dOpacity = p.s("Sum", kernel.SlotOpacity)

	on := p.and(p.c("Compensate", -1), p.gt(o.comp, p.num(0)))
	r := p.mul(o.comp, o.comp)
	k := p.and(on, p.mul(p.div(p.mul(p.mul(dOpacity, o.opacity), p.num(0.5)), o.comp), id))
	cov[0] = p.fma(k, p.fnma(r, o.c, o.plainC), cov[0])
	cov[1] = p.fma(k, p.mul(p.times(o.b, 2), p.sub(r, p.num(1))), cov[1])
	cov[2] = p.fma(k, p.fnma(r, o.a, o.plainA), cov[2])
	return cov, dOpacity
}

// backwardImage returns the gradients of the world covariance, each off-diagonal
// one as a matrix entry, and of the mean in the camera frame through the Jacobian.
func (p *splats) backwardImage(o *projection, cov [3]*value) (sigma [6]*value, t [3]*value) {
	m0, m1 := o.m[0:3], o.m[3:6]
	ga, gb, gc := cov[0], p.times(cov[1], 0.5), cov[2]
	at := 0
	for i := range 3 {
		for j := i; j < 3; j++ {
			cross := p.dot(m0[i], m1[j], m1[i], m0[j])
			sigma[at] = p.dot(p.mul(ga, m0[i]), m0[j], gb, cross, p.mul(gc, m1[i]), m1[j])
			at++
		}
	}
	s0, s1 := p.symmetric(&o.sigma, m0), p.symmetric(&o.sigma, m1)
	var d0, d1 [3]*value
	for k := range 3 {
		d0[k] = p.times(p.dot(ga, s0[k], gb, s1[k]), 2)
		d1[k] = p.times(p.dot(gb, s0[k], gc, s1[k]), 2)
	}
	row := func(d [3]*value, r int) *value {
		return p.dot(d[0], p.c("R", 3*r), d[1], p.c("R", 3*r+1), d[2], p.c("R", 3*r+2))
	}
	j00, j02, j11, j12 := row(d0, 0), row(d0, 2), row(d1, 1), row(d1, 2)
	fx, fy := p.mul(p.c("Fx", -1), o.iz), p.mul(p.c("Fy", -1), o.iz)
	t[2] = p.neg(p.mul(o.iz, p.dot(fx, p.fnma(o.u, j02, j00), fy, p.fnma(o.v, j12, j11))))
	du := p.and(o.insideU, p.neg(p.mul(p.mul(fx, j02), o.iz)))
	dv := p.and(o.insideV, p.neg(p.mul(p.mul(fy, j12), o.iz)))
	t[0], t[1] = du, dv
	t[2] = p.fnma(dv, o.v, p.fnma(du, o.u, t[2]))
	return sigma, t
}

// backwardCovariance adds the gradients of quaternion and log scales through Sigma
// = (R S)(R S)^T.
func (p *splats) backwardCovariance(o *projection, s [6]*value, g *[kernel.GeomRow]*value) {
	full := [9]*value{s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]}
	var d [9]*value // gradient of R
	for k := range 3 {
		var along *value
		twice := p.times(o.scale[k], 2)
		for i := range 3 {
			dm := p.mul(twice, p.dot(full[3*i], o.rot[k], full[3*i+1], o.rot[3+k], full[3*i+2], o.rot[6+k]))
			if along == nil {
				along = p.mul(dm, o.rot[k])
			} else {
				along = p.fma(dm, o.rot[3*i+k], along)
			}
			d[3*i+k] = p.mul(dm, o.scale[k])
		}
		g[kernel.GeomScale+k] = p.mul(along, o.scale[k])
	}
	inverse := p.div(p.num(1), p.sqrt(o.norm))
	var unit [4]*value
	for k := range unit {
		unit[k] = p.mul(p.s("Geom", kernel.GeomQuat+k), inverse)
	}
	w, x, y, z := unit[0], unit[1], unit[2], unit[3]
	a, b, c := p.sub(d[7], d[5]), p.sub(d[2], d[6]), p.sub(d[3], d[1])
	e, f, h := p.add(d[1], d[3]), p.add(d[2], d[6]), p.add(d[5], d[7])
	var q [4]*value
	q[0] = p.times(p.dot(x, a, y, b, z, c), 2)
	q[1] = p.times(p.fnma(p.times(x, 2), p.add(d[4], d[8]), p.dot(y, e, z, f, w, a)), 2)
	q[2] = p.times(p.fnma(p.times(y, 2), p.add(d[0], d[8]), p.dot(x, e, z, h, w, b)), 2)
	q[3] = p.times(p.fnma(p.times(z, 2), p.add(d[0], d[4]), p.dot(x, f, y, h, w, c)), 2)
	along := p.dot(q[0], w, q[1], x, q[2], y, q[3], z)
	for k := range unit {
		g[kernel.GeomQuat+k] = p.mul(p.fnma(along, unit[k], q[k]), inverse)
	}
}
