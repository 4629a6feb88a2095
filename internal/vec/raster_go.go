package vec

import (
	"math"

	"splat/internal/kernel"
)

// Blending constants (the fixed conventions).
const (
	minAlpha         = 1. / 255
	maxAlpha         = 0.999
	minTransmittance = 1e-4
	log2e            = 1.44269504088896341
)

// splat2D is a projected splat, its mean relative to the centre of the tile's
// first pixel.
type splat2D struct {
	x, y, a, b, c, opacity float32
	color                  [3]float32
	ey                     float32
	power, det, invA       float32
}

func (r *Run) load(s *splat2D, k int) {
	at := int(r.Owners[r.Pairs[k]]) * kernel.ProjRow
	p := r.Proj[at : at+kernel.ProjRow]
	s.x, s.y = p[kernel.ProjX]-(r.X+0.5), p[kernel.ProjY]-(r.Y+0.5)
	s.a, s.b, s.c = p[kernel.ProjConicA], p[kernel.ProjConicB], p[kernel.ProjConicC]
	s.opacity, s.power, s.ey = p[kernel.ProjOpacity], p[kernel.ProjPower], p[kernel.ProjExtentY]
	s.color = [3]float32(p[kernel.ProjColor : kernel.ProjColor+3])
	s.det, s.invA = s.a*s.c-s.b*s.b, 1/s.a
}

// margin widens the region that is looked at, for rounding; the alpha decides.
const margin = 1e-3

// rows returns the rows of pixels [from, to) that the splat can reach.
func (s *splat2D) rows() (from, to int) { return within(s.y-s.ey-margin, s.y+s.ey+margin) }

// row returns the pixels [from, to) of a row that the splat can reach, dy from the
// mean, and the coefficients of the exponent (k2 dx + k1) dx + k0.
func (s *splat2D) row(dy float32) (from, to int, k0, k1, k2 float32) {
	half := float32(math.Sqrt(float64(max(s.a*s.power-s.det*dy*dy, 0))))*s.invA + margin
	mid := s.x - s.b*dy*s.invA
	from, to = within(mid-half, mid+half)
	return from, to, -0.5 * log2e * s.c * dy * dy, -log2e * s.b * dy, -0.5 * log2e * s.a
}

// within returns the integers [from, to) of [lo, hi] in a tile's side.
func within(lo, hi float32) (from, to int) {
	if !(hi >= 0) || !(lo <= kernel.TileSize-1) {
		return 0, 0
	}
	if lo > 0 {
		from = int(lo)
		if float32(from) < lo {
			from++
		}
	}
	return from, int(min(hi, kernel.TileSize-1)) + 1
}

// exp2 returns 2^t for -100 <= t <= 1, with a relative error below 2e-7: 2^n 2^f
// with a polynomial (Cephes' coefficients) for |f| <= 1/2.
func exp2(t float32) float32 {
	const magic = 12582912 // 1.5 * 2^23: adding it rounds to an integer
	n := t + magic
	f := t - (n - magic)
	p := float32(1.535336188e-4)*f + 1.339887440e-3
	p = (((p*f+9.618437357e-3)*f+5.550332471e-2)*f+2.402264791e-1)*f + 6.931472028e-1
	p = p*f + 1
	return math.Float32frombits(math.Float32bits(p) + math.Float32bits(n)<<23)
}

// blendGo is Blend in plain Go.
func blendGo(tile *BlendTile, run *Run, live int) int {
	var s splat2D
	for k := 0; k < len(run.Pairs) && live > 0; k++ {
		run.load(&s, k)
		top, bottom := s.rows()
		for y := top; y < bottom; y++ {
			live -= blendRow(tile, &s, y, uint32(k)+1)
		}
	}
	return live
}

