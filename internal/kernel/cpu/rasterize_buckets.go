package cpu

import (
	"math"

	"splat/internal/kernel"
)

var _ = register(kernel.RasterizeBackwardBuckets, rasterizeBackwardBuckets[float32], rasterizeBackwardBuckets[float64])

// forwardAdjoint is a pixel's state in the backward pass over buckets, which walks
// front to back: the transmittance before the current splat, the loss gradient of
// the pixel's colour, and the product of that gradient with the colour in front of
// the current splat and with all of it.
type forwardAdjoint[F Float] struct {
	t, gr, gg, gb, front, all F
	last                      uint32
}

// rasterizeBackwardBuckets does what rasterizeBackward does, a bucket of pairs a
// workgroup and front to back, from the states that rasterizeSaving kept, so that a
// crowded tile keeps many workgroups busy (buckets: Mallick et al. 2024).
func rasterizeBackwardBuckets[F Float](g *Group) {
	bounds, tiles := words(g, "ranges"), words(g, "bucket_tiles")
	counts, slots := words(g, "counts"), reals[F](g, "slots")
	if place := g.ID; place < int(counts[kernel.CountBuckets]) && tiles[place] != kernel.NoTile {
		tile := int(tiles[place])
		backwardBucket(g, tile, place-kernel.BucketBase(int(bounds[2*tile]), tile), place, slots)
	}
	if g.ID == 0 {
		sorted := bounds[2*counts[kernel.CountTiles]-1]
		clearPadding(slots, words(g, "pairs")[sorted:counts[kernel.CountPairs]])
	}
}

// backwardBucket writes the slots of one bucket of a tile.
func backwardBucket[F Float](g *Group, tile, bucket, place int, slots []F) {
	step := record[kernel.Step](g, "step")
	bounds, pairs, owners, proj := words(g, "ranges"), words(g, "pairs"), words(g, "owners"), reals[F](g, "proj")
	smooth, absolute := g.Constant("smooth") != 0, g.Constant("absgrad") != 0
	rect := rectOf(step, tile)
	first := uint32(bucket * kernel.Bucket)
	list := pairs[bounds[2*tile]+first : min(bounds[2*tile]+first+kernel.Bucket, bounds[2*tile+1])]
	px := shared[forwardAdjoint[F]](g, tilePixels)
	reached := loadForward(g, step, rect, px, place, first)
	for k, pair := range list {
		slot := slots[int(pair)*kernel.SlotRow : int(pair+1)*kernel.SlotRow]
		if !reached {
			clear(slot)
			continue
		}
		row := int(owners[pair]) * kernel.ProjRow
		passSplat(px, rect, proj[row:row+kernel.ProjRow], first+uint32(k), smooth, absolute, slot)
	}
}

// loadForward starts the tile's pixels in front of a bucket and reports whether any
// of them went that far. States that no pixel reached were not kept.
func loadForward[F Float](g *Group, step *kernel.Step, rect tileRect, px []forwardAdjoint[F], place int, first uint32) (reached bool) {
	image, last, gradient := reals[F](g, "image"), words(g, "last"), reals[F](g, "gradient")
	saved := reals[F](g, "checkpoints")
	for y := rect.y0; y < rect.y1; y++ {
		for x := rect.x0; x < rect.x1; x++ {
			at, i := y*int(step.Width)+x, (y-rect.y0)*kernel.TileSize+x-rect.x0
			q := &px[i]
			*q = forwardAdjoint[F]{last: last[at]}
			if q.last <= first {
				continue
			}
			reached = true
			s := saved[(place*tilePixels+i)*kernel.SavedRow:]
			q.gr, q.gg, q.gb = gradient[3*at], gradient[3*at+1], gradient[3*at+2]
			q.t, q.front = s[0], s[1]*q.gr+s[2]*q.gg+s[3]*q.gb
			q.all = image[4*at]*q.gr + image[4*at+1]*q.gg + image[4*at+2]*q.gb
		}
	}
	return reached
}

// passSplat takes the tile's pixels past one splat and writes its gradients.
func passSplat[F Float](px []forwardAdjoint[F], rect tileRect, p []F, position uint32, smooth, absolute bool, slot []F) {
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
		var h0, h1, h2 F
		for i := range line {
			q := &line[i]
			dx++
			if position >= q.last {
				continue
			}
			raw := s.opacity * exp2((r.k2*dx+r.k1)*dx+r.k0)
			if raw < minAlpha {
				continue
			}
			alpha, slope := capped(raw, smooth)
			w := alpha * q.t
			along := cr*q.gr + cg*q.gg + cb*q.gb
			sums.r += w * q.gr
			sums.g += w * q.gg
			sums.b += w * q.gb
			q.front += w * along
			h := -raw * slope * (q.t*along - (q.all-q.front)/(1-alpha))
			q.t *= 1 - alpha
			h0 += h
			h1 += h * dx
			h2 += h * dx * dx
			if absolute {
				sums.ax += abs(h * (s.a*dx + s.b*dy))
				sums.ay += abs(h * (s.b*dx + s.c*dy))
			}
		}
		sums.addRow(&s, dy, h0, h1, h2)
	}
	sums.store(slot, s.opacity)
}

// exp2 returns 2^t for the exponents of the rasteriser; see exp2Small.
func exp2[F Float](t F) F {
	if is32[F]() {
		return F(exp2Small(float32(t)))
	}
	return F(math.Exp2(float64(t)))
}
