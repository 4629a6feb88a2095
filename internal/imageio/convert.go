package imageio

import (
	"image"
	"image/color"
	"image/draw"
)

// convert brings a decoded picture into 8-bit RGBA. video says that YCbCr has
// video range (WebP); golang.org/x/image/webp hands such samples out in a type
// that stands for full range (golang.org/issue/40173), which would lift black to
// 16 and lower white to 235.
func convert(m image.Image, video bool) *Image {
	b := m.Bounds()
	out := New(b.Dx(), b.Dy())
	switch m := m.(type) {
	case *image.NRGBA:
		out.copyRows(m.Pix, m.Stride)
	case *image.RGBA:
		out.copyRows(m.Pix, m.Stride)
		out.Premultiplied = !out.Opaque()
	case *image.Paletted:
		out.fromPalette(m)
	case *image.NYCbCrA:
		out.fromYCbCr(&m.YCbCr, video)
		out.setAlpha(m)
	case *image.YCbCr:
		if video {
			out.fromYCbCr(m, true)
		} else {
			out.draw(m)
		}
	case *image.Gray, *image.CMYK:
		out.draw(m)
	default:
		out.fromColors(m)
	}
	return out
}

func (m *Image) copyRows(pix []uint8, stride int) {
	for y := range m.Height {
		copy(m.Pix[4*m.Width*y:4*m.Width*(y+1)], pix[stride*y:])
	}
}

// draw converts an opaque picture through image/draw, which has fast loops for
// the common types and gives what image/color defines for each of them.
func (m *Image) draw(src image.Image) {
	dst := &image.RGBA{Pix: m.Pix, Stride: 4 * m.Width, Rect: image.Rect(0, 0, m.Width, m.Height)}
	draw.Draw(dst, dst.Rect, src, src.Bounds().Min, draw.Src)
}

func (m *Image) fromPalette(src *image.Paletted) {
	var table [256][4]uint8
	for i, c := range src.Palette {
		table[i] = to8(c)
	}
	for y := range m.Height {
		for x, i := range src.Pix[src.Stride*y:][:m.Width] {
			copy(m.at(x, y), table[i][:])
		}
	}
}

// fromColors is the slow path for 16-bit and rare types.
func (m *Image) fromColors(src image.Image) {
	b := src.Bounds()
	for y := range m.Height {
		for x := range m.Width {
			c := to8(src.At(b.Min.X+x, b.Min.Y+y))
			copy(m.at(x, y), c[:])
		}
	}
}

func (m *Image) at(x, y int) []uint8 {
	i := 4 * (m.Width*y + x)
	return m.Pix[i : i+4 : i+4]
}

// to8 returns straight 8-bit RGBA, rounded; colour under alpha 0 survives where
// the source is straight.
func to8(c color.Color) [4]uint8 {
	switch c := c.(type) {
	case color.NRGBA:
		return [4]uint8{c.R, c.G, c.B, c.A}
	case color.NRGBA64:
		return [4]uint8{round16(c.R), round16(c.G), round16(c.B), round16(c.A)}
	}
	r, g, b, a := c.RGBA()
	if a == 0 {
		return [4]uint8{}
	}
	return [4]uint8{straight(r, a), straight(g, a), straight(b, a), round16(uint16(a))}
}

func round16(v uint16) uint8 { return uint8((uint32(v) + 128) / 257) }

// straight undoes the premultiplication of a 16-bit channel and rounds to 8 bits.
func straight(c, a uint32) uint8 {
	return uint8(min(255, (uint64(c)*255+uint64(a)/2)/uint64(a)))
}

// fromYCbCr converts 8-bit YCbCr, of video range (BT.601, luma 16..235) or full
// range.
func (m *Image) fromYCbCr(src *image.YCbCr, video bool) {
	for y := range m.Height {
		for x := range m.Width {
			px, py := src.Rect.Min.X+x, src.Rect.Min.Y+y
			ci := src.COffset(px, py)
			yy, cb, cr := src.Y[src.YOffset(px, py)], src.Cb[ci], src.Cr[ci]
			p := m.at(x, y)
			if video {
				p[0], p[1], p[2] = videoToRGB(yy, cb, cr)
			} else {
				p[0], p[1], p[2] = color.YCbCrToRGB(yy, cb, cr)
			}
			p[3] = 255
		}
	}
}

// videoToRGB applies BT.601 in 16.16 fixed point: luma is stretched by 255/219
// and chroma by 255/224 before the usual matrix.
func videoToRGB(y, cb, cr uint8) (r, g, b uint8) {
	l := 76309*(int32(y)-16) + 1<<15
	u, v := int32(cb)-128, int32(cr)-128
	return clamp(l + 104597*v), clamp(l - 25675*u - 53279*v), clamp(l + 132201*u)
}

func clamp(v int32) uint8 { return uint8(min(max(v>>16, 0), 255)) }

func (m *Image) setAlpha(src *image.NYCbCrA) {
	for y := range m.Height {
		for x := range m.Width {
			m.at(x, y)[3] = src.A[src.AOffset(src.Rect.Min.X+x, src.Rect.Min.Y+y)]
		}
	}
}
