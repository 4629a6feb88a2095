package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"splat/internal/kernel"
)

// Sizes of a patch, as in the package.
const (
	taps       = 11
	halo       = taps / 2
	patchSide  = kernel.TileSize + 2*halo
	patchPitch = 4 * 32 // bytes of a row
	patchBytes = patchPitch * patchSide
	rowBytes   = 4 * kernel.TileSize // of H and of a tile
	plane      = rowBytes * kernel.TileSize
	rowsBytes  = rowBytes * patchSide

	ssimC1 = 0.01 * 0.01
	ssimC2 = 0.03 * 0.03
)

// lossFunctions emits the loops over a tile's pixels.
func lossFunctions() {
	loadPixels()
	moments()
	structure()
	blurMap()
	combine()
}

// tile is the parameter of the functions here.
func tile() gotypes.Component { return Dereference(Param("t")) }

// place returns a register with the address of a field of the tile.
func place(t gotypes.Component, name string) reg.GPVirtual {
	a := must(first(t.Field(name)).Resolve()).Addr
	r := GP64()
	LEAQ(a, r)
	return r
}

// first goes down to the first number of nested arrays.
func first(c gotypes.Component) gotypes.Component {
	for {
		if _, err := c.Resolve(); err == nil {
			return c
		}
		c = c.Index(0)
	}
}

// advance adds the parameter name times bytes to r.
func advance(r reg.Register, name string, bytes int) {
	n := Load(Param(name), GP64())
	IMUL3Q(U32(bytes), n, n)
	ADDQ(n, r)
}

// loop emits body rows times; body gets nothing and advances its registers itself.
func loop(label string, rows int, body func()) {
	n := GP64()
	MOVQ(U32(rows), n)
	Label(label)
	body()
	DECQ(n)
	JNE(LabelRef(label))
}

func mem(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

// loadPixels emits the composition of a row of pixels, eight at a time; the last
// eight may overlap those before.
func loadPixels() {
	TEXT("loadPixelsAVX2", NOSPLIT, "func(t *LossTile, at int, image *float32, target *uint32, n int)")
	Doc("loadPixelsAVX2 is LossTile.Load.")
	t := tile()
	row, image, target := place(t, "X"), Load(Param("image"), GP64()), Load(Param("target"), GP64())
	advance(row, "at", 4)
	last, i, x, from := Load(Param("n"), GP64()), GP64(), GP64(), GP64()
	SUBQ(U8(lanes), last)
	XORQ(i, i)
	Label("eight")
	CMPQ(i, last)
	CMOVQGT(last, i)
	LEAQ(Mem{Base: row, Index: i, Scale: 4}, x)
	MOVQ(i, from)
	SHLQ(U8(4), from)
	ADDQ(image, from)
	var r [4]reg.VecVirtual
	for k := range r {
		low := XMM()
		r[k] = YMM()
		VMOVUPS(mem(from, 16*k), low)
		VINSERTF128(U8(1), mem(from, 16*(k+4)), low.AsY(), r[k])
	}
	rgbt := transpose(r[0], r[1], r[2], r[3])
	words, a, weight, one := YMM(), YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: target, Index: i, Scale: 4}, words)
	VPSRLD(U8(24), words, a)
	byte255(a)
	VMOVUPS(con(1), one)
	mask, v := YMM(), YMM()
	VMOVUPS(at(t, "Mask", -1), mask)
	VBLENDVPS(mask, a, one, weight)
	VSUBPS(a, one, a) // how much background shows
	for c := range 3 {
		VMULPS(weight, rgbt[c], rgbt[c])
		VMOVUPS(rgbt[c], mem(x, c*patchBytes))
		VPSRLD(U8(8*c), words, v)
		VPAND(word(0xFF), v, v)
		byte255(v)
		VFMADD231PS(at(t, "Background", c), a, v)
		VMULPS(weight, v, v)
		VMOVUPS(v, mem(x, (3+c)*patchBytes))
	}
	VMOVUPS(weight, mem(x, 6*patchBytes))
	CMPQ(i, last)
	JGE(LabelRef("done"))
	ADDQ(U8(lanes), i)
	JMP(LabelRef("eight"))
	Label("done")
	VZEROUPPER()
	RET()
}

