package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"splat/internal/kernel"
)

const (
	minAlpha         = 1. / 255
	maxAlpha         = 0.999
	minTransmittance = 1e-4
	log2e            = 1.44269504088896341

	across = kernel.TileSize / 4 // blocks in a row of them
)

// walk is the frame that both raster passes share: it goes through a tile's list
// and, for each splat, through the blocks of 4 x 2 pixels that the splat's box
// touches.
type walk struct {
	size                int          // bytes of a block
	inMemory            bool         // keep a splat's values in memory, not in registers
	tile                reg.Register // pointer to the tile's pixels
	proj, owners, pairs reg.Register
	count, k            reg.GPVirtual // splats in the list, position in it
	row                 reg.Register  // the splat's projected row
	origin, mean        Mem           // x, y of the tile's first pixel centre; of the mean from there
	left, top           Mem           // first column and row of pixels that the splat reaches
	right, bottom       Mem           // last ones
	next                next
	at, rows            reg.Register // where a block lies; blocks left below

	q, r, dx  Op // of a half row: factor of 1, of dy; dx (only where asked for)
	kc        Op // factor of dy^2
	threshold Op // least exponent that shows
	opacity   Op
	color     [3]Op
	position  Op             // in every lane
	dy        reg.VecVirtual // of the current block
}

// next is what is known of the splat that comes after: its bounds take a division
// and a root, which run beside the work on the current splat.
type next struct {
	row          reg.Register
	bounds, mean Mem
	none         Mem // not 0 where it reaches no pixel
}

func newWalk(size int, inMemory bool) *walk {
	w := &walk{size: size, inMemory: inMemory}
	run := Dereference(Param("run"))
	w.tile = Load(Param("tile"), GP64())
	w.proj = Load(run.Field("Proj").Base(), GP64())
	w.owners = Load(run.Field("Owners").Base(), GP64())
	w.pairs = Load(run.Field("Pairs").Base(), GP64())
	w.count = Load(run.Field("Pairs").Len(), GP64()).(reg.GPVirtual)
	w.k, w.row, w.at, w.rows = GP64(), GP64(), GP64(), GP64()
	bounds := AllocLocal(16)
	w.left, w.top, w.right, w.bottom = bounds, bounds.Offset(4), bounds.Offset(8), bounds.Offset(12)
	w.mean, w.origin = AllocLocal(8), AllocLocal(8)
	w.next = next{GP64(), AllocLocal(16), AllocLocal(8), AllocLocal(8)}
	for i, f := range []string{"X", "Y"} {
		x := Load(run.Field(f), XMM())
		VADDSS(con(0.5), x, x)
		VMOVSS(x, w.origin.Offset(4*i))
	}
	return w
}

// field is a value of the splat's projected row.
func (w *walk) field(i int) Mem { return Mem{Base: w.row, Disp: 4 * i} }

// keep leaves a value where the walk keeps its values.
func (w *walk) keep(y reg.VecVirtual) Op {
	if !w.inMemory {
		return y
	}
	m := AllocLocal(4 * lanes)
	VMOVUPS(y, m)
	return m
}

// spread keeps a field in every lane, times factor.
func (w *walk) spread(i int, factor float64) Op {
	y := YMM()
	VBROADCASTSS(w.field(i), y)
	if factor != 1 {
		VMULPS(con(factor), y, y)
	}
	return w.keep(y)
}

// prefetch asks for the projected row of the splat ahead places further on, or
// back; a place outside the list is cut to its ends.
func (w *walk) prefetch(ahead int) {
	p, end := GP64(), GP64()
	LEAQ(Mem{Base: w.k, Disp: ahead}, p)
	if ahead > 0 {
		LEAQ(Mem{Base: w.count, Disp: -1}, end)
		CMPQ(p, end)
		CMOVQGT(end, p)
	} else {
		XORQ(end, end)
		TESTQ(p, p)
		CMOVQLT(end, p)
	}
	w.rowOf(p, p)
	PREFETCHT0(Mem{Base: p})
	PREFETCHT0(Mem{Base: p, Disp: 4*kernel.ProjRow - 4})
}

// rowOf finds the projected row of the splat at place k of the list.
func (w *walk) rowOf(k, row reg.Register) {
	id := GP64()
	MOVL(Mem{Base: w.pairs, Index: k, Scale: 4}, id.As32())
	MOVL(Mem{Base: w.owners, Index: id, Scale: 4}, id.As32())
	LEAQ(Mem{Base: id, Index: id, Scale: 2}, id)
	SHLQ(U8(4), id) // 48 bytes a row
	LEAQ(Mem{Base: w.proj, Index: id, Scale: 1}, row)
}

// load makes the splat that prepare has seen the current one, at place k, prepares
// the one at the place that follow leaves in its argument, and jumps to skip where
// the current one reaches no pixel of the tile. position will be k plus
// positionBias.
func (w *walk) load(skip string, positionBias int, follow func(place reg.GPVirtual)) {
	b, m, place, none := XMM(), XMM(), GP64(), GP64()
	MOVQ(w.next.row, w.row)
	MOVQ(w.next.none, none)
	VMOVUPS(w.next.bounds, b)
	VMOVUPS(b, w.left)
	VMOVSD(w.next.mean, m)
	VMOVSD(m, w.mean)
	follow(place)
	w.prepare(place)
	TESTQ(none, none)
	JNE(LabelRef(skip))
	w.kc = w.spread(kernel.ProjConicC, -0.5*log2e)
	w.threshold = w.spread(kernel.ProjPower, -0.5*log2e)
	w.opacity = w.spread(kernel.ProjOpacity, 1)
	for c := range 3 {
		w.color[c] = w.spread(kernel.ProjColor+c, 1)
	}
	x, y, at := XMM(), YMM(), GP64()
	LEAQ(Mem{Base: w.k, Disp: positionBias}, at)
	VMOVD(at.As32(), x)
	VPBROADCASTD(x, y)
	w.position = w.keep(y)
}

