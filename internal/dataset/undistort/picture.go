package undistort

import (
	"math"

	"splat/internal/geom"
	"splat/internal/imageio"
)

// Picture returns what a pinhole camera to would have seen of a picture that a camera
// from with a lens took; both cameras are for the picture's size. Pixels are
// interpolated linearly, premultiplied; beyond the border the nearest ones hold. About
// 100 ns a pixel.
func Picture(m *imageio.Image, l Lens, from, to geom.Camera) *imageio.Image {
	m.Premultiply()
	out := imageio.New(m.Width, m.Height)
	out.Premultiplied = true
	for y := range m.Height {
		for x := range m.Width {
			u, v := l.Distort((float64(x)+0.5-to.Cx)/to.Fx, (float64(y)+0.5-to.Cy)/to.Fy)
			sample(m, from.Fx*u+from.Cx-0.5, from.Fy*v+from.Cy-0.5, out.Pix[4*(y*m.Width+x):])
		}
	}
	return out
}

// sample writes the colour at (x, y), in pixels from the centre of the first one.
func sample(m *imageio.Image, x, y float64, dst []uint8) {
	x, y = min(max(x, 0), float64(m.Width-1)), min(max(y, 0), float64(m.Height-1))
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, m.Width-1), min(y0+1, m.Height-1)
	fx, fy := x-float64(x0), y-float64(y0)
	a, b := m.Pix[4*(y0*m.Width+x0):], m.Pix[4*(y0*m.Width+x1):]
	c, d := m.Pix[4*(y1*m.Width+x0):], m.Pix[4*(y1*m.Width+x1):]
	for i := range 4 {
		top := float64(a[i]) + fx*(float64(b[i])-float64(a[i]))
		low := float64(c[i]) + fx*(float64(d[i])-float64(c[i]))
		dst[i] = uint8(math.Round(top + fy*(low-top)))
	}
}
