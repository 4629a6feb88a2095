package imageio

import (
	"io"

	"github.com/bep/imagemeta"
)

// Orientation is how stored pixels are meant to be shown, in the numbers of EXIF:
//
//	1 as stored         5 mirrored along the diagonal from the top left
//	2 mirrored          6 a quarter turn clockwise
//	3 half a turn       7 mirrored along the other diagonal
//	4 upside down       8 a quarter turn counterclockwise
//
// where 2 swaps left and right and 4 top and bottom. 0 is unknown and means as
// stored.
type Orientation uint8

// Turns reports whether the picture is shown otherwise than stored.
func (o Orientation) Turns() bool { return o >= 2 && o <= 8 }

// Swaps reports whether width and height change places.
func (o Orientation) Swaps() bool { return o >= 5 && o <= 8 }

// Turned returns the picture as it is meant to be shown; where nothing changes, it
// is m itself.
func (m *Image) Turned(o Orientation) *Image {
	if !o.Turns() {
		return m
	}
	out := New(m.Width, m.Height)
	if o.Swaps() {
		out.Width, out.Height = m.Height, m.Width
	}
	out.Premultiplied = m.Premultiplied
	for y := range out.Height {
		for x := range out.Width {
			copy(out.at(x, y), m.at(o.source(x, y, m.Width, m.Height)))
		}
	}
	return out
}

// source returns the stored pixel, of w x h, that is shown at (x, y).
func (o Orientation) source(x, y, w, h int) (int, int) {
	if o.Swaps() {
		x, y = y, x
	}
	if o == 2 || o == 3 || o == 7 || o == 8 {
		x = w - 1 - x
	}
	if o == 3 || o == 4 || o == 6 || o == 7 {
		y = h - 1 - y
	}
	return x, y
}

// metaFormats are the formats that may carry EXIF.
var metaFormats = map[string]imagemeta.ImageFormat{
	"JPEG": imagemeta.JPEG, "PNG": imagemeta.PNG, "WebP": imagemeta.WebP, "TIFF": imagemeta.TIFF,
}

// exifReach bounds how far a JPEG is searched: EXIF comes first and has at most
// 64 KiB.
const exifReach = 1 << 18

// orientation reads the orientation of an open picture, 0 where there is none.
// EXIF that is damaged says nothing, since the pixels may be fine all the same.
func orientation(f io.ReaderAt, format string) (o Orientation) {
	meta, ok := metaFormats[format]
	if !ok {
		return 0
	}
	reach := int64(1) << 62
	if format == "JPEG" {
		reach = exifReach
	}
	_ = imagemeta.Decode(imagemeta.Options{
		R: io.NewSectionReader(f, 0, reach), ImageFormat: meta, Sources: imagemeta.EXIF,
		ShouldHandleTag: func(t imagemeta.TagInfo) bool { return t.Namespace == "IFD0" && t.Tag == "Orientation" },
		HandleTag: func(t imagemeta.TagInfo) error {
			o = orientationOf(t.Value)
			return imagemeta.ErrStopWalking
		},
	})
	return o
}

// orientationOf returns a tag's value as orientation, 0 where it is none. The tag
// is a 16-bit number, but some programs write others.
func orientationOf(value any) Orientation {
	n := uint64(0)
	switch v := value.(type) {
	case uint8:
		n = uint64(v)
	case uint16:
		n = uint64(v)
	case uint32:
		n = uint64(v)
	}
	if n > 8 {
		return 0
	}
	return Orientation(n)
}
