package imageio

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"splat/internal/fault"
)

// Pictures of one pixel in the three kinds of WebP; there is no encoder at hand.
const (
	webpLossy    = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"
	webpLossless = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
	webpAlpha    = "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA=="
)

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func encoded(t *testing.T, m image.Image, format string) []byte {
	t.Helper()
	var buf bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&buf, m)
	case "jpeg":
		err = jpeg.Encode(&buf, m, &jpeg.Options{Quality: 100})
	case "bmp":
		err = bmp.Encode(&buf, m)
	case "tiff":
		err = tiff.Encode(&buf, m, &tiff.Options{Compression: tiff.Deflate})
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func fill[I interface {
	image.Image
	Set(x, y int, c color.Color)
}](m I, c ...color.Color) I {
	w := m.Bounds().Dx()
	for y := range m.Bounds().Dy() {
		for x := range w {
			m.Set(x, y, c[(y*w+x)%len(c)])
		}
	}
	return m
}

func TestDecodeKeepsPixels(t *testing.T) {
	r := image.Rect(0, 0, 2, 1)
	red, blue := color.NRGBA{200, 10, 20, 255}, color.NRGBA{7, 8, 250, 255}
	soft := color.NRGBA{200, 100, 50, 64}
	hidden := color.NRGBA{1, 2, 3, 0}
	palette := color.Palette{red, soft, hidden}
	for _, c := range []struct {
		name, format string
		m            image.Image
		want         []uint8
	}{
		{"rgb", "png", fill(image.NewRGBA(r), red, blue), []uint8{200, 10, 20, 255, 7, 8, 250, 255}},
		{"straight alpha and hidden colour", "png", fill(image.NewNRGBA(r), soft, hidden), []uint8{200, 100, 50, 64, 1, 2, 3, 0}},
		{"gray", "png", fill(image.NewGray(r), color.Gray{9}, color.Gray{99}), []uint8{9, 9, 9, 255, 99, 99, 99, 255}},
		{"gray 16 rounds", "png", fill(image.NewGray16(r), color.Gray16{0x12ff}, color.Gray16{0x1200}), []uint8{19, 19, 19, 255, 18, 18, 18, 255}},
		{"rgba 16", "png", fill(image.NewNRGBA64(r), color.NRGBA64{0xffff, 0x8080, 0, 0x4040}, color.NRGBA64{0x101, 0x202, 0x303, 0}), []uint8{255, 128, 0, 64, 1, 2, 3, 0}},
		{"palette", "png", fill(image.NewPaletted(r, palette), soft, hidden), []uint8{200, 100, 50, 64, 1, 2, 3, 0}},
		{"black and white", "png", fill(image.NewPaletted(r, color.Palette{color.Black, color.White}), color.White, color.Black), []uint8{255, 255, 255, 255, 0, 0, 0, 255}},
		{"gray", "jpeg", fill(image.NewGray(r), color.Gray{77}), []uint8{77, 77, 77, 255, 77, 77, 77, 255}},
		{"rgb", "bmp", fill(image.NewRGBA(r), red, blue), []uint8{200, 10, 20, 255, 7, 8, 250, 255}},
		{"rgb", "tiff", fill(image.NewRGBA(r), red, blue), []uint8{200, 10, 20, 255, 7, 8, 250, 255}},
		{"alpha", "tiff", fill(image.NewNRGBA(r), soft, red), []uint8{200, 100, 50, 64, 200, 10, 20, 255}},
	} {
		t.Run(c.format+" "+c.name, func(t *testing.T) {
			// The ending lies on purpose: the content decides.
			path := write(t, "画像 é.dat", encoded(t, c.m, c.format))
			got, err := Decode(path)
			if err != nil {
				t.Fatal(err)
			}
			want := &Image{Width: 2, Height: 1, Pix: c.want}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if h, err := ReadHeader(path); h != (Header{2, 1, 0}) || err != nil {
				t.Errorf("header %+v, %v", h, err)
			}
		})
	}
}

func TestDecodeJPEGColour(t *testing.T) {
	m := fill(image.NewRGBA(image.Rect(0, 0, 16, 16)), color.NRGBA{180, 90, 30, 255})
	got, err := Decode(write(t, "a.jpg", encoded(t, m, "jpeg")))
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range []int{180, 90, 30, 255} {
		if d := int(got.Pix[c]) - want; d < -2 || d > 2 {
			t.Errorf("channel %d = %d, want about %d", c, got.Pix[c], want)
		}
	}
}