// prepare finds the rows and columns of the tile's pixels that the splat at a place
// can reach, with a margin for rounding, and the offset of its mean.
func (w *walk) prepare(place reg.Register) {
	w.rowOf(place, w.next.row)
	field := func(i int) Mem { return Mem{Base: w.next.row, Disp: 4 * i} }
	extent, mean, lo, hi, z := XMM(), XMM(), XMM(), XMM(), XMM()
	VMOVSS(field(kernel.ProjConicC), extent)
	VDIVSS(field(kernel.ProjConicA), extent, extent)
	VSQRTSS(extent, extent, extent)
	VMULSS(field(kernel.ProjExtentY), extent, extent)
	VMOVSS(field(kernel.ProjExtentY), z)
	VUNPCKLPS(z, extent, extent) // half width, half height
	VADDPS(con(1e-3), extent, extent)
	VMOVSD(field(kernel.ProjX), mean)
	VMOVSD(w.origin, z)
	VSUBPS(z, mean, mean)
	VMOVSD(mean, w.next.mean)
	VSUBPS(extent, mean, lo)
	VADDPS(extent, mean, hi)
	VROUNDPS(up, lo, lo)
	VROUNDPS(down, hi, hi)
	VXORPS(z, z, z)
	VMAXPS(z, lo, lo)
	VMINPS(con(kernel.TileSize), lo, lo)
	VMAXPS(con(-1), hi, hi)
	VMINPS(con(kernel.TileSize-1), hi, hi)
	VMOVLHPS(hi, lo, z)
	VCVTTPS2DQ(z, z)
	VMOVDQU(z, w.next.bounds)
	VCMPPS(lessEqual, hi, lo, lo)
	bits := GP64()
	VMOVMSKPS(lo, bits.As32())
	NOTQ(bits)
	ANDQ(I8(3), bits)
	MOVQ(bits, w.next.none)
}

// blocks emits body for each block that the splat at place k can reach; body jumps
// to next or falls through.
func (w *walk) blocks(wantDX bool, body func(next string)) {
	column, last := GP64(), GP64()
	MOVLQSX(w.left, column)
	SARQ(U8(2), column)
	MOVLQSX(w.right, last)
	SARQ(U8(2), last)
	Label("column")
	w.startColumn(column, wantDX)
	Label("block")
	body("next")
	Label("next")
	VADDPS(con(2), w.dy, w.dy)
	ADDQ(U32(across*w.size), w.at)
	DECQ(w.rows)
	JNE(LabelRef("block"))
	INCQ(column)
	CMPQ(column, last)
	JLE(LabelRef("column"))
}

// startColumn computes what the blocks of one column have in common.
func (w *walk) startColumn(column reg.Register, wantDX bool) {
	dx, q, r, x := YMM(), YMM(), YMM(), XMM()
	at := GP64()
	MOVQ(column, at)
	SHLQ(U8(2), at)
	VXORPS(x, x, x)
	VCVTSI2SSQ(at, x, x)
	VSUBSS(w.mean, x, x)
	VBROADCASTSS(x, dx)
	VADDPS(floats("blockX", func(i int) int { return i % 4 }), dx, dx)
	if wantDX {
		w.dx = w.keep(dx)
	}
	VBROADCASTSS(w.field(kernel.ProjConicA), q)
	VMULPS(con(-0.5*log2e), q, q)
	VMULPS(dx, q, q)
	VMULPS(dx, q, q)
	w.q = w.keep(q)
	VBROADCASTSS(w.field(kernel.ProjConicB), r)
	VMULPS(con(-log2e), r, r)
	VMULPS(dx, r, r)
	w.r = w.keep(r)

	top := GP64()
	MOVLQSX(w.top, top)
	SARQ(U8(1), top)
	MOVLQSX(w.bottom, w.rows)
	SARQ(U8(1), w.rows)
	SUBQ(top, w.rows)
	INCQ(w.rows)
	IMUL3Q(U32(across*w.size), top, at)
	ADDQ(w.tile, at)
	IMUL3Q(U32(w.size), column, w.at)
	ADDQ(at, w.at)
	ADDQ(top, top)
	VXORPS(x, x, x)
	VCVTSI2SSQ(top, x, x)
	VSUBSS(w.mean.Offset(4), x, x)
	w.dy = YMM()
	VBROADCASTSS(x, w.dy)
	VADDPS(floats("blockY", func(i int) int { return i / 4 }), w.dy, w.dy)
}

// exponent computes t, the exponent of 2 of the current block.
func (w *walk) exponent(t reg.VecVirtual) {
	VMOVUPS(w.kc, t)
	VFMADD213PS(w.r, w.dy, t)
	VFMADD213PS(w.q, w.dy, t)
}

// pixels is one value of the current block's pixels.
func (w *walk) pixels(i int) Mem { return Mem{Base: w.at, Disp: 4 * lanes * i} }
