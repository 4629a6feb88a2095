package imageio

import (
	"image"
	"image/color"

	"splat/internal/fault"
)

// Mask says of each pixel of a picture whether it counts, row by row.
type Mask struct {
	Width, Height int
	Used          []bool // len Width*Height
}

// DecodeMask reads a mask from a picture of any supported format. A pixel's value is
// the largest of its colour channels, times its alpha; of a picture that is black
// throughout, its alpha. Where only the values 0 and 1 occur, 1 means use; otherwise
// use means at least half of the range.
func DecodeMask(path string) (*Mask, error) {
	m, fm, err := decode(path)
	if err != nil {
		return nil, err
	}
	if m.Bounds().Empty() {
		return nil, fault.Dataf("%s: the mask has no pixels", path)
	}
	return maskOf(m, fm.name == "WebP"), nil
}

// maskOf thresholds the values of a picture.
func maskOf(m image.Image, video bool) *Mask {
	values, half := maskValues(m, video)
	if highest(values) == 1 {
		half = 1
	}
	out := &Mask{m.Bounds().Dx(), m.Bounds().Dy(), make([]bool, len(values))}
	for i, v := range values {
		out.Used[i] = v >= half
	}
	return out
}

// maskValues returns a value for each pixel, and which one is half of the range.
func maskValues(m image.Image, video bool) (values []uint16, half uint16) {
	switch m.(type) {
	case *image.Gray16, *image.RGBA64, *image.NRGBA64:
		return maskValues16(m), 0x8000
	}
	rgba := convert(m, video)
	rgba.Unpremultiply()
	colour, alpha := make([]uint16, len(rgba.Pix)/4), make([]uint16, len(rgba.Pix)/4)
	for i := range colour {
		p := rgba.Pix[4*i:]
		colour[i], alpha[i] = uint16(max(p[0], p[1], p[2])), uint16(p[3])
	}
	return visible(colour, alpha, 255), 128
}

func maskValues16(m image.Image) []uint16 {
	b := m.Bounds()
	var colour, alpha []uint16
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
			colour, alpha = append(colour, max(c.R, c.G, c.B)), append(alpha, c.A)
		}
	}
	return visible(colour, alpha, 0xffff)
}

// visible multiplies colour by alpha, in place, unless all colour is 0: then alpha is
// what tells pixels apart.
func visible(colour, alpha []uint16, full uint32) []uint16 {
	if highest(colour) == 0 && lowest(alpha) < uint16(full) {
		return alpha
	}
	for i, a := range alpha {
		if uint32(a) < full {
			colour[i] = uint16(uint32(colour[i]) * uint32(a) / full)
		}
	}
	return colour
}

func highest(values []uint16) (v uint16) {
	for _, x := range values {
		v = max(v, x)
	}
	return v
}

func lowest(values []uint16) uint16 {
	v := uint16(0xffff)
	for _, x := range values {
		v = min(v, x)
	}
	return v
}

// Invert swaps what is used and what is not, in place.
func (k *Mask) Invert() {
	for i, u := range k.Used {
		k.Used[i] = !u
	}
}

// Turned returns the mask turned as Image.Turned turns pictures.
func (k *Mask) Turned(o Orientation) *Mask {
	if !o.Turns() {
		return k
	}
	out := &Mask{k.Width, k.Height, make([]bool, len(k.Used))}
	if o.Swaps() {
		out.Width, out.Height = k.Height, k.Width
	}
	for y := range out.Height {
		for x := range out.Width {
			sx, sy := o.source(x, y, k.Width, k.Height)
			out.Used[y*out.Width+x] = k.Used[sy*k.Width+sx]
		}
	}
	return out
}

// ApplyMask sets alpha to 0 where the mask, brought to the picture's size by nearest
// neighbours, does not use a pixel, and leaves it elsewhere. The picture must have
// straight colour.
func (m *Image) ApplyMask(k *Mask) {
	column := make([]int, m.Width)
	for x := range column {
		column[x] = nearest(x, m.Width, k.Width)
	}
	for y := range m.Height {
		used := k.Used[nearest(y, m.Height, k.Height)*k.Width:]
		row := m.Pix[4*m.Width*y:]
		for x, c := range column {
			if !used[c] {
				row[4*x+3] = 0
			}
		}
	}
}

// nearest returns the sample of n that lies over the centre of pixel i of size.
func nearest(i, size, n int) int { return (2*i + 1) * n / (2 * size) }
