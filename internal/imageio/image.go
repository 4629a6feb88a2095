// Package imageio decodes pictures, reduces them without aliasing and encodes
// renders. Everything downstream sees 8-bit RGBA in sRGB values as stored.
package imageio

// Image is a picture of 8-bit RGBA, row by row, 4 bytes a pixel. Whether the
// colour is premultiplied by alpha is told by Premultiplied; an opaque picture
// is both.
type Image struct {
	Width, Height int
	Premultiplied bool
	Pix           []uint8 // len 4*Width*Height
}
