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
	slots, smooth := reals[F](g, "slots"), g.Constant("smooth") != 0
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
		unblendSplat(px, rect, proj[row:row+kernel.ProjRow], uint32(k), smooth, slot)
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

// unblendSplat takes one splat off the tile's pixels and sums its gradients.
func unblendSplat[F Float](px []adjoint[F], rect tileRect, p []F, position uint32, smooth bool, slot []F) {
	var s splat2D[F]
	loadSplat(&s, p)
	cr, cg, cb := p[kernel.ProjColor], p[kernel.ProjColor+1], p[kernel.ProjColor+2]
	var gx, gy, ga, gb, gc, gop, gcr, gcg, gcb, ax, ay F
	ha := 0.5 * s.a
	top, bottom := s.rows(rect)
	for y := top; y < bottom; y++ {
		dy := F(y) + 0.5 - s.y
		left, right := s.span(rect, dy)
		yy, xy := 0.5*s.c*dy*dy, s.b*dy
		line := px[(y-rect.y0)*kernel.TileSize:]
		for x := left; x < right; x++ {
			q := &line[x-rect.x0]
			if position >= q.last {
				continue
			}
			dx := F(x) + 0.5 - s.x
			e := dx*(ha*dx+xy) + yy
			var falloff F
			if is32[F]() {
				falloff = F(falloff32(float32(e)))
			} else {
				falloff = F(math.Exp(-float64(e)))
			}
			raw := s.opacity * falloff
			if raw < minAlpha {
				continue
			}
			alpha, slope := min(raw, maxAlpha), F(1)
			if smooth {
				alpha, slope = cutoff(alpha, true)
			}
			inv := 1 / (1 - alpha)
			q.t *= inv
			w := alpha * q.t
			cg0 := cr*q.gr + cg*q.gg + cb*q.gb
			gcr += w * q.gr
			gcg += w * q.gg
			gcb += w * q.gb
			dAlpha := (q.t*cg0 - q.behind*inv) * slope
			q.behind += w * cg0
			if raw > maxAlpha {
				continue // capped: alpha does not move with the splat
			}
			gop += falloff * dAlpha
			h := -raw * dAlpha // dL/d exponent
			mx, my := h*(s.a*dx+xy), h*(s.c*dy+s.b*dx)
			gx -= mx
			gy -= my
			ax += abs(mx)
			ay += abs(my)
			ga += 0.5 * h * dx * dx
			gb += h * dx * dy
			gc += 0.5 * h * dy * dy
		}
	}
	_ = slot[kernel.SlotRow-1]
	slot[kernel.SlotX], slot[kernel.SlotY] = gx, gy
	slot[kernel.SlotConicA], slot[kernel.SlotConicB], slot[kernel.SlotConicC] = ga, gb, gc
	slot[kernel.SlotOpacity] = gop
	slot[kernel.SlotColor], slot[kernel.SlotColor+1], slot[kernel.SlotColor+2] = gcr, gcg, gcb
	slot[kernel.SlotAbsX], slot[kernel.SlotAbsY], slot[kernel.SlotRow-1] = ax, ay, 0
}