// byte255 turns integers from 0 to 255 into v/255, rounded as a division rounds:
// equal bytes must give equal numbers. A product and a correction are faster.
func byte255(v reg.VecVirtual) {
	q, rest := YMM(), YMM()
	VCVTDQ2PS(v, v)
	VMULPS(con(1./255), v, q)
	VMOVUPS(v, rest)
	VFNMADD231PS(con(255), q, rest)
	VMOVUPS(con(1./255), v)
	VFMADD213PS(q, rest, v)
}

// window is the taps of one program, from the outside to the middle: mirrored ones
// are equal.
type window [halo + 1]*value

func (p *program) window(t gotypes.Component) (w window) {
	for k := range w {
		w[k] = p.hold(at(t, "Taps", k))
	}
	return w
}

// over is the window over eleven places of memory, step bytes apart.
func (w window) over(p *program, from Mem, step int) *value {
	var sum *value
	for k := range halo {
		pair := p.add(p.in(from.Offset(k*step)), p.in(from.Offset((taps-1-k)*step)))
		if sum == nil {
			sum = p.mul(pair, w[k])
		} else {
			sum = p.fma(pair, w[k], sum)
		}
	}
	return p.fma(p.in(from.Offset(halo*step)), w[halo], sum)
}

// moments emits the row pass of the four windowed means of a channel. All products
// are made first: a load that meets two stores which are still under way waits.
func moments() {
	TEXT("momentsAVX2", NOSPLIT, "func(t *LossTile, channel int)")
	Doc("momentsAVX2 is LossTile.Moments.")
	t := tile()
	x, h, squares, products := place(t, "X"), place(t, "H"), place(t, "Squares"), place(t, "Products")
	advance(x, "channel", patchBytes)
	loop("products", patchSide, func() {
		p := &program{}
		for k := 0; k < patchPitch; k += 4 * lanes {
			xv, yv := p.hold(mem(x, k)), p.hold(mem(x, 3*patchBytes+k))
			p.out(p.dot(xv, xv, yv, yv), mem(squares, k))
			p.out(p.mul(xv, yv), mem(products, k))
		}
		p.emit()
		for _, r := range []reg.Register{x, squares, products} {
			ADDQ(U32(patchPitch), r)
		}
	})
	for _, r := range []reg.Register{x, squares, products} {
		SUBQ(U32(patchBytes), r)
	}
	loop("row", patchSide, func() {
		p := &program{}
		w := p.window(t)
		for half := range 2 {
			for k, row := range []Mem{mem(x, 0), mem(x, 3*patchBytes), mem(squares, 0), mem(products, 0)} {
				p.out(w.over(p, row.Offset(32*half), 4), mem(h, k*rowsBytes+32*half))
			}
		}
		p.emit()
		for _, r := range []reg.Register{x, squares, products} {
			ADDQ(U32(patchPitch), r)
		}
		ADDQ(U32(rowBytes), h)
	})
	VZEROUPPER()
	RET()
}

