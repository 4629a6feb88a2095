package imageio

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tiffWith is the beginning of a TIFF with one entry of one long.
func tiffWith(order binary.ByteOrder, mark string, tag uint16, value uint32) []byte {
	b := []byte(mark)
	put := func(v ...any) {
		var out bytes.Buffer
		for _, x := range v {
			_ = binary.Write(&out, order, x) // a buffer takes everything
		}
		b = append(b, out.Bytes()...)
	}
	put(uint32(12), uint32(0), uint16(1), tag, uint16(4), uint32(1), value, uint32(0))
	return b
}

// What is no picture that can be read is refused by its name; the thumbnail of a raw
// file is not taken for the picture.
func TestForeignFormats(t *testing.T) {
	for want, data := range map[string][]byte{
		"a GIF": []byte("GIF89a......"), "a JPEG XL picture": []byte("\xff\x0a......"), "a JPEG 2000 picture": []byte("\x00\x00\x00\x0cjP  \r\n"),
		"a Photoshop document": []byte("8BPS\x00\x01"), "an OpenEXR picture": []byte("\x76\x2f\x31\x01\x02"), "a Radiance HDR picture": []byte("#?RADIANCE\n"),
		"a camera's raw file": tiffWith(binary.LittleEndian, "II*\x00", tagSubfileType, 1), "a camera's raw file (": tiffWith(binary.BigEndian, "MM\x00*", tagDNGVersion, 0x01040000),
		"a camera's raw file (RAF)": []byte("FUJIFILMCCD-RAW 0201"), `"avif" container`: []byte("\x00\x00\x00\x18ftypavif\x00\x00"), `"crx " container`: []byte("\x00\x00\x00\x18ftypcrx \x00\x00"),
	} {
		path := filepath.Join(t.TempDir(), "x.jpg")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		for what, read := range map[string]func() error{
			"Decode": func() error { _, err := Decode(path); return err }, "ReadHeader": func() error { _, err := ReadHeader(path); return err },
		} {
			if err := read(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), Formats) {
				t.Errorf("%s: %v, want %q", what, err, want)
			}
		}
	}
}

func FuzzMask(f *testing.F) {
	for _, m := range []image.Image{image.NewGray(image.Rect(0, 0, 3, 2)), image.NewNRGBA64(image.Rect(0, 0, 2, 2)), image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.Black, color.White})} {
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if h, err := ReadHeader(path); err != nil || h.Width*h.Height > 1<<16 {
			return
		}
		k, err := DecodeMask(path)
		if err != nil {
			return
		}
		if len(k.Used) != k.Width*k.Height || k.Width < 1 || k.Height < 1 {
			t.Fatalf("%dx%d with %d pixels", k.Width, k.Height, len(k.Used))
		}
		New(7, 5).ApplyMask(k)
	})
}
