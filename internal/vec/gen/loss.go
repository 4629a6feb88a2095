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

// loadPixels emits the composition of eight pixels.
func loadPixels() {
	TEXT("loadPixelsAVX2", NOSPLIT, "func(t *LossTile, at int, image *float32, target *uint32)")
	Doc("loadPixelsAVX2 brings eight pixels to element at of the patch.")
	t := tile()
	x, image, target := place(t, "X"), Load(Param("image"), GP64()), Load(Param("target"), GP64())
	advance(x, "at", 4)
	var r [4]reg.VecVirtual
	for k := range r {
		low := XMM()
		r[k] = YMM()
		VMOVUPS(mem(image, 16*k), low)
		VINSERTF128(U8(1), mem(image, 16*(k+4)), low.AsY(), r[k])
	}
	rgbt := transpose(r[0], r[1], r[2], r[3])
	words, a, weight, one, v, full := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(con(255), full) // divided by, so that equal bytes give equal numbers
	VMOVDQU(mem(target, 0), words)
	VPSRLD(U8(24), words, a)
	VCVTDQ2PS(a, a)
	VDIVPS(full, a, a)
	VMOVUPS(con(1), one)
	mask := YMM()
	VMOVUPS(at(t, "Mask", -1), mask)
	VBLENDVPS(mask, a, one, weight)
	VSUBPS(a, one, a) // how much background shows
	for c := range 3 {
		VMULPS(weight, rgbt[c], rgbt[c])
		VMOVUPS(rgbt[c], mem(x, c*patchBytes))
		VPSRLD(U8(8*c), words, v)
		VPAND(word(0xFF), v, v)
		VCVTDQ2PS(v, v)
		VDIVPS(full, v, v)
		VFMADD231PS(at(t, "Background", c), a, v)
		VMULPS(weight, v, v)
		VMOVUPS(v, mem(x, (3+c)*patchBytes))
	}
	VMOVUPS(weight, mem(x, 6*patchBytes))
	VZEROUPPER()
	RET()
}

// moments emits the row pass of the four windowed means of a channel.
func moments() {
	TEXT("momentsAVX2", NOSPLIT, "func(t *LossTile, channel int)")
	Doc("momentsAVX2 is LossTile.Moments.")
	t := tile()
	x, h := place(t, "X"), place(t, "H")
	advance(x, "channel", patchBytes)
	loop("row", patchSide, func() {
		for half := range 2 {
			var sum [4]reg.VecVirtual
			for k := range sum {
				sum[k] = YMM()
				VXORPS(sum[k], sum[k], sum[k])
			}
			for k := range taps {
				xv, yv, wx, wy := YMM(), YMM(), YMM(), YMM()
				tap := at(t, "Taps", k)
				VMOVUPS(mem(x, 4*(8*half+k)), xv)
				VMOVUPS(mem(x, 3*patchBytes+4*(8*half+k)), yv)
				VMULPS(tap, xv, wx)
				VMULPS(tap, yv, wy)
				VADDPS(wx, sum[0], sum[0])
				VADDPS(wy, sum[1], sum[1])
				VFMADD231PS(wx, xv, sum[2])
				VFMADD231PS(wy, yv, sum[2])
				VFMADD231PS(wx, yv, sum[3])
			}
			for k, s := range sum {
				VMOVUPS(s, mem(h, k*rowsBytes+32*half))
			}
		}
		ADDQ(U32(patchPitch), x)
		ADDQ(U32(rowBytes), h)
	})
	VZEROUPPER()
	RET()
}

// columns returns the window over eleven rows of a plane, from m on.
func (p *program) columns(t gotypes.Component, m Mem) *value {
	var sum *value
	for k := range taps {
		tap := p.in(at(t, "Taps", k))
		row := p.in(m.Offset(k * rowBytes))
		if sum == nil {
			sum = p.mul(row, tap)
		} else {
			sum = p.fma(row, tap, sum)
		}
	}
	return sum
}

// structure emits the column pass and the SSIM with its derivatives (Wang et al.
// 2004).
func structure() {
	TEXT("ssimAVX2", NOSPLIT, "func(t *LossTile, channel int)")
	Doc("ssimAVX2 is LossTile.Structure.")
	t := tile()
	h, maps, x := place(t, "H"), place(t, "Maps"), place(t, "X")
	advance(x, "channel", patchBytes)
	weight := place(t, "Weight")
	loop("row", kernel.TileSize, func() {
		for half := range 2 {
			p := &program{}
			mu1, mu2 := p.columns(t, mem(h, 32*half)), p.columns(t, mem(h, rowsBytes+32*half))
			squares, xy := p.columns(t, mem(h, 2*rowsBytes+32*half)), p.columns(t, mem(h, 3*rowsBytes+32*half))
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
			p.out(p.mul(twice, mean), mem(maps, 32*half))
			p.out(p.neg(p.mul(p.mul(w, value), ib)), mem(maps, plane+32*half))
			p.out(p.mul(p.mul(twice, c), iab), mem(maps, 2*plane+32*half))
			p.emit()
		}
		for _, r := range []reg.Register{x, weight} {
			ADDQ(U32(patchPitch), r)
		}
		for _, r := range []reg.Register{h, maps} {
			ADDQ(U32(rowBytes), r)
		}
	})
	VZEROUPPER()
	RET()
}

// blurMap emits the window over one map: mirrored taps share a product.
func blurMap() {
	TEXT("blurAVX2", NOSPLIT, "func(t *LossTile, back int)")
	Doc("blurAVX2 is LossTile.BlurMap.")
	t := tile()
	in, h, out := place(t, "Map"), place(t, "H"), place(t, "Back")
	advance(out, "back", plane)
	window := func(from reg.Register, disp, step int, to Mem) {
		p := &program{}
		var sum *value
		for k := range halo {
			pair := p.add(p.in(mem(from, disp+k*step)), p.in(mem(from, disp+(taps-1-k)*step)))
			if sum == nil {
				sum = p.mul(pair, p.in(at(t, "Taps", k)))
			} else {
				sum = p.fma(pair, p.in(at(t, "Taps", k)), sum)
			}
		}
		p.out(p.fma(p.in(mem(from, disp+halo*step)), p.in(at(t, "Taps", halo)), sum), to)
		p.emit()
	}
	loop("row", patchSide, func() {
		for half := range 2 {
			window(in, 32*half, 4, mem(h, 32*half))
		}
		ADDQ(U32(patchPitch), in)
		ADDQ(U32(rowBytes), h)
	})
	SUBQ(U32(rowsBytes), h)
	loop("column", kernel.TileSize, func() {
		for half := range 2 {
			window(h, 32*half, rowBytes, mem(out, 32*half))
		}
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
