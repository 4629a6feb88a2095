package main

import "splat/internal/kernel"

// Tile numbers are small integers in float32.

// tileRows computes the rows of tiles that splats may touch, none where ok is not
// set or the extents are no numbers, and starts at the first. It returns the splats
// that have any.
func (p *splats) tileRows(y, conicA, conicC, ey, ok *value) *value {
	ex := p.mul(ey, p.sqrt(p.div(conicC, conicA)))
	p.set("ExtentX", -1, ex)
	zero := p.num(0)
	ok = p.and(ok, p.and(p.ge(ex, zero), p.ge(ey, zero)))
	first, last, some := p.pixels(p.sub(y, ey), p.add(y, ey), "Height")
	some = p.and(ok, some)
	first, last = p.tilesOf(first, last, some)
	p.set("First", -1, first)
	p.set("Row", -1, first)
	p.set("Last", -1, last)
	return some
}

// pixels returns the pixels [first, last) whose centres lie in [lo, hi] and in the
// picture, and where there are any.
func (p *splats) pixels(lo, hi *value, size string) (first, last, some *value) {
	half, zero := p.num(0.5), p.num(0)
	cut := func(v *value) *value { return p.min(p.c(size, -1), p.max(zero, v)) }
	first = cut(p.round(p.sub(lo, half), up))
	last = cut(p.add(p.round(p.sub(hi, half), down), p.num(1)))
	return first, last, p.lt(first, last)
}

// tilesOf turns pixels into tiles, [0, 0) where some is not set.
func (p *splats) tilesOf(first, last, some *value) (from, to *value) {
	from = p.round(p.times(first, 1./kernel.TileSize), down)
	to = p.add(p.round(p.times(p.sub(last, p.num(1)), 1./kernel.TileSize), down), p.num(1))
	return p.and(some, from), p.and(some, to)
}

// tileFunctions emits the tile test that project and emit share.
func tileFunctions() {
	function("tileRowsAVX2", "Splats.TileRows", func(p *splats) *value {
		proj := func(i int) *value { return p.s("Proj", i) }
		return p.tileRows(proj(kernel.ProjY), proj(kernel.ProjConicA), proj(kernel.ProjConicC), proj(kernel.ProjExtentY), p.s("Visible", -1))
	})
	function("tileSpanAVX2", "Splats.TileSpan", func(p *splats) *value {
		x, y := p.s("Proj", kernel.ProjX), p.s("Proj", kernel.ProjY)
		a, b, c := p.s("Proj", kernel.ProjConicA), p.s("Proj", kernel.ProjConicB), p.s("Proj", kernel.ProjConicC)
		ex, ey, row := p.s("ExtentX", -1), p.s("Proj", kernel.ProjExtentY), p.s("Row", -1)
		half := p.num(0.5)
		top := p.fma(row, p.num(kernel.TileSize), half)
		bottom := p.sub(p.min(p.fma(row, p.num(kernel.TileSize), p.num(kernel.TileSize)), p.c("Height", -1)), half)
		d0, d1 := p.max(p.sub(top, y), p.neg(ey)), p.min(p.sub(bottom, y), ey)
		some := p.and(p.le(d0, d1), p.lt(row, p.s("Last", -1)))
		peak := p.mul(p.neg(p.div(b, c)), ex) // dy at which the ellipse reaches +ex
		v1 := p.min(p.max(peak, d0), d1)
		v0 := p.min(p.max(p.neg(peak), d0), d1)
		det := p.fms(a, c, p.mul(b, b))
		power := p.mul(a, p.s("Proj", kernel.ProjPower))
		reach := func(v *value) *value {
			return p.sqrt(p.max(p.fnma(p.mul(det, v), v, power), p.num(0)))
		}
		right := p.add(x, p.div(p.fnma(b, v1, reach(v1)), a))
		left := p.sub(x, p.div(p.fma(b, v0, reach(v0)), a))
		first, last, any := p.pixels(left, right, "Width")
		from, to := p.tilesOf(first, last, p.and(some, any))
		p.set("From", -1, from)
		p.set("To", -1, to)
		p.set("Tiles", -1, p.add(p.s("Tiles", -1), p.sub(to, from)))
		row = p.add(row, p.num(1))
		p.set("Row", -1, row)
		return p.lt(row, p.s("Last", -1))
	})
}
