package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The values of a BlendBlock.
const (
	blendT = iota
	blendR
	blendG
	blendB
	blendLast
	blendValues
)

// blend emits the forward pass of a tile.
func blend() {
	TEXT("blendAVX2", NOSPLIT, "func(tile *BlendTile, run *Run, live int) int")
	Doc("blendAVX2 is Blend in AVX2.")
	w := newWalk(4*lanes*blendValues, false)
	live := Load(Param("live"), GP64())
	XORQ(w.k, w.k)
	TESTQ(w.count, w.count)
	JE(LabelRef("done"))
	w.prepare(w.k)
	Label("splat")
	w.prefetch(8)
	w.load("skip", 1, func(place reg.GPVirtual) { // the last one twice
		end := GP64()
		LEAQ(Mem{Base: w.k, Disp: 1}, place)
		LEAQ(Mem{Base: w.count, Disp: -1}, end)
		CMPQ(place, end)
		CMOVQGT(end, place)
	})
	var h block8
	w.blocks(false, func(next string) { h.blend(w, next) })
	TESTQ(live, live)
	JE(LabelRef("done"))
	Label("skip")
	INCQ(w.k)
	CMPQ(w.k, w.count)
	JLT(LabelRef("splat"))
	Label("done")
	VZEROUPPER()
	Store(live, ReturnIndex(0))
	RET()
	h.close(w, live)
}

// block8 are the registers of eight pixels that a splat is blended into.
type block8 struct {
	weight, before, after, last, mask reg.VecVirtual // before, after: transmittance
	bits                              reg.GPVirtual
}

// blend blends the current splat into eight pixels.
func (h *block8) blend(w *walk, next string) {
	h.weight, h.before, h.after, h.last, h.mask, h.bits = YMM(), YMM(), YMM(), YMM(), YMM(), GP32()
	w.exponent(h.weight)
	VMAXPS(con(-100), h.weight, h.weight) // the other pixels of the eight may be far out
	exp2(h.weight, h.before, h.after)
	VMULPS(w.opacity, h.weight, h.weight)
	VCMPPS(greaterEqual, con(minAlpha), h.weight, h.mask)
	VMINPS(con(maxAlpha), h.weight, h.weight)
	VMOVUPS(w.pixels(blendLast), h.last)
	VPSRAD(U8(31), h.last, h.before) // closed pixels have the top bit
	VPANDN(h.mask, h.before, h.mask)
	VPAND(h.mask, h.weight, h.weight)
	VMOVUPS(w.pixels(blendT), h.before)
	VMULPS(h.before, h.weight, h.weight)
	VSUBPS(h.weight, h.before, h.after)
	VBLENDVPS(h.mask, w.position, h.last, h.last)
	VCMPPS(lessEqual, con(minTransmittance), h.after, h.mask)
	VMOVMSKPS(h.mask, h.bits)
	TESTL(h.bits, h.bits)
	JNE(LabelRef("close"))
	Label("closed")
	for c := range 3 {
		p := YMM()
		VMOVUPS(w.pixels(blendR+c), p)
		VFMADD231PS(w.color[c], h.weight, p)
		VMOVUPS(p, w.pixels(blendR+c))
	}
	VMOVUPS(h.after, w.pixels(blendT))
	VMOVUPS(h.last, w.pixels(blendLast))
}

// close handles pixels that the splat would make opaque: they do not receive it,
// and no later one. It lies beside the loop.
func (h *block8) close(w *walk, live reg.Register) {
	Label("close")
	POPCNTL(h.bits, h.bits)
	SUBQ(h.bits.As64(), live)
	VPANDN(h.weight, h.mask, h.weight)
	VBLENDVPS(h.mask, h.before, h.after, h.after)
	VBLENDVPS(h.mask, w.pixels(blendLast), h.last, h.last)
	VPAND(word(1<<31), h.mask, h.mask)
	VPOR(h.mask, h.last, h.last)
	JMP(LabelRef("closed"))
}
