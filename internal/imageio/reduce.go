package imageio

import (
	"image"

	"golang.org/x/image/draw"
)

// Reduce returns the picture at width x height (both at least 1), filtered
// against aliasing. Colour is always averaged premultiplied, so colours hidden
// under alpha 0 do not bleed and compositing the result on a background equals
// resizing the composite within 1/255. The result is premultiplied, or opaque
// like its source.
//
// Where both sides shrink by whole factors each pixel is the exact mean of its
// box. Otherwise opaque pictures go through a Catmull-Rom kernel stretched to the
// target's pixel, and pictures with alpha through a tent: its weights are not
// negative, so nothing has to be clamped and the identity above holds.
func Reduce(m *Image, width, height int) *Image {
	switch {
	case width == m.Width && height == m.Height:
		out := *m
		out.Pix = append([]uint8(nil), m.Pix...)
		out.Premultiply()
		return &out
	case m.Width%width == 0 && m.Height%height == 0:
		return reduceBox(m, width, height)
	case m.Opaque():
		return resample(m, width, height, draw.CatmullRom)
	}
	return resample(m, width, height, draw.BiLinear)
}

// reduceBox averages boxes of fx x fy pixels in integers; the sums fit 64 bits
// for any box that fits in memory.
func reduceBox(m *Image, width, height int) *Image {
	out := New(width, height)
	out.Premultiplied = true
	fx, fy := m.Width/width, m.Height/height
	n := uint64(fx) * uint64(fy)
	for y := range height {
		for x := range width {
			s := m.sumBox(x*fx, y*fy, fx, fy)
			p := out.at(x, y)
			for c := range 3 {
				p[c] = uint8((s[c] + 255*n/2) / (255 * n))
			}
			p[3] = uint8((s[3] + n/2) / n)
		}
	}
	return out
}

// sumBox returns the sums of colour (premultiplied, in units of 1/255^2) and of
// alpha (1/255) over a box.
func (m *Image) sumBox(x0, y0, w, h int) (s [4]uint64) {
	for y := y0; y < y0+h; y++ {
		i := 4 * (m.Width*y + x0)
		for p := m.Pix[i : i+4*w]; len(p) >= 4; p = p[4:] {
			a := uint64(p[3])
			k := a
			if m.Premultiplied {
				k = 255
			}
			s[0] += k * uint64(p[0])
			s[1] += k * uint64(p[1])
			s[2] += k * uint64(p[2])
			s[3] += a
		}
	}
	return s
}

// std returns a view of the picture in the standard library's types.
func (m *Image) std() image.Image {
	r := image.Rect(0, 0, m.Width, m.Height)
	if m.Premultiplied {
		return &image.RGBA{Pix: m.Pix, Stride: 4 * m.Width, Rect: r}
	}
	return &image.NRGBA{Pix: m.Pix, Stride: 4 * m.Width, Rect: r}
}
