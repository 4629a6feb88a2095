package cpu

import (
	"math"

	"splat/internal/kernel"
)

var (
	_ = register(kernel.Rasterize, rasterize[float32], rasterize[float64])
	_ = register(kernel.RasterizeSaving, rasterizeSaving[float32], rasterizeSaving[float64])
)

// Blending constants (the DESIGN's fixed conventions).
const (
	minAlpha         = 1. / 255
	maxAlpha         = 0.999
	minTransmittance = 1e-4
	tilePixels       = kernel.TileSize * kernel.TileSize
)

// tileRect is a workgroup's tile in pixels: x in [x0, x1), y in [y0, y1).
type tileRect struct{ x0, y0, x1, y1 int }

func rectOf(step *kernel.Step, tile int) tileRect {
	x := tile % int(step.TilesX) * kernel.TileSize
	y := tile / int(step.TilesX) * kernel.TileSize
	return tileRect{x, y, min(x+kernel.TileSize, int(step.Width)), min(y+kernel.TileSize, int(step.Height))}
}

// splat2D is a projected splat in registers.
type splat2D[F Float] struct {
	x, y, a, b, c, opacity, power, ey F
	det, invA                         F // a c - b^2, 1/a
}

func loadSplat[F Float](s *splat2D[F], p []F) {
	_ = p[kernel.ProjRow-1]
	s.x, s.y = p[kernel.ProjX], p[kernel.ProjY]
	s.a, s.b, s.c = p[kernel.ProjConicA], p[kernel.ProjConicB], p[kernel.ProjConicC]
	s.opacity, s.power, s.ey = p[kernel.ProjOpacity], p[kernel.ProjPower], p[kernel.ProjExtentY]
	s.det, s.invA = s.a*s.c-s.b*s.b, 1/s.a
}

// rows returns the pixel rows [from, to) of the tile that the splat can reach.
func (s *splat2D[F]) rows(t tileRect) (from, to int) {
	return ceilWithin(s.y-s.ey-0.5, t.y0, t.y1), beyondWithin(s.y+s.ey-0.5, t.y0, t.y1)
}

// rowOf is one row of pixels of a splat: the exponent of its alpha as a power of
// 2 is (k2 dx + k1) dx + k0, dx from the mean to the pixel's centre.
type rowOf[F Float] struct {
	from, to   int // pixels [from, to) that the splat can reach
	dx         F   // of the first
	k0, k1, k2 F
}

// row prepares a row, dy from the mean. Its interval has a margin for rounding;
// the alpha test decides.
func (s *splat2D[F]) row(t tileRect, dy F) rowOf[F] {
	const margin = 1e-3
	half := s.a*s.power - s.det*dy*dy
	if !(half > 0) {
		half = 0
	}
	mid := s.x - s.b*dy*s.invA - 0.5
	half = sqrt(half)*s.invA + margin
	r := rowOf[F]{from: ceilWithin(mid-half, t.x0, t.x1), to: beyondWithin(mid+half, t.x0, t.x1)}
	r.dx = F(r.from) + 0.5 - s.x
	r.k0, r.k1, r.k2 = -0.5*log2e*s.c*dy*dy, -log2e*s.b*dy, -0.5*log2e*s.a
	return r
}

// cutoff replaces the hard step at an alpha of 1/255 by a C1 ramp from 0 at 1/255
// to the identity at 2/255, and returns its derivative too: only so can central
// differences check gradients. Nothing but tests asks for it.
func cutoff[F Float](raw F) (alpha, slope F) {
	u := clamp(raw*255-1, 0, 1)
	s := u * u * (3 - 2*u)
	return raw * s, s + raw*6*u*(1-u)*255
}

// capped returns the alpha that is blended and how it moves with the raw one: not at
// all once it is capped.
func capped[F Float](raw F, smooth bool) (alpha, slope F) {
	alpha, slope = raw, 1
	if raw > maxAlpha {
		alpha, slope = maxAlpha, 0
	}
	if smooth {
		return cutoff(alpha)
	}
	return alpha, slope
}

// rasterize blends a tile's splats front to back. image receives RGB over the
// background and the final transmittance; last receives, for each pixel, one
// more than the position (in the tile's list) of the last splat it blended.
func rasterize[F Float](g *Group) { blendTile[F](g, nil) }

