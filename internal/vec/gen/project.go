package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"

	"splat/internal/kernel"
)

// splats is a program over the fields of *Splats and *Camera.
type splats struct {
	program
	splats, camera gotypes.Component
}

// at is where element i of a field lies; i is -1 for fields that are no arrays.
func at(c gotypes.Component, name string, i int) Mem {
	c = c.Field(name)
	if i >= 0 {
		c = c.Index(i)
	}
	return must(c.Index(0).Resolve()).Addr
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// s reads a field of Splats, c one of Camera, set writes one of Splats.
func (p *splats) s(name string, i int) *value      { return p.in(at(p.splats, name, i)) }
func (p *splats) c(name string, i int) *value      { return p.in(at(p.camera, name, i)) }
func (p *splats) set(name string, i int, v *value) { p.out(v, at(p.splats, name, i)) }

// function emits a function of Splats and Camera that returns a mask, lane k in
// bit k.
func function(name, doc string, body func(p *splats) (mask *value)) {
	TEXT(name, 0, "func(s *Splats, c *Camera) int")
	Doc(name + " is " + doc + ".")
	p := &splats{splats: Dereference(Param("s")), camera: Dereference(Param("c"))}
	mask := body(p)
	bits := p.slotOf(mask)
	p.emit()
	m, r := YMM(), GP64()
	VMOVUPS(bits, m)
	VMOVMSKPS(m, r.As32())
	VZEROUPPER()
	Store(r, ReturnIndex(0))
	RET()
}

// projection is what a splat's projection computes on the way, in the names of the
// plain Go version.
type projection struct {
	t              [3]*value
	opacity        *value
	norm           *value // squared, of the quaternion
	rot            [9]*value
	scale          [3]*value
	sigma          [6]*value
	iz             *value
	u, v           *value
	insideU        *value // masks: the clamp changed nothing
	insideV        *value
	m              [6]*value
	a, b, c        *value
	plainA, plainC *value // without the blur
	det, comp      *value
	visible        *value
}

// sigmoid is 1/(1+exp(-x)).
func (p *splats) sigmoid(x *value) *value {
	one := p.num(1)
	return p.div(one, p.add(one, p.exp(p.neg(x))))
}

// exp is e^x with a relative error below 2e-7 between -87 and 88, and what it is
// there beyond; NaN stays NaN.
func (p *splats) exp(x *value) *value {
	x = p.min(p.num(88), p.max(p.num(-87), x))
	n := p.round(p.times(x, log2e), toNearest)
	r := p.fnma(n, p.num(0.693359375), x)
	r = p.fnma(n, p.num(-2.12194440e-4), r)
	y := p.num(1.9875691500e-4)
	for _, c := range []float64{1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1} {
		y = p.fma(y, r, p.num(c))
	}
	y = p.add(p.fma(p.mul(y, r), r, r), p.num(1))
	return p.do(opIntAdd, y, p.doImm(opShiftLeft, 23, p.do(opToInt, n)))
}

// log is the natural logarithm of positive normal numbers (Cephes' polynomial on
// [sqrt(1/2), sqrt(2)]).
func (p *splats) log(x *value) *value {
	// x = m 2^e with m in [sqrt(1/2), sqrt(2))
	shifted := p.do(opIntSub, x, p.bits(math.Float32bits(math.Sqrt2/2)))
	e := p.do(opFromInt, p.doImm(opShiftSigned, 23, shifted))
	m := p.do(opIntAdd, p.and(shifted, p.bits(1<<23-1)), p.bits(math.Float32bits(math.Sqrt2/2)))
	f := p.sub(m, p.num(1))
	y := p.num(7.0376836292e-2)
	for _, c := range []float64{
		-1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
		-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
	} {
		y = p.fma(y, f, p.num(c))
	}
	ff := p.mul(f, f)
	y = p.mul(p.mul(y, f), ff)
	y = p.fma(e, p.num(-2.12194440e-4), y)
	y = p.fma(ff, p.num(-0.5), y)
	return p.fma(e, p.num(0.693359375), p.add(f, y))
}

// project computes the projection of the splats' geom.
func (p *splats) project() *projection {
	g := func(i int) *value { return p.s("Geom", i) }
	o := &projection{}
	for i := range 3 {
		o.t[i] = p.add(p.dot(p.c("R", 3*i), g(0), p.c("R", 3*i+1), g(1), p.c("R", 3*i+2), g(2)), p.c("T", i))
	}
	ok := p.and(p.ge(o.t[2], p.c("Near", -1)), p.le(o.t[2], p.num(1e10)))
	o.opacity = p.sigmoid(g(kernel.GeomOpacity))
	ok = p.and(ok, p.ge(o.opacity, p.num(minAlpha)))
	ok = p.and(ok, p.world(o))
	p.image(o)
	ok = p.and(ok, p.and(p.gt(o.det, p.num(0)), p.finite(o.det)))
	o.visible = p.and(ok, p.ge(p.mul(o.opacity, o.comp), p.num(minAlpha)))
	return o
}

// world computes the world covariance and returns where the quaternion is one.
func (p *splats) world(o *projection) (ok *value) {
	w, x, y, z := p.s("Geom", 4), p.s("Geom", 5), p.s("Geom", 6), p.s("Geom", 7)
	o.norm = p.dot(w, w, x, x, y, y, z, z)
	ok = p.and(p.gt(o.norm, p.num(0)), p.finite(o.norm))
	s := p.div(p.num(2), o.norm)
	sx, sy, sz := p.mul(s, x), p.mul(s, y), p.mul(s, z)
	xx, yy, zz := p.mul(sx, x), p.mul(sy, y), p.mul(sz, z)
	wx, wy, wz := p.mul(sx, w), p.mul(sy, w), p.mul(sz, w)
	one := p.num(1)
	r := &o.rot
	r[0], r[1], r[2] = p.sub(one, p.add(yy, zz)), p.fms(sx, y, wz), p.fma(sx, z, wy)
	r[3], r[4], r[5] = p.fma(sx, y, wz), p.sub(one, p.add(xx, zz)), p.fms(sy, z, wx)
	r[6], r[7], r[8] = p.fms(sx, z, wy), p.fma(sy, z, wx), p.sub(one, p.add(xx, yy))
	var rows [9]*value // of R S^2
	for k := range 3 {
		o.scale[k] = p.exp(p.s("Geom", kernel.GeomScale+k))
		v := p.mul(o.scale[k], o.scale[k])
		for i := range 3 {
			rows[3*i+k] = p.mul(r[3*i+k], v)
		}
	}
	at := 0
	for i := range 3 {
		for j := i; j < 3; j++ {
			o.sigma[at] = p.dot(rows[3*i], r[3*j], rows[3*i+1], r[3*j+1], rows[3*i+2], r[3*j+2])
			at++
		}
	}
	return ok
}

// image computes the image covariance.
func (p *splats) image(o *projection) {
	o.iz = p.div(p.num(1), o.t[2])
	tu, tv := p.mul(o.t[0], o.iz), p.mul(o.t[1], o.iz)
	o.u = p.min(p.max(tu, p.c("UMin", -1)), p.c("UMax", -1))
	o.v = p.min(p.max(tv, p.c("VMin", -1)), p.c("VMax", -1))
	o.insideU, o.insideV = p.equal(o.u, tu), p.equal(o.v, tv)
	fx, fy := p.mul(p.c("Fx", -1), o.iz), p.mul(p.c("Fy", -1), o.iz)
	for k := range 3 {
		o.m[k] = p.mul(fx, p.fnma(o.u, p.c("R", 6+k), p.c("R", k)))
		o.m[3+k] = p.mul(fy, p.fnma(o.v, p.c("R", 6+k), p.c("R", 3+k)))
	}
	s0, s1 := p.symmetric(&o.sigma, o.m[0:3]), p.symmetric(&o.sigma, o.m[3:6])
	dot := func(a, b []*value) *value { return p.dot(a[0], b[0], a[1], b[1], a[2], b[2]) }
	o.plainA, o.b, o.plainC = dot(s0[:], o.m[0:3]), dot(s0[:], o.m[3:6]), dot(s1[:], o.m[3:6])
	o.a, o.c = p.add(o.plainA, p.c("Blur", -1)), p.add(o.plainC, p.c("Blur", -1))
	o.det = p.fms(o.a, o.c, p.mul(o.b, o.b))
	plain := p.max(p.fms(o.plainA, o.plainC, p.mul(o.b, o.b)), p.num(0))
	o.comp = p.blend(p.c("Compensate", -1), p.sqrt(p.div(plain, o.det)), p.num(1))
}

// symmetric is S v for the symmetric S given as xx xy xz yy yz zz.
func (p *splats) symmetric(s *[6]*value, v []*value) [3]*value {
	return [3]*value{
		p.dot(s[0], v[0], s[1], v[1], s[2], v[2]),
		p.dot(s[1], v[0], s[3], v[1], s[4], v[2]),
		p.dot(s[2], v[0], s[4], v[1], s[5], v[2]),
	}
}

// projectSplats emits the forward projection.
func projectSplats() {
	function("projectAVX2", "Splats.Project", func(p *splats) *value {
		o := p.project()
		x := p.fma(p.c("Fx", -1), p.mul(o.t[0], o.iz), p.c("Cx", -1))
		y := p.fma(p.c("Fy", -1), p.mul(o.t[1], o.iz), p.c("Cy", -1))
		id := p.div(p.num(1), o.det)
		a, b, c := p.mul(o.c, id), p.neg(p.mul(o.b, id)), p.mul(o.a, id)
		opacity := p.mul(o.opacity, o.comp)
		power := p.fma(p.log(p.times(opacity, 255)), p.num(2*(1+1e-5)), p.num(1e-5))
		ey := p.sqrt(p.mul(power, o.c))
		out := [kernel.ProjRow]*value{
			kernel.ProjX: x, kernel.ProjY: y, kernel.ProjConicA: a, kernel.ProjConicB: b, kernel.ProjConicC: c,
			kernel.ProjOpacity: opacity, kernel.ProjDepth: o.t[2], kernel.ProjExtentY: ey, kernel.ProjPower: power,
		}
		for i, v := range out {
			if v != nil {
				p.set("Proj", i, v)
			}
		}
		ok := p.and(o.visible, p.and(p.finite(p.add(x, y)), p.finite(p.add(a, p.add(b, c)))))
		return p.tileRows(y, a, c, ey, ok)
	})
}
