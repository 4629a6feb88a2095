package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"splat/internal/kernel"
)

// The values of an UnblendBlock.
const (
	unblendT = iota
	unblendGR
	unblendGG
	unblendGB
	unblendBehind
	unblendLast
	unblendValues
)

// unblend emits the backward pass of a tile, with the sums of absolute gradients
// or without.
func unblend(name string, absolute bool) {
	TEXT(name, NOSPLIT, "func(tile *UnblendTile, run *Run, slots *float32, deepest int)")
	Doc(name + " is Unblend in AVX2.")
	w := newWalk(4*lanes*unblendValues, true)
	u := &unblender{walk: w, absolute: absolute, slots: Load(Param("slots"), GP64())}
	Load(Param("deepest"), w.k)
	DECQ(w.k)
	w.prepare(w.k)
	Label("splat")
	w.prefetch(-8)
	u.zero()
	w.load("store", 0, func(place reg.GPVirtual) { // the first one twice
		zero := GP64()
		XORQ(zero, zero)
		MOVQ(w.k, place)
		DECQ(place)
		CMOVQLT(zero, place)
	})
	w.blocks(true, u.block8)
	Label("store")
	u.store()
	DECQ(w.k)
	JGE(LabelRef("splat"))
	VZEROUPPER()
	RET()
}

// unblender holds what is summed for a splat, in eight lanes: with h the loss
// gradient of a pixel's exponent, negated.
type unblender struct {
	*walk
	absolute      bool
	slots         reg.Register
	color         [3]reg.VecVirtual
	h, hx, hy     reg.VecVirtual // sums of h, h dx, h dy
	hxx, hxy, hyy reg.VecVirtual
	absX, absY    Mem
}

func (u *unblender) sums() []*reg.VecVirtual {
	return []*reg.VecVirtual{&u.color[0], &u.color[1], &u.color[2], &u.h, &u.hx, &u.hy, &u.hxx, &u.hxy, &u.hyy}
}

func (u *unblender) zero() {
	for _, s := range u.sums() {
		*s = YMM()
		VXORPS(*s, *s, *s)
	}
	if u.absolute {
		u.absX, u.absY = AllocLocal(4*lanes), AllocLocal(4*lanes)
		VMOVUPS(u.h, u.absX)
		VMOVUPS(u.h, u.absY)
	}
}

// block8 takes the current splat off eight pixels.
func (u *unblender) block8(next string) {
	raw, a, b, mask := YMM(), YMM(), YMM(), YMM()
	bits := GP32()
	u.exponent(raw)
	VCMPPS(greaterEqual, u.threshold, raw, a)
	VMOVDQU(u.pixels(unblendLast), mask)
	VPCMPGTD(u.position, mask, mask)
	VPAND(a, mask, mask)
	VMOVMSKPS(mask, bits)
	TESTL(bits, bits)
	JE(LabelRef(next))
	exp2(raw, a, b)
	VMULPS(u.opacity, raw, raw)
	VCMPPS(greaterEqual, con(minAlpha), raw, a)
	VPAND(a, mask, mask)

	// raw becomes that of pixels whose alpha moves with the splat, b the alpha
	VMINPS(con(maxAlpha), raw, b)
	VPAND(mask, b, b)
	VCMPPS(lessEqual, con(maxAlpha), raw, a)
	VPAND(mask, a, a)
	VPAND(a, raw, raw)

	inverse, t, along := a, mask, YMM()
	VMOVUPS(con(1), t)
	VSUBPS(b, t, inverse)
	VDIVPS(inverse, t, inverse)
	VMULPS(u.pixels(unblendT), inverse, t) // the transmittance before the splat
	VMOVUPS(t, u.pixels(unblendT))
	weight := b
	VMULPS(t, weight, weight)
	VMOVUPS(u.pixels(unblendGR), along)
	VFMADD231PS(along, weight, u.color[0])
	VMULPS(u.walk.color[0], along, along)
	for c := 1; c < 3; c++ {
		VFMADD231PS(u.pixels(unblendGR+c), weight, u.color[c])
	}
	g := YMM()
	for c := 1; c < 3; c++ {
		VMOVUPS(u.pixels(unblendGR+c), g)
		VFMADD231PS(u.walk.color[c], g, along)
	}
	VMOVUPS(u.pixels(unblendBehind), g)
	VMULPS(g, inverse, inverse)
	VFMADD231PS(along, weight, g)
	VMOVUPS(g, u.pixels(unblendBehind))
	VFMSUB213PS(inverse, along, t) // t along - behind/(1-alpha)
	VMULPS(raw, t, t)
	u.add(t, a, b)
}

