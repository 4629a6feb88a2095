package main

import (
	"fmt"

	"splat/internal/kernel"
)

// The constants of the real spherical harmonics, as in the plain Go version.
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

// direction is the unit vector from the camera to a splat, its inverse length.
type direction struct{ x, y, z, inverse *value }

// direction returns +z for a splat at the camera itself.
func (p *splats) direction() direction {
	var d [3]*value
	for i := range d {
		d[i] = p.sub(p.s("Geom", i), p.c("Position", i))
	}
	length := p.sqrt(p.dot(d[0], d[0], d[1], d[1], d[2], d[2]))
	some := p.gt(length, p.num(0))
	inverse := p.blend(some, p.div(p.num(1), length), p.num(1))
	z := p.blend(some, p.mul(d[2], inverse), p.num(1))
	return direction{p.and(some, p.mul(d[0], inverse)), p.and(some, p.mul(d[1], inverse)), z, inverse}
}

// basis returns the values of the basis functions up to a degree.
func (p *splats) basis(degree int, d direction) []*value {
	x, y, z := d.x, d.y, d.z
	out := []*value{p.num(shC0)}
	if degree < 1 {
		return out
	}
	out = append(out, p.times(y, -shC1), p.times(z, shC1), p.times(x, -shC1))
	if degree < 2 {
		return out
	}
	xx, yy, zz := p.mul(x, x), p.mul(y, y), p.mul(z, z)
	difference, sum := p.sub(xx, yy), p.add(xx, yy)
	out = append(out, p.times(p.mul(x, y), shC2), p.times(p.mul(y, z), -shC2), p.times(p.fms(zz, p.num(2), sum), shC3),
		p.times(p.mul(x, z), -shC2), p.times(difference, shC4))
	if degree < 3 {
		return out
	}
	zonal := p.fms(zz, p.num(4), sum)
	return append(out,
		p.mul(p.times(y, -shC5), p.fms(xx, p.num(3), yy)),
		p.mul(p.times(p.mul(x, y), shC6), z),
		p.mul(p.times(y, -shC7), zonal),
		p.mul(p.times(z, shC8), p.fnma(sum, p.num(3), p.times(zz, 2))),
		p.mul(p.times(x, -shC7), zonal),
		p.mul(p.times(z, shC9), difference),
		p.mul(p.times(x, -shC5), p.fnma(yy, p.num(3), xx)))
}

// colors evaluates the SH, plus 0.5.
func (p *splats) colors(basis []*value) (out [3]*value) {
	for c := range out {
		out[c] = p.num(0.5)
		for k, y := range basis {
			out[c] = p.fma(y, p.s("SH", 3*k+c), out[c])
		}
	}
	return out
}

// colorFunctions emits the colour of a splat and its way back, for one degree.
func colorFunctions(degree int) {
	function(fmt.Sprintf("color%dAVX2", degree), "Splats.Colors at one degree", func(p *splats) *value {
		color := p.colors(p.basis(degree, p.direction()))
		for c, v := range color {
			p.set("Proj", kernel.ProjColor+c, p.max(v, p.num(0)))
		}
		return p.finite(p.add(color[0], p.add(color[1], color[2])))
	})
	function(fmt.Sprintf("colorBackward%dAVX2", degree), "Splats.ColorsBackward at one degree", func(p *splats) *value {
		d := p.direction()
		basis := p.basis(degree, d)
		for k, y := range basis {
			p.set("Gradient", gradientBasis+k, y)
		}
		for k := len(basis); k < 16; k++ {
			p.set("Gradient", gradientBasis+k, p.num(0))
		}
		color := p.colors(basis)
		for c, v := range color { // clamped colours have no gradient
			color[c] = p.and(p.and(p.gt(v, p.num(0)), p.s("Visible", -1)), p.s("Sum", kernel.SlotColor+c))
			p.set("Gradient", gradientColor+c, color[c])
		}
		w := make([]*value, len(basis))
		for k := range w {
			w[k] = p.dot(color[0], p.s("SH", 3*k), color[1], p.s("SH", 3*k+1), color[2], p.s("SH", 3*k+2))
		}
		g := p.basisGradient(degree, d, w)
		along := p.dot(g[0], d.x, g[1], d.y, g[2], d.z)
		for i, v := range []*value{d.x, d.y, d.z} {
			p.set("Gradient", i, p.mul(p.fnma(along, v, g[i]), d.inverse))
		}
		healthy := p.le(p.abs(color[0]), p.num(kernel.HugeGradient))
		for _, c := range color[1:] {
			healthy = p.and(healthy, p.le(p.abs(c), p.num(kernel.HugeGradient)))
		}
		return healthy
	})
}

// Where the parts of a splat's gradient begin in Splats.Gradient.
const (
	gradientBasis = kernel.GeomRow
	gradientColor = gradientBasis + 16
)

func (p *program) abs(v *value) *value { return p.and(v, p.bits(1<<31-1)) }

// basisGradient is the gradient of sum_k w_k Y_k(x, y, z), x, y and z independent.
func (p *splats) basisGradient(degree int, d direction, w []*value) (g [3]*value) {
	x, y, z := d.x, d.y, d.z
	if degree < 1 {
		return [3]*value{p.num(0), p.num(0), p.num(0)}
	}
	g = [3]*value{p.times(w[3], -shC1), p.times(w[1], -shC1), p.times(w[2], shC1)}
	if degree < 2 {
		return g
	}
	plus := func(i int, factor *value, k float64, wk *value) { g[i] = p.fma(p.times(factor, k), wk, g[i]) }
	plus(0, y, shC2, w[4])
	plus(0, x, -2*shC3, w[6])
	plus(0, z, -shC2, w[7])
	plus(0, x, 2*shC4, w[8])
	plus(1, x, shC2, w[4])
	plus(1, z, -shC2, w[5])
	plus(1, y, -2*shC3, w[6])
	plus(1, y, -2*shC4, w[8])
	plus(2, y, -shC2, w[5])
	plus(2, z, 4*shC3, w[6])
	plus(2, x, -shC2, w[7])
	if degree < 3 {
		return g
	}
	xx, yy, zz := p.mul(x, x), p.mul(y, y), p.mul(z, z)
	xy, yz, xz := p.mul(x, y), p.mul(y, z), p.mul(x, z)
	four := p.times(zz, 4)
	difference := p.sub(xx, yy)
	plus(0, xy, -6*shC5, w[9])
	plus(0, yz, shC6, w[10])
	plus(0, xy, 2*shC7, w[11])
	plus(0, xz, -6*shC8, w[12])
	plus(0, p.sub(p.fnma(xx, p.num(3), four), yy), -shC7, w[13])
	plus(0, xz, 2*shC9, w[14])
	plus(0, difference, -3*shC5, w[15])
	plus(1, difference, -3*shC5, w[9])
	plus(1, xz, shC6, w[10])
	plus(1, p.sub(p.fnma(yy, p.num(3), four), xx), -shC7, w[11])
	plus(1, yz, -6*shC8, w[12])
	plus(1, xy, 2*shC7, w[13])
	plus(1, yz, -2*shC9, w[14])
	plus(1, xy, 6*shC5, w[15])
	plus(2, xy, shC6, w[10])
	plus(2, yz, -8*shC7, w[11])
	plus(2, p.fnma(p.add(xx, yy), p.num(3), p.times(zz, 6)), shC8, w[12])
	plus(2, xz, -8*shC7, w[13])
	plus(2, difference, shC9, w[14])
	return g
}
