package cpu

import "splat/internal/kernel"

var (
	_ = register(kernel.Loss, loss[float32], loss[float64])
	_ = register(kernel.LossGradient, lossGradient[float32], lossGradient[float64])
)

// The loss is (1-lambda) L1 + lambda (1-SSIM), each a mean over the pixels that
// count and three channels. SSIM uses a separable Gaussian window, zero padded
// (Wang et al. 2004). loss computes it and, for each pixel and channel, the three
// derivatives that lossGradient convolves back:
//
//	dm/dmu1, dm/dE[x^2], dm/dE[xy]     (x the render, y the target)
//
// maps holds them as nine planes of the picture's size, those of a channel
// together.
const (
	ssimC1 = 0.01 * 0.01
	ssimC2 = 0.03 * 0.03
)

// target reads pixel (x, y) of the step's target and composites it over the
// background. weight is 0 for a pixel to ignore.
func target[F Float](step *kernel.Step, pixels []uint32, x, y int) (rgb [3]F, weight F) {
	word := pixels[int(step.Pixels)+y*int(step.Width)+x]
	a := F(word>>24) / 255
	for c := range 3 {
		rgb[c] = F(word>>(8*c)&0xFF) / 255
	}
	if step.Flags&kernel.ViewMask != 0 {
		return rgb, a
	}
	for c := range 3 {
		rgb[c] += (1 - a) * F(step.Background[c])
	}
	return rgb, 1
}

// lossPatch is a tile of render and target with a halo, weighted: pixels outside
// the picture and pixels to ignore are 0 in both.
type lossPatch[F Float] struct {
	side   int // TileSize + window - 1
	x, y   [3][]F
	weight []F // of the tile's own pixels
}

func loadPatch[F Float](g *Group, step *kernel.Step, rect tileRect, halo int) lossPatch[F] {
	image, pixels := reals[F](g, "image"), words(g, "targets")
	p := lossPatch[F]{side: kernel.TileSize + 2*halo, weight: shared[F](g, tilePixels)}
	for c := range 3 {
		p.x[c], p.y[c] = shared[F](g, p.side*p.side), shared[F](g, p.side*p.side)
		clear(p.x[c])
		clear(p.y[c])
	}
	w, h := int(step.Width), int(step.Height)
	for y := max(rect.y0-halo, 0); y < min(rect.y0+kernel.TileSize+halo, h); y++ {
		for x := max(rect.x0-halo, 0); x < min(rect.x0+kernel.TileSize+halo, w); x++ {
			rgb, weight := target[F](step, pixels, x, y)
			at := (y-rect.y0+halo)*p.side + x - rect.x0 + halo
			for c := range 3 {
				p.x[c][at] = weight * image[4*(y*w+x)+c]
				p.y[c][at] = weight * rgb[c]
			}
			if x >= rect.x0 && x < rect.x1 && y >= rect.y0 && y < rect.y1 {
				p.weight[(y-rect.y0)*kernel.TileSize+x-rect.x0] = weight
			}
		}
	}
	return p
}

// moments are the windowed statistics of one channel of a tile: the means, the
// mean of x^2+y^2 (SSIM needs only the sum of the variances) and of xy.
type moments[F Float] struct{ mu1, mu2, squares, xy, product, tmp []F }

func newMoments[F Float](g *Group, side int) (m moments[F]) {
	for _, s := range []*[]F{&m.mu1, &m.mu2, &m.squares, &m.xy} {
		*s = shared[F](g, tilePixels)
	}
	m.product, m.tmp = shared[F](g, side*side), shared[F](g, side*kernel.TileSize)
	return m
}

func (m *moments[F]) compute(x, y, window []F, side int) {
	blur(m.mu1, x, m.tmp, window, side)
	blur(m.mu2, y, m.tmp, window, side)
	y = y[:len(x)]
	product := m.product[:len(x)]
	for i, v := range x {
		product[i] = v*v + y[i]*y[i]
	}
	blur(m.squares, product, m.tmp, window, side)
	for i, v := range x {
		product[i] = v * y[i]
	}
	blur(m.xy, product, m.tmp, window, side)
}

