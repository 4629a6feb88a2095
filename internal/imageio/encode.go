package imageio

import (
	"fmt"
	"image/png"
	"io"

	"splat/internal/atomicfile"
	"splat/internal/fault"
)

// EncodePNG writes the picture as PNG: RGB where it is opaque, else RGBA with
// straight colour, as the format demands.
func EncodePNG(w io.Writer, m *Image) error {
	if err := png.Encode(w, m.std()); err != nil {
		return fmt.Errorf("encode PNG: %w", err)
	}
	return nil
}

// WritePNG writes the picture to a PNG file, creating missing folders; an
// existing file is replaced only when all went well.
func WritePNG(path string, m *Image) error {
	err := atomicfile.Write(path, func(w io.Writer) error { return EncodePNG(w, m) })
	if err != nil {
		return fault.AtFile(path, err)
	}
	return nil
}
