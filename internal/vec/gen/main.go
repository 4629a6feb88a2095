// Command gen writes the AVX2 versions of the loops of package vec as Go
// assembly, with avo. Run it through go generate in internal/vec.
package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	Package("splat/internal/vec")
	ConstraintExpr("amd64")
	blend()
	unblend("unblendAVX2", false)
	unblend("unblendAbsAVX2", true)
	adamGeom()
	adamSH()
	projectSplats()
	tileFunctions()
	for degree := range 4 {
		colorFunctions(degree)
	}
	backwardFunctions()
	noise()
	rowFunctions()
	lossFunctions()
	peakFunctions()
	Generate()
}

// lanes is the number of float32 in a vector register.
const lanes = 8

// constants remembers which tables of eight equal values exist.
var (
	constants = map[uint32]Mem{}
	tables    = map[string]Mem{}
)

// con returns a table of eight times v, as a memory operand.
func con(v float64) Mem { return word(math.Float32bits(float32(v))) }

// word is con for bits.
func word(bits uint32) Mem {
	if m, ok := constants[bits]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("all%08x", bits), attr.RODATA|attr.NOPTR)
	for i := range lanes {
		DATA(4*i, U32(bits))
	}
	constants[bits] = m
	return m
}

// indices returns a table of eight integers.
func indices(name string, of func(i int) int) Mem {
	if m, ok := tables[name]; ok {
		return m
	}
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range lanes {
		DATA(4*i, U32(of(i)))
	}
	tables[name] = m
	return m
}

// floats returns a table of eight numbers.
func floats(name string, of func(i int) int) Mem {
	return indices(name, func(i int) int { return int(math.Float32bits(float32(of(i)))) })
}

// Comparison predicates: ordered, quiet.
const (
	equal        = U8(0x00)
	lessThan     = U8(0x11)
	lessEqual    = U8(0x12)
	greaterEqual = U8(0x1D)
	greaterThan  = U8(0x1E)
)

// Rounding modes, without exceptions.
const (
	toNearest = U8(0x08)
	down      = U8(0x09)
	up        = U8(0x0A)
)

// exp2 turns t, exponents of 2 between -100 and 1, into powers. f and n are
// scratch. The polynomial is the one of the plain Go version.
func exp2(t, f, n reg.VecVirtual) {
	VROUNDPS(toNearest, t, n)
	VSUBPS(n, t, f)
	VMOVUPS(con(1.535336188e-4), t)
	for _, c := range []float64{1.339887440e-3, 9.618437357e-3, 5.550332471e-2, 2.402264791e-1, 6.931472028e-1, 1} {
		VFMADD213PS(con(c), f, t)
	}
	VCVTPS2DQ(n, n)
	VPSLLD(U8(23), n, n)
	VPADDD(n, t, t)
}
