package cpu

import "splat/internal/kernel"

// The tile test. project counts with it and emit lists with it, on the same
// numbers, so both see the same tiles.

// powerOf returns 2 ln(255 opacity), the squared Mahalanobis radius at which
// alpha falls to 1/255, widened a little so that rounding here never hides a
// pixel that the rasteriser would blend.
func powerOf[F Float](opacity F) F { return 2*log(255*opacity)*(1+1e-5) + 1e-5 }

// ellipse is the region in which a splat's alpha can reach 1/255:
// a dx^2 + 2 b dx dy + c dy^2 <= power around (x, y), in pixels.
type ellipse[F Float] struct {
	x, y, a, b, c, power F
	ex, ey               F // half width and height
}

func ellipseOf[F Float](proj []F) ellipse[F] {
	e := ellipse[F]{
		x: proj[kernel.ProjX], y: proj[kernel.ProjY],
		a: proj[kernel.ProjConicA], b: proj[kernel.ProjConicB], c: proj[kernel.ProjConicC],
		power: proj[kernel.ProjPower], ey: proj[kernel.ProjExtentY],
	}
	e.ex = e.ey * sqrt(e.c/e.a)
	return e
}

// tileRows returns the rows of tiles [from, to) that the ellipse may touch.
func (e *ellipse[F]) tileRows(step *kernel.Step) (from, to int) {
	h := int(step.Height)
	first := ceilWithin(e.y-e.ey-0.5, 0, h)
	last := beyondWithin(e.y+e.ey-0.5, 0, h) // one beyond
	if first >= last {
		return 0, 0
	}
	return first / kernel.TileSize, (last-1)/kernel.TileSize + 1
}

// tileSpan returns the tiles [from, to) of one row of tiles whose pixel centres'
// rectangle the ellipse meets: the ellipse's x-extent over the strip's dy is
// reached at its own extremum or at the nearer edge of the strip.
func (e *ellipse[F]) tileSpan(step *kernel.Step, row int) (from, to int) {
	top := F(row*kernel.TileSize) + 0.5
	bottom := F(min((row+1)*kernel.TileSize, int(step.Height))) - 0.5
	d0, d1 := max(top-e.y, -e.ey), min(bottom-e.y, e.ey)
	if d0 > d1 {
		return 0, 0
	}
	peak := -e.b / e.c * e.ex // dy at which the ellipse reaches +ex
	v1, v0 := clamp(peak, d0, d1), clamp(-peak, d0, d1)
	right := e.x + (-e.b*v1+e.reach(v1))/e.a
	left := e.x + (-e.b*v0-e.reach(v0))/e.a
	w := int(step.Width)
	first := ceilWithin(left-0.5, 0, w)
	last := beyondWithin(right-0.5, 0, w)
	if first >= last {
		return 0, 0
	}
	return first / kernel.TileSize, (last-1)/kernel.TileSize + 1
}

// reach returns a times half the chord of the ellipse at dy.
func (e *ellipse[F]) reach(dy F) F {
	return sqrt(max(e.a*e.power-(e.a*e.c-e.b*e.b)*dy*dy, 0))
}