// structure emits the column pass and the SSIM with its derivatives (Wang et al.
// 2004).
func structure() {
	TEXT("ssimAVX2", NOSPLIT, "func(t *LossTile, channel int, maps *float32, pitch, plane int)")
	Doc("ssimAVX2 is LossTile.Structure.")
	t := tile()
	h, x, weight := place(t, "H"), place(t, "X"), place(t, "Weight")
	advance(x, "channel", patchBytes)
	var maps [3]reg.GPVirtual
	for k := range maps {
		maps[k] = Load(Param("maps"), GP64()).(reg.GPVirtual)
		for range k {
			advance(maps[k], "plane", 4)
		}
	}
	pitch := Load(Param("pitch"), GP64())
	SHLQ(U8(2), pitch)
	loop("row", kernel.TileSize, func() {
		for half := range 2 {
			p := &program{}
			window := p.window(t)
			column := func(k int) *value { return window.over(p, mem(h, k*rowsBytes+32*half), rowBytes) }
			mu1, mu2, squares, xy := column(0), column(1), column(2), column(3)
			w := p.in(mem(weight, halo*patchPitch+4*halo+32*half))
			xv, yv := p.in(mem(x, halo*patchPitch+4*halo+32*half)), p.in(mem(x, 3*patchBytes+halo*patchPitch+4*halo+32*half))
			l1 := p.add(p.in(at(t, "L1", -1)), p.abs(p.sub(xv, yv)))
			p.out(l1, at(t, "L1", -1))

			both := p.dot(mu1, mu1, mu2, mu2)
			product := p.mul(mu1, mu2)
			variances := p.max(p.num(0), p.sub(squares, both))
			a, b := p.add(both, p.num(ssimC1)), p.add(variances, p.num(ssimC2))
			c, d := p.fma(product, p.num(2), p.num(ssimC1)), p.fma(p.sub(xy, product), p.num(2), p.num(ssimC2))
			ia, ib := p.div(p.num(1), a), p.div(p.num(1), b)
			iab := p.mul(ia, ib)
			value := p.mul(p.mul(c, d), iab)
			p.out(p.fma(w, value, p.in(at(t, "SSIM", -1))), at(t, "SSIM", -1))
			twice := p.times(w, 2)
			mean := p.dot(p.mul(mu2, p.sub(d, c)), iab, p.mul(mu1, value), p.sub(ib, ia))
			p.out(p.mul(twice, mean), mem(maps[0], 32*half))
			p.out(p.neg(p.mul(p.mul(w, value), ib)), mem(maps[1], 32*half))
			p.out(p.mul(p.mul(twice, c), iab), mem(maps[2], 32*half))
			p.emit()
		}
		for _, r := range []reg.Register{x, weight} {
			ADDQ(U32(patchPitch), r)
		}
		ADDQ(U32(rowBytes), h)
		for _, r := range maps {
			ADDQ(pitch, r)
		}
	})
	VZEROUPPER()
	RET()
}

// blurMap emits the window over one map.
func blurMap() {
	TEXT("blurAVX2", NOSPLIT, "func(t *LossTile, back int, from *float32, pitch int)")
	Doc("blurAVX2 is LossTile.BlurMap.")
	t := tile()
	in, h, out := Load(Param("from"), GP64()), place(t, "H"), place(t, "Back")
	advance(out, "back", plane)
	pitch := Load(Param("pitch"), GP64())
	SHLQ(U8(2), pitch)
	loop("row", patchSide, func() {
		p := &program{}
		w := p.window(t)
		for half := range 2 {
			p.out(w.over(p, mem(in, 32*half), 4), mem(h, 32*half))
		}
		p.emit()
		ADDQ(pitch, in)
		ADDQ(U32(rowBytes), h)
	})
	SUBQ(U32(rowsBytes), h)
	loop("column", kernel.TileSize, func() {
		p := &program{}
		w := p.window(t)
		for half := range 2 {
			p.out(w.over(p, mem(h, 32*half), rowBytes), mem(out, 32*half))
		}
		p.emit()
		ADDQ(U32(rowBytes), h)
		ADDQ(U32(rowBytes), out)
	})
	VZEROUPPER()
	RET()
}

// combine emits the gradient of a channel's pixels.
func combine() {
	TEXT("lossGradientAVX2", NOSPLIT, "func(t *LossTile, channel int)")
	Doc("lossGradientAVX2 is LossTile.Combine.")
	t := tile()
	x, weight, back, out := place(t, "X"), place(t, "Weight"), place(t, "Back"), place(t, "Gradient")
	advance(x, "channel", patchBytes)
	loop("row", kernel.TileSize, func() {
		for half := range 2 {
			p := &program{}
			middle := halo*patchPitch + 4*halo + 32*half
			w, xv, yv := p.in(mem(weight, middle)), p.in(mem(x, middle)), p.in(mem(x, 3*patchBytes+middle))
			b := func(k int) *value { return p.in(mem(back, k*plane+32*half)) }
			ssim := p.fma(yv, b(2), p.fma(p.times(xv, 2), b(1), b(0)))
			difference := p.sub(xv, yv)
			sign := p.sub(p.and(p.gt(difference, p.num(0)), p.num(1)), p.and(p.lt(difference, p.num(0)), p.num(1)))
			g := p.fnma(p.in(at(t, "ScaleSSIM", -1)), ssim, p.mul(p.in(at(t, "ScaleL1", -1)), sign))
			p.out(p.mul(w, g), mem(out, 32*half))
			p.emit()
		}
		for _, r := range []reg.Register{x, weight} {
			ADDQ(U32(patchPitch), r)
		}
		for _, r := range []reg.Register{back, out} {
			ADDQ(U32(rowBytes), r)
		}
	})
	VZEROUPPER()
	RET()
}
