package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// emit writes the instructions of one operation.
func (m *machine) emit(o *operation) {
	switch o.kind {
	case opStore:
		VMOVUPS(m.load(o.args[0]), o.to)
	case opFMA, opFMS, opFNMA:
		m.emitFused(o)
	case opSqrt, opRound, opToInt, opFromInt:
		src := m.operand(o.args[0])
		m.emitUnary(o, src, m.result(o))
	case opShiftLeft, opShiftRight, opShiftSigned:
		src := m.load(o.args[0])
		shift := map[kind]func(...Op){opShiftLeft: VPSLLD, opShiftRight: VPSRLD, opShiftSigned: VPSRAD}[o.kind]
		shift(o.imm, src, m.result(o))
	case opLoad:
		m.load(o.args[0])
		m.result(o)
	case opBlend:
		mask := m.load(o.args[0], o.args...)
		no := m.load(o.args[2], o.args...)
		yes := m.operand(o.args[1])
		VBLENDVPS(mask, yes, no, m.result(o))
	default:
		m.emitBinary(o)
	}
}

func (m *machine) emitUnary(o *operation, src Op, dst reg.VecPhysical) {
	switch o.kind {
	case opSqrt:
		VSQRTPS(src, dst)
	case opRound:
		VROUNDPS(o.imm, src, dst)
	case opToInt:
		VCVTTPS2DQ(src, dst)
	case opFromInt:
		VCVTDQ2PS(src, dst)
	}
}

func (m *machine) emitBinary(o *operation) {
	a, b := o.args[0], o.args[1]
	if commutative[o.kind] && a.register < 0 && b.register >= 0 {
		a, b = b, a
	}
	x := m.load(a, a, b)
	y := m.operand(b)
	dst := m.result(o)
	switch o.kind {
	case opAdd:
		VADDPS(y, x, dst)
	case opSub:
		VSUBPS(y, x, dst)
	case opMul:
		VMULPS(y, x, dst)
	case opDiv:
		VDIVPS(y, x, dst)
	case opMin:
		VMINPS(y, x, dst)
	case opMax:
		VMAXPS(y, x, dst)
	case opAnd:
		VANDPS(y, x, dst)
	case opAndNot:
		VANDNPS(y, x, dst)
	case opOr:
		VORPS(y, x, dst)
	case opXor:
		VXORPS(y, x, dst)
	case opIntMul:
		VPMULLD(y, x, dst)
	case opCompare:
		VCMPPS(o.imm, y, x, dst)
	case opIntAdd:
		VPADDD(y, x, dst)
	case opIntSub:
		VPSUBD(y, x, dst)
	}
}

// emitFused writes a fused multiply-add. The instruction overwrites one of its
// arguments: one that dies, if there is one in a register, else a copy of c.
func (m *machine) emitFused(o *operation) {
	a, b, c := o.args[0], o.args[1], o.args[2]
	lives := func(v *value) bool {
		return v.register < 0 || !m.dies(v) || (v == a && v == b) || (v == c && (v == a || v == b))
	}
	switch {
	case !lives(c):
		m.emitOnto(o, a, b, c, form231)
	case !lives(a):
		m.emitOnto(o, b, c, a, form213)
	case !lives(b):
		m.emitOnto(o, a, c, b, form213)
	default:
		r := m.free(a, b, c)
		VMOVUPS(m.operand(c), registers[r])
		copied := &value{register: -1}
		m.place(copied, r)
		m.emitOnto(o, a, b, copied, form231)
	}
}

// Forms of a fused multiply-add, by what is overwritten: the sum (dst += x y) or a
// factor (dst = dst x + y).
const (
	form231 = iota
	form213
)

// emitOnto writes the instruction that overwrites victim with the result. x must be
// in a register, y may be in memory.
func (m *machine) emitOnto(o *operation, x, y, victim *value, form int) {
	if form == form231 && x.register < 0 && y.register >= 0 {
		x, y = y, x
	}
	xr := m.load(x, x, y, victim)
	yo := m.operand(y)
	r := victim.register
	dst := registers[r]
	victim.register = -1
	m.place(o.dst, r)
	instruction := map[kind][2]func(...Op){
		opFMA:  {VFMADD231PS, VFMADD213PS},
		opFMS:  {VFMSUB231PS, VFMSUB213PS},
		opFNMA: {VFNMADD231PS, VFNMADD213PS},
	}[o.kind][form]
	instruction(yo, xr, dst)
}
