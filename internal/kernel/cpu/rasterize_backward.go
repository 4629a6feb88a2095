package cpu

import (
	"math"

	"splat/internal/kernel"
)

var _ = register(kernel.RasterizeBackward, rasterizeBackward[float32], rasterizeBackward[float64])

// adjoint is a pixel's state on the way back: the transmittance before the
// current splat, the loss gradient of its colour, and behind, the product of that
// gradient with all colour behind the current splat.
type adjoint[F Float] struct {
	t, gr, gg, gb, behind F
	last                  uint32
}

// rasterizeBackward walks a tile's splats back to front, recovering each
// transmittance by division, and writes the gradients of every pair to the pair's
// own slot; pairs that blended nowhere get zeros. (Kerbl et al. 2023, appendix;
// the recovery as in the original rasteriser's idea, from the final value.)
func rasterizeBackward[F Float](g *Group) {
	step := record[kernel.Step](g, "step")
	bounds, pairs, owners, proj := words(g, "ranges"), words(g, "pairs"), words(g, "owners"), reals[F](g, "proj")
	slots, smooth, absolute := reals[F](g, "slots"), g.Constant("smooth") != 0, g.Constant("absgrad") != 0
	rect := rectOf(step, g.ID)
	px := shared[adjoint[F]](g, tilePixels)
	deepest := loadAdjoints(g, step, rect, px)
	list := pairs[bounds[2*g.ID]:bounds[2*g.ID+1]]
	for k := len(list) - 1; k >= 0; k-- {
		slot := slots[int(list[k])*kernel.SlotRow : int(list[k]+1)*kernel.SlotRow]
		if k >= deepest {
			clear(slot)
			continue
		}
		row := int(owners[list[k]]) * kernel.ProjRow
		unblendSplat(px, rect, proj[row:row+kernel.ProjRow], uint32(k), smooth, absolute, slot)
	}
	if tiles := int(step.TilesX * step.TilesY); g.ID == tiles-1 {
		clearPadding(slots, pairs[bounds[2*g.ID+1]:words(g, "counts")[kernel.CountPairs]])
	}
}

// clearPadding writes zeros to the slots of pairs that belong to no tile.
func clearPadding[F Float](slots []F, padding []uint32) {
	for _, pair := range padding {
		clear(slots[int(pair)*kernel.SlotRow : int(pair+1)*kernel.SlotRow])
	}
}

// loadAdjoints starts the tile's pixels at the end of their lists and returns the
// largest number of splats any of them went through.
func loadAdjoints[F Float](g *Group, step *kernel.Step, rect tileRect, px []adjoint[F]) (deepest int) {
	image, last, gradient := reals[F](g, "image"), words(g, "last"), reals[F](g, "gradient")
	bg := [3]F{F(step.Background[0]), F(step.Background[1]), F(step.Background[2])}
	for y := rect.y0; y < rect.y1; y++ {
		for x := rect.x0; x < rect.x1; x++ {
			at := y*int(step.Width) + x
			q := &px[(y-rect.y0)*kernel.TileSize+x-rect.x0]
			q.t, q.last = image[4*at+3], last[at]
			q.gr, q.gg, q.gb = gradient[3*at], gradient[3*at+1], gradient[3*at+2]
			q.behind = q.t * (bg[0]*q.gr + bg[1]*q.gg + bg[2]*q.gb)
			deepest = max(deepest, int(q.last))
		}
	}
	return deepest
}

// splatSums accumulates what a splat's gradients are made of. h is the gradient
// of a pixel's exponent, -alpha dL/dalpha; its sums with powers of dx are kept a
// row at a time, since dy is the same along it.
type splatSums[F Float] struct {
	r, g, b    F // of the colour
	h          F // sum of h
	x, y       F // of the mean
	ca, cb, cc F // of the conic
	ax, ay     F // sums of absolute gradients of the mean
}

// addRow adds a row's sums of h, h dx and h dx^2.
func (o *splatSums[F]) addRow(s *splat2D[F], dy, h0, h1, h2 F) {
	o.h += h0
	o.x -= s.a*h1 + s.b*dy*h0
	o.y -= s.c*dy*h0 + s.b*h1
	o.ca += 0.5 * h2
	o.cb += dy * h1
	o.cc += 0.5 * dy * dy * h0
}

func (o *splatSums[F]) store(slot []F, opacity F) {
	_ = slot[kernel.SlotRow-1]
	slot[kernel.SlotX], slot[kernel.SlotY] = o.x, o.y
	slot[kernel.SlotConicA], slot[kernel.SlotConicB], slot[kernel.SlotConicC] = o.ca, o.cb, o.cc
	slot[kernel.SlotOpacity] = -o.h / opacity
	slot[kernel.SlotColor], slot[kernel.SlotColor+1], slot[kernel.SlotColor+2] = o.r, o.g, o.b
	slot[kernel.SlotAbsX], slot[kernel.SlotAbsY], slot[kernel.SlotRow-1] = o.ax, o.ay, 0
}

// unblendSplat takes one splat off the tile's pixels and sums its gradients into
// slot. The sums of absolute gradients are left 0 unless asked for.
func unblendSplat[F Float](px []adjoint[F], rect tileRect, p []F, position uint32, smooth, absolute bool, slot []F) {
	var s splat2D[F]
	loadSplat(&s, p)
	cr, cg, cb := p[kernel.ProjColor], p[kernel.ProjColor+1], p[kernel.ProjColor+2]
	var sums splatSums[F]
	top, bottom := s.rows(rect)
	for y := top; y < bottom; y++ {
		dy := F(y) + 0.5 - s.y
		r := s.row(rect, dy)
		if r.from >= r.to {
			continue
		}
		at := (y-rect.y0)*kernel.TileSize - rect.x0
		line, dx := px[at+r.from:at+r.to], r.dx-1
		var h0, h1, h2, sr, sg, sb F
		for i := range line {
			q := &line[i]
			dx++
			if position >= q.last {
				continue
			}
			t := (r.k2*dx+r.k1)*dx + r.k0
			var raw F
			if is32[F]() {
				raw = s.opacity * F(exp2Small(float32(t)))
			} else {
				raw = s.opacity * F(math.Exp2(float64(t)))
			}
			if raw < minAlpha {
				continue
			}
			alpha, slope := capped(raw, smooth)
			inv := 1 / (1 - alpha)
			q.t *= inv
			w := alpha * q.t
			along := cr*q.gr + cg*q.gg + cb*q.gb
			sr += w * q.gr
			sg += w * q.gg
			sb += w * q.gb
			h := -raw * slope * (q.t*along - q.behind*inv)
			q.behind += w * along
			h0 += h
			h1 += h * dx
			h2 += h * dx * dx
			if absolute {
				sums.ax += abs(h * (s.a*dx + s.b*dy))
				sums.ay += abs(h * (s.b*dx + s.c*dy))
			}
		}
		sums.r += sr
		sums.g += sg
		sums.b += sb
		sums.addRow(&s, dy, h0, h1, h2)
	}
	sums.store(slot, s.opacity)
}
