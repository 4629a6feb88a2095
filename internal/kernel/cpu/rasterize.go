package cpu

import (
	"math"

	"splat/internal/kernel"
)

var _ = register(kernel.Rasterize, rasterize[float32], rasterize[float64])

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

// span returns the pixels [from, to) of a row that the splat can reach, dy from
// its mean, with a margin for rounding; the alpha test decides.
func (s *splat2D[F]) span(t tileRect, dy F) (from, to int) {
	const margin = 1e-3
	half := s.a*s.power - s.det*dy*dy
	if !(half > 0) {
		half = 0
	}
	half = sqrt(half)
	mid := s.x - s.b*dy*s.invA - 0.5
	half = half*s.invA + margin
	return ceilWithin(mid-half, t.x0, t.x1), beyondWithin(mid+half, t.x0, t.x1)
}

// cutoff returns the alpha that blends for a raw alpha, and its derivative. The
// production rule is a hard step at 1/255. With smooth set it is a C1 ramp from 0
// at 1/255 to the identity at 2/255: only so can central differences check
// gradients. Nothing but tests sets it.
func cutoff[F Float](raw F, smooth bool) (alpha, slope F) {
	if !smooth {
		if raw < minAlpha {
			return 0, 0
		}
		return raw, 1
	}
	u := clamp(raw*255-1, 0, 1)
	s := u * u * (3 - 2*u)
	return raw * s, s + raw*6*u*(1-u)*255
}

// rasterize blends a tile's splats front to back. image receives RGB over the
// background and the final transmittance; last receives, for each pixel, one
// more than the position (in the tile's list) of the last splat it blended.
func rasterize[F Float](g *Group) {
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
	ha := 0.5 * s.a
	top, bottom := s.rows(rect)
	for y := top; y < bottom; y++ {
		dy := F(y) + 0.5 - s.y
		left, right := s.span(rect, dy)
		yy, xy := 0.5*s.c*dy*dy, s.b*dy
		line := px[(y-rect.y0)*kernel.TileSize:]
		for x := left; x < right; x++ {
			q := &line[x-rect.x0]
			if q.done {
				continue
			}
			dx := F(x) + 0.5 - s.x
			e := dx*(ha*dx+xy) + yy
			var raw F
			if is32[F]() {
				raw = s.opacity * F(falloff32(float32(e)))
			} else {
				raw = s.opacity * F(math.Exp(-float64(e)))
			}
			if raw < minAlpha {
				continue
			}
			alpha := min(raw, maxAlpha)
			if smooth {
				alpha, _ = cutoff(alpha, true)
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
