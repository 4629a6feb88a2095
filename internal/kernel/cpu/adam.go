package cpu

import "splat/internal/kernel"

// optimiser is Adam (Kingma and Ba 2015, bias-corrected) over the five parameter
// groups of a splat.
type optimiser[F Float] struct {
	geom, geomM, geomV     []F
	sh, shM, shV           []F
	stride                 int // reals of SH per splat
	active                 int // of which trained at this degree
	rates                  [kernel.GeomRow]F
	rateSH0, rateSHRest    F
	beta1, beta2, eps, ib2 F // ib2 = 1/sqrt(bias2)
}

func newOptimiser[F Float](g *Group, step *kernel.Step) optimiser[F] {
	o := optimiser[F]{
		geom: reals[F](g, "geom"), geomM: reals[F](g, "geom_m"), geomV: reals[F](g, "geom_v"),
		sh: reals[F](g, "sh"), shM: reals[F](g, "sh_m"), shV: reals[F](g, "sh_v"),
		stride: 3 * g.Constant("coefficients"),
		beta1:  F(step.Beta1), beta2: F(step.Beta2), eps: F(step.Eps),
		ib2: 1 / sqrt(F(step.Bias2)),
	}
	o.active = min(3*kernel.Coefficients(int(step.SHDegree)), o.stride)
	ib1 := 1 / F(step.Bias1)
	for k := range 3 {
		o.rates[kernel.GeomMean+k] = F(step.LRMeans) * ib1
		o.rates[kernel.GeomScale+k] = F(step.LRScales) * ib1
	}
	for k := range 4 {
		o.rates[kernel.GeomQuat+k] = F(step.LRQuats) * ib1
	}
	o.rates[kernel.GeomOpacity] = F(step.LROpacities) * ib1
	o.rateSH0, o.rateSHRest = F(step.LRSH0)*ib1, F(step.LRSHRest)*ib1
	return o
}

// finite tells whether all of splat i's parameters and moments are.
func (o *optimiser[F]) finite(i int) bool {
	for _, rows := range [][]F{o.geom, o.geomM, o.geomV} {
		if !allFinite(rows[i*kernel.GeomRow : (i+1)*kernel.GeomRow-1]) {
			return false
		}
	}
	for _, rows := range [][]F{o.sh, o.shM, o.shV} {
		if !allFinite(rows[i*o.stride : (i+1)*o.stride]) {
			return false
		}
	}
	return true
}

func allFinite[F Float](v []F) bool {
	var sum F
	for _, x := range v {
		sum += x - x // 0, or NaN for good
	}
	return sum == 0
}

// apply steps all parameters of splat i. SH coefficients above the active degree
// have no gradient and no moments yet; leaving them out changes nothing.
func (o *optimiser[F]) apply(i int, gradient *splatGradient[F]) {
	at := i * kernel.GeomRow
	p, m, v := o.geom[at:at+kernel.GeomRow], o.geomM[at:at+kernel.GeomRow], o.geomV[at:at+kernel.GeomRow]
	beta1, beta2, ib2, eps := 1-o.beta1, 1-o.beta2, o.ib2, o.eps
	for k, g := range gradient.geom[:11] {
		p[k], m[k], v[k] = adam(p[k], m[k], v[k], g, o.rates[k], beta1, beta2, ib2, eps)
	}
	at = i * o.stride
	p, m, v = o.sh[at:at+o.active], o.shM[at:at+o.active], o.shV[at:at+o.active]
	rate, color := o.rateSH0, gradient.color
	for k := 0; k+2 < len(p) && k+2 < len(m) && k+2 < len(v); k += 3 {
		y := gradient.basis[k/3]
		p[k], m[k], v[k] = adam(p[k], m[k], v[k], y*color[0], rate, beta1, beta2, ib2, eps)
		p[k+1], m[k+1], v[k+1] = adam(p[k+1], m[k+1], v[k+1], y*color[1], rate, beta1, beta2, ib2, eps)
		p[k+2], m[k+2], v[k+2] = adam(p[k+2], m[k+2], v[k+2], y*color[2], rate, beta1, beta2, ib2, eps)
		rate = o.rateSHRest
	}
}

// adam is one parameter's update; c1 and c2 are 1-beta, rate includes the first
// moment's correction, ib2 is that of the second under the root.
func adam[F Float](p, m, v, g, rate, c1, c2, ib2, eps F) (F, F, F) {
	m += c1 * (g - m)
	v += c2 * (g*g - v)
	return p - rate*m/(sqrt(v)*ib2+eps), m, v
}