func TestDecodeWebP(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want []uint8
	}{
		// Luma 128 of video range is grey 130.4; read as full range it would be 128.
		"lossy":    {webpLossy, []uint8{130, 130, 130, 255}},
		"lossless": {webpLossless, nil},
		"alpha":    {webpAlpha, nil},
	} {
		data, err := base64.StdEncoding.DecodeString(c.data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(write(t, "a.webp", data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.want != nil && !bytes.Equal(got.Pix, c.want) {
			t.Errorf("%s: pixel %v, want %v", name, got.Pix, c.want)
		}
		if name == "alpha" && got.Pix[3] == 255 {
			t.Errorf("alpha was lost: %v", got.Pix)
		}
	}
}

func TestVideoRange(t *testing.T) {
	for _, c := range [][6]uint8{
		{16, 128, 128, 0, 0, 0}, {235, 128, 128, 255, 255, 255}, {81, 90, 240, 254, 0, 0}, {145, 54, 34, 0, 255, 1}, {41, 240, 110, 0, 0, 255},
	} {
		r, g, b := videoToRGB(c[0], c[1], c[2])
		if [3]uint8{r, g, b} != [3]uint8(c[3:]) {
			t.Errorf("YCbCr %v = %d,%d,%d, want %v", c[:3], r, g, b, c[3:])
		}
	}
}

func TestDecodeDamaged(t *testing.T) {
	m := fill(image.NewNRGBA(image.Rect(0, 0, 64, 64)), color.NRGBA{1, 2, 3, 255}, color.NRGBA{200, 2, 90, 255}, color.NRGBA{77, 1, 3, 20})
	cases := map[string]struct {
		data []byte
		want []string
	}{
		"text.png":      {[]byte("hello there\nmore"), []string{`text "hello there"`, "expected PNG, JPEG"}},
		"empty.jpg":     {nil, []string{"an empty file"}},
		"lfs.png":       {[]byte("version https://git-lfs.github.com/spec/v1\n"), []string{"Git LFS pointer"}},
		"anim.jpg":      {[]byte("GIF89a......"), []string{"a GIF"}},
		"photo.jpg":     {[]byte("\x00\x00\x00\x18ftypheic\x00\x00"), []string{"HEIC"}},
		"noise.png":     {[]byte{0xde, 0xad, 0, 1, 2}, []string{"bytes de ad 00"}},
		"bomb.png":      {pngClaiming(100_000, 100_000), []string{"100000x100000", "cannot hold"}},
		"manyrows.jpeg": {[]byte("\xff\xd8\xff"), []string{"ends too early"}},
	}
	for _, f := range []string{"png", "jpeg", "bmp", "tiff"} {
		whole := encoded(t, m, f)
		cases["cut."+f] = struct {
			data []byte
			want []string
		}{whole[:len(whole)/2], []string{"damaged"}}
	}
	for name, c := range cases {
		path := write(t, name, c.data)
		_, err := Decode(path)
		if err == nil {
			t.Errorf("%s: decoded without complaint", name)
			continue
		}
		for _, w := range append(c.want, path) {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: message %q does not say %q", name, err, w)
			}
		}
		if fault.ExitCode(err) != int(fault.Data) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: exit code %d, message %q; want one line and code 3", name, fault.ExitCode(err), err)
		}
	}
}

// pngClaiming is a PNG with a valid header of the given size and nothing else.
func pngClaiming(w, h uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	b = binary.BigEndian.AppendUint32(b, w)
	b = binary.BigEndian.AppendUint32(b, h)
	b = append(b, 8, 6, 0, 0, 0)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[12:]))
}

func TestDecodeMissing(t *testing.T) {
	_, err := Decode(filepath.Join(t.TempDir(), "none.png"))
	if !errors.Is(err, os.ErrNotExist) || fault.ExitCode(err) != 3 {
		t.Errorf("got %v (exit %d)", err, fault.ExitCode(err))
	}
	if _, err := ReadHeader(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("folder: got %v", err)
	}
}

func FuzzHeader(f *testing.F) {
	for _, s := range []string{webpLossy, webpLossless, webpAlpha} {
		data, _ := base64.StdEncoding.DecodeString(s)
		f.Add(data)
	}
	f.Add(pngClaiming(1<<30, 1<<30))
	f.Add([]byte("II*\x00\x08\x00\x00\x00"))
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, image.NewGray(image.Rect(0, 0, 1, 1)), nil); err != nil {
		f.Fatal(err)
	}
	f.Add(withSegments(jpg.Bytes(), exifSegment(exif(binary.BigEndian, 3, 6))))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if h, err := ReadHeader(path); err == nil && (h.Width < 1 || h.Height < 1 || h.Orientation > 8) {
			t.Errorf("%+v without an error", h)
		}
	})
}
