// Package imageio decodes pictures, reduces them without aliasing and encodes
// renders. Everything downstream sees 8-bit RGBA in sRGB values as stored: no
// colour profile and no linearisation is applied. EXIF orientation is told, not
// applied: whether camera poses refer to the stored or to the turned pixels is for
// the reader of the capture to find out.
package imageio

// Image is a picture of 8-bit RGBA, row by row, 4 bytes a pixel. Whether the
// colour is premultiplied by alpha is told by Premultiplied; an opaque picture
// is both.
type Image struct {
	Width, Height int
	Premultiplied bool
	Pix           []uint8 // len 4*Width*Height
}

// New returns a transparent black picture of width x height.
func New(width, height int) *Image {
	return &Image{Width: width, Height: height, Pix: make([]uint8, 4*width*height)}
}

// Opaque reports whether every pixel has alpha 255.
func (m *Image) Opaque() bool {
	for i := 3; i < len(m.Pix); i += 4 {
		if m.Pix[i] != 255 {
			return false
		}
	}
	return true
}

// Premultiply turns straight colour into premultiplied colour in place, rounding
// to the nearest; a picture that is premultiplied already stays as it is.
func (m *Image) Premultiply() {
	if m.Premultiplied {
		return
	}
	m.Premultiplied = true
	for p := m.Pix; len(p) >= 4; p = p[4:] {
		if a := uint32(p[3]); a != 255 {
			p[0] = uint8((uint32(p[0])*a + 127) / 255)
			p[1] = uint8((uint32(p[1])*a + 127) / 255)
			p[2] = uint8((uint32(p[2])*a + 127) / 255)
		}
	}
}

// Unpremultiply turns premultiplied colour into straight colour in place. Where
// alpha is a, the colour is known to about 128/a levels only; where alpha is 0 it
// becomes black.
func (m *Image) Unpremultiply() {
	if !m.Premultiplied {
		return
	}
	m.Premultiplied = false
	for p := m.Pix; len(p) >= 4; p = p[4:] {
		if a := uint32(p[3]); a != 255 {
			p[0], p[1], p[2] = divide(p[0], a), divide(p[1], a), divide(p[2], a)
		}
	}
}

func divide(c uint8, a uint32) uint8 {
	if a == 0 {
		return 0
	}
	return uint8(min(255, (uint32(c)*255+a/2)/a))
}

// ThresholdAlpha makes alpha binary in place: 255 from 128 upward, else 0. It is
// meant for straight colour, which it leaves alone.
func (m *Image) ThresholdAlpha() {
	for i := 3; i < len(m.Pix); i += 4 {
		if m.Pix[i] >= 128 {
			m.Pix[i] = 255
		} else {
			m.Pix[i] = 0
		}
	}
}
