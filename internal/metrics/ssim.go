package metrics

import (
	"fmt"
	"math"
)

const (
	windowSize  = 11
	windowSigma = 1.5
	ssimC1      = 0.01 * 0.01
	ssimC2      = 0.03 * 0.03
)

// SSIM returns the mean structural similarity of two pictures of w x h pixels:
// Gaussian window 11x11 with sigma 1.5, C1 = 0.01^2, C2 = 0.03^2, population
// variances, averaged over the three channels and all positions at which the
// window lies inside the picture (the valid region). Identical pictures give
// exactly 1.
//
// Where a side is shorter than the window, the window is the largest odd square
// that fits, its weights rescaled to a sum of 1.
//
// With a mask, windows that contain a pixel not in use are left out. If none
// remains, the windows around pixels in use count, with the other pixels black in
// both pictures. If there is none of those either the result is NaN, as it is
// for a picture without pixels.
//
// About 60 ms for 800x800 on one core.
func SSIM(a, b []float32, w, h int, use []bool) float64 {
	if len(a) != 3*w*h || len(b) != 3*w*h || use != nil && len(use) != w*h {
		panic(fmt.Sprintf("metrics: SSIM of %d and %d values with a mask of %d for %d x %d pixels", len(a), len(b), len(use), w, h))
	}
	if w == 0 || h == 0 {
		return math.NaN()
	}
	weights := window(min(w, h))
	var counted []bool
	if use != nil {
		size := len(weights)
		if counted = wholeWindows(use, w, h, size); !anyOf(counted) {
			a, b = blackened(a, use), blackened(b, use)
			counted = centres(use, w, h, size)
		}
		if !anyOf(counted) {
			return math.NaN()
		}
	}
	f := newFilter(w, weights)
	total := 0.0
	for channel := range 3 {
		total += f.channel(a[channel:], b[channel:], h, counted)
	}
	return total / 3
}

// window returns the one-dimensional weights of the window for a picture whose
// shorter side is side; the window is their outer product.
func window(side int) []float64 {
	size := min(windowSize, side)
	if size%2 == 0 {
		size--
	}
	weights := make([]float64, size)
	sum := 0.0
	for i := range weights {
		x := float64(i - size/2)
		weights[i] = math.Exp(-x * x / (2 * windowSigma * windowSigma))
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// The four maps whose window means give SSIM. With s = a+b and d = a-b one map
// fewer is needed than with a, b, aa, bb, ab, and equal pictures give exactly 1.
const (
	mapS = iota
	mapD
	mapSS
	mapDD
	maps
)

// filter runs the separable window over one channel, row by row: each row is
// filtered across once and kept while the window needs it.
type filter struct {
	weights []float64
	width   int
	source  [maps][]float64   // the current row, width values
	rows    [][maps][]float64 // the last len(weights) rows filtered across, a ring
	means   [maps][]float64   // window means of the current row of windows
	taps    [][]float64       // scratch: the rows under the window, top to bottom
}

func newFilter(width int, weights []float64) *filter {
	f := &filter{weights: weights, width: width, rows: make([][maps][]float64, len(weights)), taps: make([][]float64, len(weights))}
	valid := width - len(weights) + 1
	for m := range maps {
		f.source[m] = make([]float64, width)
		f.means[m] = make([]float64, valid)
		for r := range f.rows {
			f.rows[r][m] = make([]float64, valid)
		}
	}
	return f
}

// channel returns the mean SSIM of one channel over the counted windows (nil:
// all). a and b start at the channel's first value and have a stride of 3.
func (f *filter) channel(a, b []float32, h int, counted []bool) float64 {
	size := len(f.weights)
	valid := f.width - size + 1
	sum, count := 0.0, 0
	for y := range h {
		f.across(a[3*f.width*y:], b[3*f.width*y:], y%size)
		top := y - size + 1
		if top < 0 {
			continue
		}
		f.down(top)
		var row []bool
		if counted != nil {
			row = counted[top*valid : (top+1)*valid]
		}
		s, n := f.sum(row)
		sum += s
		count += n
	}
	return sum / float64(count)
}

// across filters one row of the pictures into slot of the ring.
func (f *filter) across(a, b []float32, slot int) {
	s, d, ss, dd := f.source[mapS], f.source[mapD], f.source[mapSS], f.source[mapDD]
	for x := range f.width {
		va, vb := float64(a[3*x]), float64(b[3*x])
		s[x], d[x] = va+vb, va-vb
		ss[x], dd[x] = s[x]*s[x], d[x]*d[x]
	}
	for m := range maps {
		out := f.rows[slot][m]
		for k := range f.taps {
			f.taps[k] = f.source[m][k : k+len(out)]
		}
		weigh(out, f.taps, f.weights)
	}
}

// down computes the window means for the row of windows whose first row is top.
func (f *filter) down(top int) {
	for m := range maps {
		for k := range f.taps {
			f.taps[k] = f.rows[(top+k)%len(f.rows)][m]
		}
		weigh(f.means[m], f.taps, f.weights)
	}
}

// sum adds the SSIM of the current row of windows that are counted (nil: all).
func (f *filter) sum(counted []bool) (sum float64, n int) {
	s, d, ss, dd := f.means[mapS], f.means[mapD], f.means[mapSS], f.means[mapDD]
	for x := range s {
		if counted != nil && !counted[x] {
			continue
		}
		sum += similarity(s[x], d[x], ss[x], dd[x])
		n++
	}
	return sum, n
}

// similarity is SSIM from the window means of s, d, s^2 and d^2. With
//
//	2 mu_a mu_b = (S^2-D^2)/2      mu_a^2 + mu_b^2   = (S^2+D^2)/2
//	2 cov_ab    = (var_s-var_d)/2  var_a + var_b     = (var_s+var_d)/2
//
// each factor of the usual formula appears here times 2.
func similarity(s, d, ss, dd float64) float64 {
	s2, d2 := s*s, d*d
	varS, varD := ss-s2, dd-d2
	return (s2 - d2 + 2*ssimC1) * (varS - varD + 2*ssimC2) /
		((s2 + d2 + 2*ssimC1) * (varS + varD + 2*ssimC2))
}

// weigh sets out to the weighted sum of the taps, which all have its length. The
// weights are symmetric.
func weigh(out []float64, taps [][]float64, weights []float64) {
	if len(taps) == windowSize {
		weigh11(out, taps, weights)
		return
	}
	clear(out)
	for k, tap := range taps {
		for x, v := range tap {
			out[x] += weights[k] * v
		}
	}
}

// weigh11 is weigh for the full window: one pass over memory, and half the
// multiplications by symmetry; three times as fast.
func weigh11(out []float64, taps [][]float64, weights []float64) {
	n := len(out)
	t0, t1, t2, t3, t4, t5 := taps[0][:n], taps[1][:n], taps[2][:n], taps[3][:n], taps[4][:n], taps[5][:n]
	t6, t7, t8, t9, t10 := taps[6][:n], taps[7][:n], taps[8][:n], taps[9][:n], taps[10][:n]
	w0, w1, w2, w3, w4, w5 := weights[0], weights[1], weights[2], weights[3], weights[4], weights[5]
	for x := range out {
		out[x] = w5*t5[x] + w4*(t4[x]+t6[x]) + w3*(t3[x]+t7[x]) +
			w2*(t2[x]+t8[x]) + w1*(t1[x]+t9[x]) + w0*(t0[x]+t10[x])
	}
}
