package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"splat/internal/kernel"
)

// adam is the register state of Adam's update.
type adam struct{ c1, c2, ib2, eps reg.VecVirtual }

// newAdam loads the constants of *Adam.
func newAdam() *adam {
	a := &adam{YMM(), YMM(), YMM(), YMM()}
	o := Dereference(Param("a"))
	for _, f := range []struct {
		name string
		to   reg.VecVirtual
	}{{"C1", a.c1}, {"C2", a.c2}, {"IB2", a.ib2}, {"Eps", a.eps}} {
		VBROADCASTSS(must(o.Field(f.name).Resolve()).Addr, f.to)
	}
	return a
}

// step updates eight parameters: g is lost.
func (a *adam) step(p, m, v Mem, g reg.VecVirtual, rate Op) {
	x, y := YMM(), YMM()
	VMOVUPS(m, x)
	VMOVUPS(v, y)
	s := YMM()
	VSUBPS(x, g, s)
	VFMADD231PS(s, a.c1, x) // m += c1 (g - m)
	VFMSUB213PS(y, g, g)
	VFMADD231PS(g, a.c2, y) // v += c2 (g^2 - v)
	VMOVUPS(x, m)
	VMOVUPS(y, v)
	VSQRTPS(y, y)
	VFMADD213PS(a.eps, a.ib2, y)
	VMULPS(rate, x, x)
	VDIVPS(y, x, x)
	VMOVUPS(p, y)
	VSUBPS(x, y, y)
	VMOVUPS(y, p)
}

// adamGeom emits the update of a row of geom: eight values and four.
func adamGeom() {
	TEXT("adamGeomAVX2", NOSPLIT, "func(a *Adam, p, m, v *float32, grad *[12]float32)")
	Doc("adamGeomAVX2 is Adam.geomGo in AVX2.")
	a := newAdam()
	o := Load(Param("a"), GP64())
	p, m, v, g := Load(Param("p"), GP64()), Load(Param("m"), GP64()), Load(Param("v"), GP64()), Load(Param("grad"), GP64())
	grad := YMM()
	VMOVUPS(Mem{Base: g}, grad)
	a.step(Mem{Base: p}, Mem{Base: m}, Mem{Base: v}, grad, Mem{Base: o})

	a.step4(Mem{Base: p, Disp: 32}, Mem{Base: m, Disp: 32}, Mem{Base: v, Disp: 32}, Mem{Base: g, Disp: 32}, Mem{Base: o, Disp: 32})
	VZEROUPPER()
	RET()
}

// step4 is step for four parameters, the last of which is unused and stays.
func (a *adam) step4(p, m, v, grad Mem, rate Op) {
	x, y, s, g := XMM(), XMM(), XMM(), XMM()
	VMOVUPS(grad, g)
	VMOVUPS(m, x)
	VMOVUPS(v, y)
	VSUBPS(x, g, s)
	VFMADD231PS(s, a.c1.AsX(), x)
	VFMSUB213PS(y, g, g)
	VFMADD231PS(g, a.c2.AsX(), y)
	const unused = U8(8)
	VBLENDPS(unused, m, x, x)
	VBLENDPS(unused, v, y, y)
	VMOVUPS(x, m)
	VMOVUPS(y, v)
	VSQRTPS(y, y)
	VFMADD213PS(a.eps.AsX(), a.ib2.AsX(), y)
	VMULPS(rate, x, x)
	VDIVPS(y, x, x)
	VMOVUPS(p, s)
	VSUBPS(x, s, y)
	VBLENDPS(unused, s, y, y)
	VMOVUPS(y, p)
}

// adamSH emits the update of a row of SH coefficients, 24 values (eight
// coefficients of three channels) at a time. The gradient is the outer product of
// basis and color.
func adamSH() {
	TEXT("adamSHAVX2", NOSPLIT, "func(a *Adam, p, m, v *float32, blocks int, basis *[16]float32, color *[3]float32)")
	Doc("adamSHAVX2 is Adam.shGo in AVX2, for rows of whole blocks of 24 values.")
	a := newAdam()
	o := Load(Param("a"), GP64())
	p, m, v := Load(Param("p"), GP64()), Load(Param("m"), GP64()), Load(Param("v"), GP64())
	basis, c, blocks := Load(Param("basis"), GP64()), Load(Param("color"), GP64()), Load(Param("blocks"), GP64())
	color, rgb, index := [3]reg.VecVirtual{YMM(), YMM(), YMM()}, YMM(), YMM()
	x := XMM()
	VMOVSD(Mem{Base: c}, x)
	VINSERTPS(U8(0x20), Mem{Base: c, Disp: 8}, x, x)
	VMOVUPS(x.AsY(), rgb)
	for k := range color {
		VMOVDQU(indices(fmt.Sprintf("channel%d", k), func(i int) int { return (lanes*k + i) % 3 }), index)
		VPERMPS(rgb, index, color[k])
	}
	rate := GP64() // of the first eight values it is another
	LEAQ(Mem{Base: o, Disp: firstRate}, rate)
	rest := GP64()
	LEAQ(Mem{Base: o, Disp: restRate}, rest)
	y, g := YMM(), YMM()
	Label("block")
	VMOVUPS(Mem{Base: basis}, y)
	for k := range color {
		VMOVDQU(indices(fmt.Sprintf("coefficient%d", k), func(i int) int { return (lanes*k + i) / 3 }), index)
		VPERMPS(y, index, g)
		VMULPS(color[k], g, g)
		at := func(b reg.Register) Mem { return Mem{Base: b, Disp: 4 * lanes * k} }
		if k == 0 {
			a.step(at(p), at(m), at(v), g, Mem{Base: rate})
		} else {
			a.step(at(p), at(m), at(v), g, Mem{Base: rest})
		}
	}
	MOVQ(rest, rate)
	for _, b := range []reg.Register{p, m, v} {
		ADDQ(U32(4*3*lanes), b)
	}
	ADDQ(U32(4*lanes), basis)
	DECQ(blocks)
	JNE(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// Offsets in vec.Adam, held true by a test there.
const (
	firstRate = 4 * kernel.GeomRow
	restRate  = firstRate + 4*lanes
)
