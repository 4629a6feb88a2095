package main

import (
	"math"

	"splat/internal/kernel"
)

// noise emits the random walk of splats that show little (Kheradmand et al. 2024).
func noise() {
	function("noiseAVX2", "Splats.AddNoise", func(p *splats) *value {
		o := &projection{}
		ok := p.world(o)
		opacity := p.sigmoid(p.s("Geom", kernel.GeomOpacity))
		ok = p.and(ok, p.lt(opacity, p.num(0.3)))
		factor := p.mul(p.c("Noise", -1), p.sigmoid(p.times(p.sub(opacity, p.num(0.005)), -100)))
		n := p.normals()
		for k, d := range p.symmetric(&o.sigma, n[:]) {
			old := p.s("Geom", k)
			moved := p.fma(factor, d, old)
			p.set("Geom", k, p.blend(p.and(ok, p.finite(moved)), moved, old))
		}
		return ok
	})
}

// normals returns three standard normal numbers a splat (Box and Muller 1958).
func (p *splats) normals() (n [3]*value) {
	for pair := range 2 {
		u, v := p.unit(p.hash(2*pair)), p.unit(p.hash(2*pair+1))
		radius := p.sqrt(p.max(p.num(0), p.times(p.log(p.sub(p.num(1), u)), -2)))
		sin, cos := p.turn(v)
		n[2*pair] = p.mul(radius, cos)
		if pair == 0 {
			n[1] = p.mul(radius, sin)
		}
	}
	return n
}

// unit maps words to [0, 1).
func (p *splats) unit(word *value) *value {
	return p.times(p.do(opFromInt, p.doImm(opShiftRight, 8, word)), 1./(1<<24))
}

// hash is the last round of kernel.Hash on the splats' numbers.
func (p *splats) hash(key int) *value {
	h := p.do(opIntMul, p.s("Index", -1), p.bits(0xC2B2AE35))
	h = p.do(opXor, h, p.c("NoiseKeys", key))
	h = p.do(opXor, h, p.bits(0x165667B1))
	h = p.do(opXor, h, p.doImm(opShiftRight, 16, h))
	h = p.do(opIntMul, h, p.bits(0x85EBCA6B))
	h = p.do(opXor, h, p.doImm(opShiftRight, 13, h))
	h = p.do(opIntMul, h, p.bits(0xC2B2AE35))
	return p.do(opXor, h, p.doImm(opShiftRight, 16, h))
}

// turn returns sine and cosine of 2 pi v, v in [0, 1): quarter turns, and
// polynomials (Cephes' coefficients) within a quarter of +-pi/4.
func (p *splats) turn(v *value) (sin, cos *value) {
	t := p.times(v, 4)
	q := p.round(t, toNearest)
	f := p.times(p.sub(t, q), math.Pi/2)
	ff := p.mul(f, f)
	s := p.fma(p.fma(p.num(-1.9515295891e-4), ff, p.num(8.3321608736e-3)), ff, p.num(-1.6666654611e-1))
	s = p.fma(p.mul(s, ff), f, f)
	c := p.fma(p.fma(p.num(2.443315711809948e-5), ff, p.num(-1.388731625493765e-3)), ff, p.num(4.166664568298827e-2))
	c = p.fma(p.mul(c, ff), ff, p.fnma(ff, p.num(0.5), p.num(1)))

	quarter := p.do(opToInt, q)
	odd := p.doImm(opShiftLeft, 31, quarter)
	sign := func(i *value) *value { return p.doImm(opShiftLeft, 30, p.and(i, p.bits(2))) }
	sin = p.do(opXor, p.blend(odd, c, s), sign(quarter))
	cos = p.do(opXor, p.blend(odd, s, c), sign(p.do(opIntAdd, quarter, p.bits(1))))
	return sin, cos
}