// rasterizeSaving is rasterize that keeps the state of the tile's pixels in front
// of every bucket of its pairs, and whose places in checkpoints those are.
func rasterizeSaving[F Float](g *Group) {
	bounds, saved, tiles := words(g, "ranges"), reals[F](g, "checkpoints"), words(g, "bucket_tiles")
	first, beyond := int(bounds[2*g.ID]), int(bounds[2*g.ID+1])
	base, next := kernel.BucketBase(first, g.ID), kernel.BucketBase(beyond, g.ID+1)
	for place := base; place < next; place++ {
		tiles[place] = kernel.NoTile
		if place < base+kernel.Blocks(beyond-first, kernel.Bucket) {
			tiles[place] = uint32(g.ID)
		}
	}
	const size = tilePixels * kernel.SavedRow
	blendTile(g, func(bucket int, px []pixel[F]) {
		out := saved[(base+bucket)*size : (base+bucket+1)*size]
		for i, p := range px {
			out[4*i], out[4*i+1], out[4*i+2], out[4*i+3] = p.t, p.r, p.g, p.b
		}
	})
}

// blendTile blends the tile of the group; save, if any, is shown the pixels in
// front of each bucket that some pixel still reaches.
func blendTile[F Float](g *Group, save func(bucket int, px []pixel[F])) {
	step, image, last := record[kernel.Step](g, "step"), reals[F](g, "image"), words(g, "last")
	bounds, pairs, owners, proj := words(g, "ranges"), words(g, "pairs"), words(g, "owners"), reals[F](g, "proj")
	smooth := g.Constant("smooth") != 0
	rect := rectOf(step, g.ID)
	px := shared[pixel[F]](g, tilePixels)
	live := 0
	for y := rect.y0; y < rect.y1; y++ {
		for x := rect.x0; x < rect.x1; x++ {
			px[(y-rect.y0)*kernel.TileSize+x-rect.x0] = pixel[F]{t: 1}
			live++
		}
	}
	list := pairs[bounds[2*g.ID]:bounds[2*g.ID+1]]
	for k, pair := range list {
		if live == 0 {
			break
		}
		if save != nil && k%kernel.Bucket == 0 {
			save(k/kernel.Bucket, px)
		}
		row := int(owners[pair]) * kernel.ProjRow
		live -= blendSplat(px, rect, proj[row:row+kernel.ProjRow], uint32(k)+1, smooth)
	}
	for y := rect.y0; y < rect.y1; y++ {
		for x := rect.x0; x < rect.x1; x++ {
			p := &px[(y-rect.y0)*kernel.TileSize+x-rect.x0]
			at := y*int(step.Width) + x
			image[4*at] = p.r + p.t*F(step.Background[0])
			image[4*at+1] = p.g + p.t*F(step.Background[1])
			image[4*at+2] = p.b + p.t*F(step.Background[2])
			image[4*at+3] = p.t
			last[at] = p.last
		}
	}
}

// pixel is a pixel's blending state.
type pixel[F Float] struct {
	t, r, g, b F // transmittance, colour so far
	last       uint32
	done       bool
}

// blendSplat blends one splat into the tile and returns how many pixels became
// opaque by it. Such a pixel does not receive the splat.
func blendSplat[F Float](px []pixel[F], rect tileRect, p []F, position uint32, smooth bool) (closed int) {
	var s splat2D[F]
	loadSplat(&s, p)
	cr, cg, cb := p[kernel.ProjColor], p[kernel.ProjColor+1], p[kernel.ProjColor+2]
	top, bottom := s.rows(rect)
	for y := top; y < bottom; y++ {
		r := s.row(rect, F(y)+0.5-s.y)
		if r.from >= r.to {
			continue
		}
		at := (y-rect.y0)*kernel.TileSize - rect.x0
		line, dx := px[at+r.from:at+r.to], r.dx-1
		for i := range line {
			q := &line[i]
			dx++
			if q.done {
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
			alpha := raw
			if alpha > maxAlpha {
				alpha = maxAlpha
			}
			if smooth {
				alpha, _ = cutoff(alpha)
			}
			next := q.t * (1 - alpha)
			if next <= minTransmittance {
				q.done = true
				closed++
				continue
			}
			w := alpha * q.t
			q.r += w * cr
			q.g += w * cg
			q.b += w * cb
			q.t, q.last = next, position
		}
	}
	return closed
}