// blendRow blends a splat into row y and returns how many pixels it closed.
func blendRow(tile *BlendTile, s *splat2D, y int, position uint32) (closed int) {
	from, to, k0, k1, k2 := s.row(float32(y) - s.y)
	for x := from; x < to; x++ {
		block, i := PixelAt(x, y)
		px := &tile[block]
		if px.Last[i] >= Closed {
			continue
		}
		dx := float32(x) - s.x
		alpha := s.opacity * exp2((k2*dx+k1)*dx+k0)
		if alpha < minAlpha {
			continue
		}
		alpha = min(alpha, maxAlpha)
		weight := alpha * px.T[i]
		next := px.T[i] - weight
		if next <= minTransmittance {
			px.Last[i] |= Closed
			closed++
			continue
		}
		px.R[i] += weight * s.color[0]
		px.G[i] += weight * s.color[1]
		px.B[i] += weight * s.color[2]
		px.T[i], px.Last[i] = next, position
	}
	return closed
}

// unblendGo is Unblend in plain Go.
func unblendGo(tile *UnblendTile, run *Run, slots []float32, deepest int, absolute bool) {
	var s splat2D
	for k := deepest - 1; k >= 0; k-- {
		run.load(&s, k)
		var sums splatSums
		top, bottom := s.rows()
		for y := top; y < bottom; y++ {
			sums.unblendRow(tile, &s, y, uint32(k), absolute)
		}
		at := int(run.Pairs[k]) * kernel.SlotRow
		sums.store(slots[at:at+kernel.SlotRow], &s)
	}
}

// splatSums accumulates what a splat's gradients are made of: h is the loss
// gradient of a pixel's exponent, negated.
type splatSums struct {
	color      [3]float32
	h, hx, hy  float32 // sums of h, h dx, h dy
	hxx, hxy   float32
	hyy        float32
	absX, absY float32
}

func (o *splatSums) unblendRow(tile *UnblendTile, s *splat2D, y int, position uint32, absolute bool) {
	dy := float32(y) - s.y
	from, to, k0, k1, k2 := s.row(dy)
	var h0, h1, h2 float32
	for x := from; x < to; x++ {
		block, i := PixelAt(x, y)
		px := &tile[block]
		if position >= px.Last[i] {
			continue
		}
		dx := float32(x) - s.x
		raw := s.opacity * exp2((k2*dx+k1)*dx+k0)
		if raw < minAlpha {
			continue
		}
		alpha := min(raw, maxAlpha)
		inverse := 1 / (1 - alpha)
		t := px.T[i] * inverse
		px.T[i] = t
		weight := alpha * t
		gr, gg, gb := px.GR[i], px.GG[i], px.GB[i]
		o.color[0] += weight * gr
		o.color[1] += weight * gg
		o.color[2] += weight * gb
		along := s.color[0]*gr + s.color[1]*gg + s.color[2]*gb
		behind := px.Behind[i]
		px.Behind[i] = behind + weight*along
		if raw > maxAlpha {
			continue // capped: alpha does not move with the splat
		}
		h := raw * (t*along - behind*inverse)
		h0 += h
		h1 += h * dx
		h2 += h * dx * dx
		if absolute {
			o.absX += abs(h * (s.a*dx + s.b*dy))
			o.absY += abs(h * (s.b*dx + s.c*dy))
		}
	}
	o.h += h0
	o.hx += h1
	o.hxx += h2
	o.hy += dy * h0
	o.hxy += dy * h1
	o.hyy += dy * dy * h0
}

func (o *splatSums) store(slot []float32, s *splat2D) {
	_ = slot[kernel.SlotRow-1]
	slot[kernel.SlotX], slot[kernel.SlotY] = s.a*o.hx+s.b*o.hy, s.c*o.hy+s.b*o.hx
	slot[kernel.SlotConicA], slot[kernel.SlotConicB], slot[kernel.SlotConicC] = -0.5*o.hxx, -o.hxy, -0.5*o.hyy
	slot[kernel.SlotOpacity] = o.h / s.opacity
	copy(slot[kernel.SlotColor:], o.color[:])
	slot[kernel.SlotAbsX], slot[kernel.SlotAbsY], slot[kernel.SlotRow-1] = o.absX, o.absY, 0
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
