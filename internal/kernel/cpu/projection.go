package cpu

import "splat/internal/kernel"

// splatView is what projecting one splat computes on the way; the update kernel
// recomputes it to run the chain rule backwards.
type splatView[F Float] struct {
	t       [3]F // mean in the camera frame
	u, v    F    // t.x/t.z and t.y/t.z after the Jacobian's clamp
	clampU  bool // the clamp changed u
	clampV  bool
	rot     [9]F // rotation matrix of the normalised quaternion
	scale   [3]F // standard deviations
	sigma   [6]F // world covariance: xx xy xz yy yz zz
	m       [6]F // J W, 2x3 row-major
	a, b, c F    // image covariance with the blur: xx xy yy
	blur    F
	det     F
	comp    F // opacity compensation, 1 when off
	opacity F // before compensation
}

// Cull limits: splats beyond far, or whose numbers are not ordinary, are not drawn.
const farPlane = 1e10

// projectSplat projects the splat whose geom row is given (EWA splatting, Zwicker
// et al. 2001; blur and compensation as in Mip-Splatting, Yu et al. 2024). It
// returns false where nothing can be seen. Guards are phrased positively so that
// NaN fails them.
func projectSplat[F Float](p *splatView[F], step *kernel.Step, row []F) bool {
	x, y, z := row[0], row[1], row[2]
	for i := range 3 {
		p.t[i] = F(step.R[3*i])*x + F(step.R[3*i+1])*y + F(step.R[3*i+2])*z + F(step.T[i])
	}
	if !(p.t[2] >= F(step.Near) && p.t[2] <= farPlane) {
		return false
	}
	p.opacity = sigmoid(row[kernel.GeomOpacity])
	if !(p.opacity >= 1./255) {
		return false
	}
	if !worldCovariance(p, row) {
		return false
	}
	imageCovariance(p, step)
	if !(p.det > 0) || !isFinite(p.det) {
		return false
	}
	return p.opacity*p.comp >= 1./255
}

// worldCovariance fills rot, scale and sigma = R S S R^T.
func worldCovariance[F Float](p *splatView[F], row []F) bool {
	qw, qx, qy, qz := row[4], row[5], row[6], row[7]
	n := qw*qw + qx*qx + qy*qy + qz*qz
	if !(n > 0) || !isFinite(n) {
		return false
	}
	s := 2 / n
	r := &p.rot
	r[0], r[1], r[2] = 1-s*(qy*qy+qz*qz), s*(qx*qy-qw*qz), s*(qx*qz+qw*qy)
	r[3], r[4], r[5] = s*(qx*qy+qw*qz), 1-s*(qx*qx+qz*qz), s*(qy*qz-qw*qx)
	r[6], r[7], r[8] = s*(qx*qz-qw*qy), s*(qy*qz+qw*qx), 1-s*(qx*qx+qy*qy)
	var v [3]F
	for k := range 3 {
		p.scale[k] = exp(row[kernel.GeomScale+k])
		v[k] = p.scale[k] * p.scale[k]
	}
	p.sigma[0] = r[0]*r[0]*v[0] + r[1]*r[1]*v[1] + r[2]*r[2]*v[2]
	p.sigma[1] = r[0]*r[3]*v[0] + r[1]*r[4]*v[1] + r[2]*r[5]*v[2]
	p.sigma[2] = r[0]*r[6]*v[0] + r[1]*r[7]*v[1] + r[2]*r[8]*v[2]
	p.sigma[3] = r[3]*r[3]*v[0] + r[4]*r[4]*v[1] + r[5]*r[5]*v[2]
	p.sigma[4] = r[3]*r[6]*v[0] + r[4]*r[7]*v[1] + r[5]*r[8]*v[2]
	p.sigma[5] = r[6]*r[6]*v[0] + r[7]*r[7]*v[1] + r[8]*r[8]*v[2]
	return true
}

// imageCovariance fills u, v, m, a, b, c, det and comp. The Jacobian's x/z and
// y/z are clamped at 15 % outside the picture.
func imageCovariance[F Float](p *splatView[F], step *kernel.Step) {
	fx, fy, cx, cy := F(step.Fx), F(step.Fy), F(step.Cx), F(step.Cy)
	w, h := F(step.Width), F(step.Height)
	iz := 1 / p.t[2]
	tu, tv := p.t[0]*iz, p.t[1]*iz
	p.u = clamp(tu, (-0.15*w-cx)/fx, (1.15*w-cx)/fx)
	p.v = clamp(tv, (-0.15*h-cy)/fy, (1.15*h-cy)/fy)
	p.clampU, p.clampV = p.u != tu, p.v != tv
	for k := range 3 {
		r0, r1, r2 := F(step.R[k]), F(step.R[3+k]), F(step.R[6+k])
		p.m[k] = fx * iz * (r0 - p.u*r2)
		p.m[3+k] = fy * iz * (r1 - p.v*r2)
	}
	m0, m1 := p.m[0:3], p.m[3:6]
	s0 := symmetric(&p.sigma, m0)
	s1 := symmetric(&p.sigma, m1)
	a := s0[0]*m0[0] + s0[1]*m0[1] + s0[2]*m0[2]
	b := s0[0]*m1[0] + s0[1]*m1[1] + s0[2]*m1[2]
	c := s1[0]*m1[0] + s1[1]*m1[1] + s1[2]*m1[2]
	p.blur = F(step.Blur)
	p.a, p.b, p.c = a+p.blur, b, c+p.blur
	p.det = p.a*p.c - p.b*p.b
	p.comp = 1
	if step.Mode&kernel.ModeAntialiased != 0 {
		p.comp = sqrt(max(a*c-b*b, 0) / p.det)
	}
}

// symmetric returns S v for the symmetric S given as xx xy xz yy yz zz.
func symmetric[F Float](s *[6]F, v []F) [3]F {
	return [3]F{
		s[0]*v[0] + s[1]*v[1] + s[2]*v[2],
		s[1]*v[0] + s[3]*v[1] + s[4]*v[2],
		s[2]*v[0] + s[4]*v[1] + s[5]*v[2],
	}
}
