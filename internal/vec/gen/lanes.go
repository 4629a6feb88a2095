package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// program is straight-line arithmetic on eight lanes, written down as values that
// depend on values. emit turns it into instructions: it hands out the sixteen
// vector registers and keeps in memory what does not fit.
type program struct {
	ops []*operation
}

// value is a vector of eight float32, or eight integers or masks.
type value struct {
	home     Op    // where it lies in memory; nil: nowhere
	uses     []int // operations that read it, in order
	register int   // or -1
	spilled  bool  // home is a slot of the machine
}

// operation makes dst of its arguments, or stores its only argument.
type operation struct {
	kind kind
	dst  *value
	args []*value
	to   Mem // of a store
	imm  U8  // of comparisons, roundings and shifts
}

type kind int

const (
	opStore kind = iota
	opAdd
	opSub
	opMul
	opDiv
	opMin // of NaN and a number: the second argument
	opMax
	opAnd
	opAndNot // not the first, and the second
	opOr
	opXor
	opCompare
	opIntAdd
	opIntSub
	opIntMul
	opFMA  // a b + c
	opFMS  // a b - c
	opFNMA // c - a b
	opSqrt
	opRound
	opToInt
	opFromInt
	opShiftLeft
	opShiftRight
	opShiftSigned // right, the sign comes in
	opLoad        // a copy in a register
	opBlend       // the second where the first is set, else the third
)

// commutative tells which operations may swap their arguments.
var commutative = map[kind]bool{opAdd: true, opMul: true, opAnd: true, opOr: true, opXor: true, opIntAdd: true, opIntMul: true}

func (p *program) do(k kind, args ...*value) *value { return p.doImm(k, 0, args...) }

func (p *program) doImm(k kind, imm U8, args ...*value) *value {
	o := &operation{kind: k, dst: &value{register: -1}, args: args, imm: imm}
	p.push(o)
	return o.dst
}

func (p *program) push(o *operation) {
	for _, a := range o.args {
		a.uses = append(a.uses, len(p.ops))
	}
	p.ops = append(p.ops, o)
}

// in is a value in memory.
func (p *program) in(m Mem) *value { return &value{home: m, register: -1} }

// hold is a value of memory that is to stay in a register while there is one.
func (p *program) hold(m Mem) *value {
	v := p.do(opLoad, p.in(m))
	v.home = m
	return v
}

// num is a constant.
func (p *program) num(v float64) *value { return p.in(con(v)) }

// bits is a constant integer.
func (p *program) bits(v uint32) *value { return p.in(word(v)) }

// out stores a value.
func (p *program) out(v *value, m Mem) { p.push(&operation{kind: opStore, args: []*value{v}, to: m}) }

// slotOf stores a value and returns where.
func (p *program) slotOf(v *value) Mem {
	m := AllocLocal(4 * lanes)
	p.out(v, m)
	return m
}

func (p *program) add(a, b *value) *value           { return p.do(opAdd, a, b) }
func (p *program) sub(a, b *value) *value           { return p.do(opSub, a, b) }
func (p *program) mul(a, b *value) *value           { return p.do(opMul, a, b) }
func (p *program) div(a, b *value) *value           { return p.do(opDiv, a, b) }
func (p *program) min(a, b *value) *value           { return p.do(opMin, a, b) }
func (p *program) max(a, b *value) *value           { return p.do(opMax, a, b) }
func (p *program) and(a, b *value) *value           { return p.do(opAnd, a, b) }
func (p *program) fma(a, b, c *value) *value        { return p.do(opFMA, a, b, c) }
func (p *program) fms(a, b, c *value) *value        { return p.do(opFMS, a, b, c) }
func (p *program) fnma(a, b, c *value) *value       { return p.do(opFNMA, a, b, c) }
func (p *program) sqrt(a *value) *value             { return p.do(opSqrt, a) }
func (p *program) le(a, b *value) *value            { return p.doImm(opCompare, lessEqual, a, b) }
func (p *program) lt(a, b *value) *value            { return p.doImm(opCompare, lessThan, a, b) }
func (p *program) ge(a, b *value) *value            { return p.doImm(opCompare, greaterEqual, a, b) }
func (p *program) equal(a, b *value) *value         { return p.doImm(opCompare, equal, a, b) }
func (p *program) gt(a, b *value) *value            { return p.doImm(opCompare, greaterThan, a, b) }
func (p *program) round(a *value, m U8) *value      { return p.doImm(opRound, m, a) }
func (p *program) blend(m, a, b *value) *value      { return p.do(opBlend, m, a, b) }
func (p *program) times(a *value, k float64) *value { return p.mul(a, p.num(k)) }
func (p *program) neg(a *value) *value              { return p.times(a, -1) }

