package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"splat/internal/kernel"
)

// rowFunctions emits moves between rows, one a splat, and lanes.
func rowFunctions() {
	gather()
	scatter()
	sumRows()
	prefetch()
}

// transpose turns four registers, whose halves are rows k and k+4 of four columns,
// into the four columns, and back: it is its own inverse on each half.
func transpose(a, b, c, d reg.VecVirtual) [4]reg.VecVirtual {
	t0, t1, t2, t3 := YMM(), YMM(), YMM(), YMM()
	VUNPCKLPS(b, a, t0)
	VUNPCKHPS(b, a, t1)
	VUNPCKLPS(d, c, t2)
	VUNPCKHPS(d, c, t3)
	VSHUFPS(U8(0x44), t2, t0, a)
	VSHUFPS(U8(0xEE), t2, t0, b)
	VSHUFPS(U8(0x44), t3, t1, c)
	VSHUFPS(U8(0xEE), t3, t1, d)
	return [4]reg.VecVirtual{a, b, c, d}
}

// gather emits the move from eight rows to lanes, four columns at a time.
func gather() {
	TEXT("gatherAVX2", NOSPLIT, "func(lanes *Lanes, rows *float32, offsets *[8]int, quads int)")
	Doc("gatherAVX2 moves 4 quads columns of the rows at the given offsets, in values, to lanes.")
	out, in := Load(Param("lanes"), GP64()), Load(Param("rows"), GP64())
	offsets, quads := Load(Param("offsets"), GP64()), Load(Param("quads"), GP64())
	Label("quad")
	var r [4]reg.VecVirtual
	at := GP64()
	for k := range r {
		x := XMM()
		r[k] = YMM()
		MOVQ(Mem{Base: offsets, Disp: 8 * k}, at)
		VMOVUPS(Mem{Base: in, Index: at, Scale: 4}, x)
		MOVQ(Mem{Base: offsets, Disp: 8 * (k + 4)}, at)
		VINSERTF128(U8(1), Mem{Base: in, Index: at, Scale: 4}, x.AsY(), r[k])
	}
	for k, c := range transpose(r[0], r[1], r[2], r[3]) {
		VMOVUPS(c, Mem{Base: out, Disp: 4 * lanes * k})
	}
	ADDQ(U32(4*4*lanes), out)
	ADDQ(U32(16), in)
	DECQ(quads)
	JNE(LabelRef("quad"))
	VZEROUPPER()
	RET()
}

// scatter emits the way back.
func scatter() {
	TEXT("scatterAVX2", NOSPLIT, "func(rows *float32, lanes *Lanes, offsets *[8]int, quads int)")
	Doc("scatterAVX2 moves lanes to 4 quads columns of the rows at the given offsets, in values.")
	out, in := Load(Param("rows"), GP64()), Load(Param("lanes"), GP64())
	offsets, quads := Load(Param("offsets"), GP64()), Load(Param("quads"), GP64())
	Label("quad")
	var r [4]reg.VecVirtual
	for k := range r {
		r[k] = YMM()
		VMOVUPS(Mem{Base: in, Disp: 4 * lanes * k}, r[k])
	}
	at := GP64()
	for k, c := range transpose(r[0], r[1], r[2], r[3]) {
		MOVQ(Mem{Base: offsets, Disp: 8 * k}, at)
		VMOVUPS(c.AsX(), Mem{Base: out, Index: at, Scale: 4})
		MOVQ(Mem{Base: offsets, Disp: 8 * (k + 4)}, at)
		VEXTRACTF128(U8(1), c, Mem{Base: out, Index: at, Scale: 4})
	}
	ADDQ(U32(4*4*lanes), in)
	ADDQ(U32(16), out)
	DECQ(quads)
	JNE(LabelRef("quad"))
	VZEROUPPER()
	RET()
}

// sumRows emits the sum of consecutive slots, in order.
func sumRows() {
	TEXT("sumRowsAVX2", NOSPLIT, "func(sum *[12]float32, rows *float32, count int)")
	Doc("sumRowsAVX2 adds up count rows of twelve values, in order.")
	out, in, count := Load(Param("sum"), GP64()), Load(Param("rows"), GP64()), Load(Param("count"), GP64())
	a, b := YMM(), XMM()
	VXORPS(a, a, a)
	VXORPS(b, b, b)
	TESTQ(count, count)
	JLE(LabelRef("done"))
	Label("row")
	VADDPS(Mem{Base: in}, a, a)
	VADDPS(Mem{Base: in, Disp: 32}, b, b)
	ADDQ(U32(4*kernel.SlotRow), in)
	DECQ(count)
	JNE(LabelRef("row"))
	Label("done")
	VMOVUPS(a, Mem{Base: out})
	VMOVUPS(b, Mem{Base: out, Disp: 32})
	VZEROUPPER()
	RET()
}

// prefetch emits a hint.
func prefetch() {
	TEXT("prefetchAVX2", NOSPLIT, "func(p *float32, bytes int)")
	Doc("prefetchAVX2 asks for bytes from p on.")
	at, left := Load(Param("p"), GP64()), Load(Param("bytes"), GP64())
	Label("line")
	PREFETCHT0(Mem{Base: at})
	ADDQ(U32(64), at)
	SUBQ(U32(64), left)
	JGT(LabelRef("line"))
	RET()
}
