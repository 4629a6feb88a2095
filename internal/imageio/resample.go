package imageio

import (
	"math"

	"golang.org/x/image/draw"
)

// taps are the source samples that one target sample is made of: weights w, of
// sum one, for the samples from first on.
type taps struct {
	first int
	w     []float32
}

// newTaps places a kernel, stretched by from/to where that shrinks, on each of
// the to target samples. Samples outside the source count for nothing.
func newTaps(to, from int, k *draw.Kernel) []taps {
	ratio := float64(from) / float64(to)
	stretch := max(ratio, 1)
	out := make([]taps, to)
	for i := range out {
		centre := (float64(i)+0.5)*ratio - 0.5
		lo := max(0, int(math.Ceil(centre-k.Support*stretch)))
		hi := min(from-1, int(math.Floor(centre+k.Support*stretch)))
		out[i] = taps{lo, weights(lo, hi, centre, stretch, k)}
	}
	return out
}

func weights(lo, hi int, centre, stretch float64, k *draw.Kernel) []float32 {
	w := make([]float64, hi-lo+1)
	sum := 0.0
	for j := range w {
		if t := math.Abs(float64(lo+j)-centre) / stretch; t < k.Support {
			w[j] = k.At(t)
		}
		sum += w[j]
	}
	out := make([]float32, len(w))
	for j := range w {
		out[j] = float32(w[j] / sum)
	}
	return out
}

// resample filters rows, then columns, in float32 and rounds once. It keeps only
// the filtered rows that the current target row needs, so that many pictures of
// many megapixels can be reduced at a time; x/image/draw, whose kernels are used
// here, would hold 32 bytes for each source row times target column.
func resample(m *Image, width, height int, k *draw.Kernel) *Image {
	out := New(width, height)
	out.Premultiplied = true
	tx, ty := newTaps(width, m.Width, k), newTaps(height, m.Height, k)
	depth := 0
	for _, t := range ty {
		depth = max(depth, len(t.w))
	}
	ring := make([][]float32, depth)
	line, sum := make([]float32, 4*m.Width), make([]float32, 4*width)
	next := 0 // first source row not yet filtered
	for y, t := range ty {
		for ; next < t.first+len(t.w); next++ {
			if ring[next%depth] == nil {
				ring[next%depth] = make([]float32, 4*width)
			}
			m.loadRow(line, next)
			filterRow(ring[next%depth], line, tx)
		}
		clear(sum)
		for j, w := range t.w {
			addScaled(sum, ring[(t.first+j)%depth], w)
		}
		storeRow(out.Pix[4*width*y:][:4*width], sum)
	}
	return out
}

// loadRow reads a row as premultiplied colour in units of 1/255.
func (m *Image) loadRow(dst []float32, y int) {
	p := m.Pix[4*m.Width*y:][:4*m.Width]
	for i := 0; i < len(p); i += 4 {
		k := float32(1)
		if !m.Premultiplied {
			k = float32(p[i+3]) / 255
		}
		dst[i], dst[i+1], dst[i+2] = k*float32(p[i]), k*float32(p[i+1]), k*float32(p[i+2])
		dst[i+3] = float32(p[i+3])
	}
}

func filterRow(dst, src []float32, tx []taps) {
	for x, t := range tx {
		var r, g, b, a float32
		p := src[4*t.first:][:4*len(t.w)]
		for j, w := range t.w {
			q := p[4*j : 4*j+4 : 4*j+4]
			r += w * q[0]
			g += w * q[1]
			b += w * q[2]
			a += w * q[3]
		}
		copy(dst[4*x:4*x+4], []float32{r, g, b, a})
	}
}

func addScaled(dst, src []float32, w float32) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] += w * src[i]
	}
}

func storeRow(dst []uint8, src []float32) {
	for i, v := range src {
		dst[i] = uint8(min(max(v+0.5, 0), 255))
	}
}