// dot returns the sum of products of pairs of values.
func (p *program) dot(pairs ...*value) *value {
	sum := p.mul(pairs[0], pairs[1])
	for i := 2; i < len(pairs); i += 2 {
		sum = p.fma(pairs[i], pairs[i+1], sum)
	}
	return sum
}

// finite is set where v is an ordinary number.
func (p *program) finite(v *value) *value {
	return p.le(p.and(v, p.bits(1<<31-1)), p.bits(0x7F7FFFFF))
}

// machine is the state of the registers while a program is emitted.
type machine struct {
	holds [16]*value
	now   int
	slots []Mem // free places in memory
}

var registers = [16]reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

// emit writes the program's instructions.
func (p *program) emit() {
	m := &machine{}
	for i, o := range p.ops {
		m.now = i
		m.emit(o)
		for _, a := range o.args {
			m.release(a)
		}
	}
}

// next returns the operation after the current one that reads v.
func (m *machine) next(v *value) int {
	for _, u := range v.uses {
		if u > m.now {
			return u
		}
	}
	return 1 << 30
}

// dies tells whether the current operation is the last to read v.
func (m *machine) dies(v *value) bool { return m.next(v) == 1<<30 }

// release frees what no later operation reads.
func (m *machine) release(v *value) {
	if !m.dies(v) {
		return
	}
	if v.spilled {
		m.slots = append(m.slots, v.home.(Mem))
		v.spilled = false
	}
	if v.register >= 0 {
		m.holds[v.register] = nil
		v.register = -1
	}
}

// free returns an empty register; keep must stay where they are. The value whose
// next use is furthest makes room.
func (m *machine) free(keep ...*value) int {
	worst, at := -1, -1
	for i, v := range m.holds {
		if v == nil {
			return i
		}
		if contains(keep, v) {
			continue
		}
		if n := m.next(v); n > worst {
			worst, at = n, i
		}
	}
	m.spill(m.holds[at])
	return at
}

func contains(list []*value, v *value) bool {
	for _, k := range list {
		if k == v {
			return true
		}
	}
	return false
}

// spill takes v out of its register, to memory if it is not there.
func (m *machine) spill(v *value) {
	if v.home == nil {
		v.home, v.spilled = m.slot(), true
		VMOVUPS(registers[v.register], v.home)
	}
	m.holds[v.register], v.register = nil, -1
}

// slot returns a free place in memory.
func (m *machine) slot() Mem {
	if n := len(m.slots); n > 0 {
		s := m.slots[n-1]
		m.slots = m.slots[:n-1]
		return s
	}
	return AllocLocal(4 * lanes)
}

// place puts v into register r.
func (m *machine) place(v *value, r int) {
	m.holds[r], v.register = v, r
}

// load makes sure that v is in a register.
func (m *machine) load(v *value, keep ...*value) reg.VecPhysical {
	if v.register < 0 {
		r := m.free(keep...)
		VMOVUPS(v.home, registers[r])
		m.place(v, r)
	}
	return registers[v.register]
}

// operand is v where it is, register or memory.
func (m *machine) operand(v *value) Op {
	if v.register >= 0 {
		return registers[v.register]
	}
	return v.home
}

// result returns a register for o's result: that of an argument which dies, or an
// empty one.
func (m *machine) result(o *operation) reg.VecPhysical {
	for _, a := range o.args {
		if a.register >= 0 && m.dies(a) {
			r := a.register
			a.register = -1
			m.place(o.dst, r)
			return registers[r]
		}
	}
	r := m.free(o.args...)
	m.place(o.dst, r)
	return registers[r]
}