// add sums h. a and b are scratch.
func (u *unblender) add(h, a, b reg.VecVirtual) {
	VADDPS(h, u.h, u.h)
	VMULPS(u.dx, h, a)
	VADDPS(a, u.hx, u.hx)
	VFMADD231PS(u.dx, a, u.hxx)
	VFMADD231PS(u.dy, a, u.hxy)
	VMULPS(u.dy, h, a)
	VADDPS(a, u.hy, u.hy)
	VFMADD231PS(u.dy, a, u.hyy)
	if !u.absolute {
		return
	}
	for _, s := range []struct {
		sum Mem
		x   int
		y   int
	}{{u.absX, kernel.ProjConicA, kernel.ProjConicB}, {u.absY, kernel.ProjConicB, kernel.ProjConicC}} {
		VBROADCASTSS(u.field(s.x), a)
		VMULPS(u.dx, a, a)
		VBROADCASTSS(u.field(s.y), b)
		VFMADD231PS(u.dy, b, a)
		VMULPS(h, a, a)
		VPAND(word(1<<31-1), a, a)
		VADDPS(s.sum, a, a)
		VMOVUPS(a, s.sum)
	}
}

// store reduces the sums and writes the splat's slot.
func (u *unblender) store() {
	slot := GP64()
	MOVL(Mem{Base: u.pairs, Index: u.k, Scale: 4}, slot.As32())
	LEAQ(Mem{Base: slot, Index: slot, Scale: 2}, slot)
	SHLQ(U8(4), slot)
	ADDQ(u.slots, slot)
	out := func(i int) Mem { return Mem{Base: slot, Disp: 4 * i} }

	red := u.total4(u.color[0], u.color[1], u.color[2], u.h) // R G B h
	xy := u.total4(u.hx, u.hy, u.hxx, u.hxy)                 // hx hy hxx hxy
	yy := u.total4(u.hyy, u.hyy, u.hyy, u.hyy)
	h, s := XMM(), XMM()
	VPSRLDQ(U8(12), red, h)
	VDIVSS(u.field(kernel.ProjOpacity), h, h)
	VMOVUPS(red, out(kernel.SlotColor)) // its fourth value is overwritten below
	VMOVSS(h, out(kernel.SlotOpacity))

	a, b, c, hy := XMM(), XMM(), XMM(), XMM()
	VMOVSS(u.field(kernel.ProjConicA), a)
	VMOVSS(u.field(kernel.ProjConicB), b)
	VMOVSS(u.field(kernel.ProjConicC), c)
	VPSRLDQ(U8(4), xy, hy)
	VMULSS(xy, a, a)
	VFMADD231SS(hy, b, a)
	VMOVSS(a, out(kernel.SlotX)) // a hx + b hy
	VMULSS(hy, c, c)
	VFMADD231SS(xy, b, c)
	VMOVSS(c, out(kernel.SlotY)) // c hy + b hx
	VPSRLDQ(U8(8), xy, s)
	VMULSS(con(-0.5), s, s)
	VMOVSS(s, out(kernel.SlotConicA))
	VPSRLDQ(U8(12), xy, s)
	VMULSS(con(-1), s, s)
	VMOVSS(s, out(kernel.SlotConicB))
	VMULSS(con(-0.5), yy, yy)
	VMOVSS(yy, out(kernel.SlotConicC))

	z := XMM()
	VXORPS(z, z, z)
	VMOVSS(z, out(kernel.SlotRow-1))
	if !u.absolute {
		VMOVSS(z, out(kernel.SlotAbsX))
		VMOVSS(z, out(kernel.SlotAbsY))
		return
	}
	x, y := YMM(), YMM()
	VMOVUPS(u.absX, x)
	VMOVUPS(u.absY, y)
	VMOVSD(u.total4(x, y, x, y), out(kernel.SlotAbsX))
}

// total4 returns the sums over the lanes of four registers. They are lost.
func (u *unblender) total4(a, b, c, d reg.VecVirtual) reg.VecVirtual {
	ab, cd, high := YMM(), YMM(), XMM()
	VHADDPS(b, a, ab)
	VHADDPS(d, c, cd)
	VHADDPS(cd, ab, ab)
	VEXTRACTF128(U8(1), ab, high)
	VADDPS(high, ab.AsX(), high)
	return high
}
