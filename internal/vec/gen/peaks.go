package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// peakFunctions emits the loops that measure what a processor can do at most.
func peakFunctions() {
	multiplyAdd()
	read()
}

// chains is the number of independent chains of fused multiply-adds: two units with
// a latency of up to five cycles.
const chains = 12

func multiplyAdd() {
	TEXT("multiplyAddAVX2", NOSPLIT, "func(sum *Lanes, turns int)")
	Doc("multiplyAddAVX2 makes turns of independent x = x/2 + 1, eight lanes in each of 12 registers.")
	out, n := Load(Param("sum"), GP64()), Load(Param("turns"), GP64())
	half, one := YMM(), YMM()
	VMOVUPS(con(0.5), half)
	VMOVUPS(con(1), one)
	var x [chains]reg.VecVirtual
	for i := range x {
		x[i] = YMM()
		VMOVUPS(Mem{Base: out}, x[i])
	}
	Label("turn")
	for _, v := range x {
		VFMADD213PS(one, half, v)
	}
	DECQ(n)
	JNE(LabelRef("turn"))
	for _, v := range x[1:] {
		VADDPS(v, x[0], x[0])
	}
	VMOVUPS(x[0], Mem{Base: out})
	VZEROUPPER()
	RET()
}

func read() {
	TEXT("readAVX2", NOSPLIT, "func(sum *Lanes, from *float32, blocks int)")
	Doc("readAVX2 adds up blocks of 32 values.")
	out, in, n := Load(Param("sum"), GP64()), Load(Param("from"), GP64()), Load(Param("blocks"), GP64())
	var x [4]reg.VecVirtual
	for i := range x {
		x[i] = YMM()
		VXORPS(x[i], x[i], x[i])
	}
	Label("block")
	for i, v := range x {
		VADDPS(Mem{Base: in, Disp: 32 * i}, v, v)
	}
	ADDQ(U32(128), in)
	DECQ(n)
	JNE(LabelRef("block"))
	VADDPS(x[1], x[0], x[0])
	VADDPS(x[3], x[2], x[2])
	VADDPS(x[2], x[0], x[0])
	VMOVUPS(x[0], Mem{Base: out})
	VZEROUPPER()
	RET()
}
