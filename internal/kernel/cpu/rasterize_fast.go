package cpu

import (
	"splat/internal/kernel"
	"splat/internal/vec"
)

var (
	_ = accelerate(kernel.Rasterize, rasterizeFast)
	_ = accelerate(kernel.RasterizeBackward, rasterizeBackwardFast)
)

// runOf is the tile's list of splats.
func runOf(g *Group, rect tileRect) vec.Run {
	bounds, pairs := words(g, "ranges"), words(g, "pairs")
	return vec.Run{
		Proj: reals[float32](g, "proj"), Owners: words(g, "owners"),
		Pairs: pairs[bounds[2*g.ID]:bounds[2*g.ID+1]],
		X:     float32(rect.x0), Y: float32(rect.y0),
	}
}

// rasterizeFast is rasterize on blocks of eight pixels where the
// processor can.
func rasterizeFast(g *Group) {
	if g.Constant("smooth") != 0 {
		rasterize[float32](g)
		return
	}
	step, image, last := record[kernel.Step](g, "step"), reals[float32](g, "image"), words(g, "last")
	rect := rectOf(step, g.ID)
	tile := &shared[vec.BlendTile](g, 1)[0]
	live := openTile(tile, rect)
	run := runOf(g, rect)
	vec.Blend(tile, &run, live)
	bg := step.Background
	for y := rect.y0; y < rect.y1; y++ {
		at := y*int(step.Width) + rect.x0
		for x := range rect.x1 - rect.x0 {
			block, i := vec.PixelAt(x, y-rect.y0)
			px, out := &tile[block], (*[4]float32)(image[4*at:])
			t := px.T[i]
			out[0], out[1], out[2], out[3] = px.R[i]+t*bg[0], px.G[i]+t*bg[1], px.B[i]+t*bg[2], t
			last[at] = px.Last[i] &^ vec.Closed
			at++
		}
	}
}

// openTile makes a tile's pixels transparent, closes those outside the picture,
// and returns the number of the others.
func openTile(tile *vec.BlendTile, rect tileRect) (live int) {
	*tile = vec.BlendTile{}
	for b := range tile {
		tile[b].T = vec.All(1)
	}
	w, h := rect.x1-rect.x0, rect.y1-rect.y0
	if w == kernel.TileSize && h == kernel.TileSize {
		return tilePixels
	}
	for y := range kernel.TileSize {
		for x := range kernel.TileSize {
			if x >= w || y >= h {
				block, i := vec.PixelAt(x, y)
				tile[block].Last[i] = vec.Closed
			}
		}
	}
	return w * h
}

// rasterizeBackwardFast is rasterizeBackward on blocks of pixels.
func rasterizeBackwardFast(g *Group) {
	if g.Constant("smooth") != 0 {
		rasterizeBackward[float32](g)
		return
	}
	step, bounds, pairs := record[kernel.Step](g, "step"), words(g, "ranges"), words(g, "pairs")
	slots := reals[float32](g, "slots")
	rect := rectOf(step, g.ID)
	tile := &shared[vec.UnblendTile](g, 1)[0]
	deepest := loadTile(g, step, rect, tile)
	run := runOf(g, rect)
	vec.Unblend(tile, &run, slots, deepest, g.Constant("absgrad") != 0)
	for _, pair := range run.Pairs[deepest:] {
		clear(slots[int(pair)*kernel.SlotRow : int(pair+1)*kernel.SlotRow])
	}
	if tiles := int(step.TilesX * step.TilesY); g.ID == tiles-1 {
		clearPadding(slots, pairs[bounds[2*g.ID+1]:words(g, "counts")[kernel.CountPairs]])
	}
}

// loadTile is loadAdjoints on blocks of pixels.
func loadTile(g *Group, step *kernel.Step, rect tileRect, tile *vec.UnblendTile) (deepest int) {
	image, last, gradient := reals[float32](g, "image"), words(g, "last"), reals[float32](g, "gradient")
	bg := step.Background
	if rect.x1-rect.x0 < kernel.TileSize || rect.y1-rect.y0 < kernel.TileSize {
		*tile = vec.UnblendTile{}
	}
	for y := rect.y0; y < rect.y1; y++ {
		at := y*int(step.Width) + rect.x0
		for x := range rect.x1 - rect.x0 {
			block, i := vec.PixelAt(x, y-rect.y0)
			px, grad := &tile[block], (*[3]float32)(gradient[3*at:])
			t := image[4*at+3]
			px.T[i], px.Last[i] = t, last[at]
			px.GR[i], px.GG[i], px.GB[i] = grad[0], grad[1], grad[2]
			px.Behind[i] = t * (bg[0]*grad[0] + bg[1]*grad[1] + bg[2]*grad[2])
			deepest = max(deepest, int(last[at]))
			at++
		}
	}
	return deepest
}