// loss writes the derivative maps and, for each tile, its sums of |x-y| and SSIM,
// both weighted.
func loss[F Float](g *Group) {
	step, maps, partials := record[kernel.Step](g, "step"), reals[F](g, "maps"), reals[F](g, "partials")
	taps := g.Constant("window")
	window := reals[F](g, "window")[:taps]
	rect, halo := rectOf(step, g.ID), taps/2
	p := loadPatch[F](g, step, rect, halo)
	m := newMoments[F](g, p.side)
	size := int(step.Width * step.Height)
	var l1, ssim F
	for c := range 3 {
		m.compute(p.x[c], p.y[c], window, p.side)
		for y := rect.y0; y < rect.y1; y++ {
			for x := rect.x0; x < rect.x1; x++ {
				i := (y-rect.y0)*kernel.TileSize + x - rect.x0
				at := (y-rect.y0+halo)*p.side + x - rect.x0 + halo
				l1 += abs(p.x[c][at] - p.y[c][at])
				value, d := ssimAt(&m, i, p.weight[i])
				ssim += p.weight[i] * value
				for k := range d {
					maps[(3*c+k)*size+y*int(step.Width)+x] = d[k]
				}
			}
		}
	}
	partials[2*g.ID], partials[2*g.ID+1] = l1, ssim
}

// ssimAt returns the SSIM at element i of the moments and its weighted
// derivatives.
func ssimAt[F Float](m *moments[F], i int, weight F) (value F, d3 [3]F) {
	mu1, mu2 := m.mu1[i], m.mu2[i]
	variances, s12 := max(m.squares[i]-mu1*mu1-mu2*mu2, 0), m.xy[i]-mu1*mu2
	a, b := mu1*mu1+mu2*mu2+ssimC1, variances+ssimC2
	c, d := 2*mu1*mu2+ssimC1, 2*s12+ssimC2
	ia, ib := 1/a, 1/b
	iab := ia * ib
	value = c * d * iab
	d3[0] = weight * 2 * (mu2*(d-c)*iab + mu1*value*(ib-ia))
	d3[1] = -weight * value * ib
	d3[2] = weight * 2 * c * iab
	return value, d3
}

// lossGradient writes dL/dRGB of every pixel.
func lossGradient[F Float](g *Group) {
	step, maps, out := record[kernel.Step](g, "step"), reals[F](g, "maps"), reals[F](g, "gradient")
	image, pixels := reals[F](g, "image"), words(g, "targets")
	taps := g.Constant("window")
	window := reals[F](g, "window")[:taps]
	rect, halo := rectOf(step, g.ID), taps/2
	side, w := kernel.TileSize+2*halo, int(step.Width)
	in, tmp := shared[F](g, side*side), shared[F](g, side*kernel.TileSize)
	var back [3][]F
	for k := range back {
		back[k] = shared[F](g, tilePixels)
	}
	lambda, scale, size := F(step.SSIMLambda), F(step.LossScale), w*int(step.Height)
	for c := range 3 {
		for k := range back {
			loadMap(in, maps[(3*c+k)*size:], step, rect, halo)
			blur(back[k], in, tmp, window, side)
		}
		for y := rect.y0; y < rect.y1; y++ {
			for x := rect.x0; x < rect.x1; x++ {
				i, at := (y-rect.y0)*kernel.TileSize+x-rect.x0, y*w+x
				rgb, weight := target[F](step, pixels, x, y)
				xv, yv := weight*image[4*at+c], weight*rgb[c]
				ssim := back[0][i] + 2*xv*back[1][i] + yv*back[2][i]
				out[3*at+c] = scale * weight * ((1-lambda)*sign(xv-yv) - lambda*ssim)
			}
		}
	}
}

// loadMap copies one derivative map of a tile with its halo; outside is 0.
func loadMap[F Float](out, maps []F, step *kernel.Step, rect tileRect, halo int) {
	clear(out)
	side, w, h := kernel.TileSize+2*halo, int(step.Width), int(step.Height)
	x0, x1 := max(rect.x0-halo, 0), min(rect.x0+kernel.TileSize+halo, w)
	for y := max(rect.y0-halo, 0); y < min(rect.y0+kernel.TileSize+halo, h); y++ {
		copy(out[(y-rect.y0+halo)*side+x0-rect.x0+halo:], maps[y*w+x0:y*w+x1])
	}
}

func sign[F Float](x F) F {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
