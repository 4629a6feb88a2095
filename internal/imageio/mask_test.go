package imageio

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// halves calls set for each pixel of 4x2 with whether it is used: the right half.
func halves(set func(x, y int, used bool)) {
	for i := range 8 {
		set(i%4, i/4, i%4 >= 2)
	}
}

// A28: masks come as 0/1 or 0/255, grey, RGB, RGBA, palettes, 16 bits.
func TestMaskEncodings(t *testing.T) {
	r := image.Rect(0, 0, 4, 2)
	grey := func(off, on uint8) image.Image {
		m := image.NewGray(r)
		halves(func(x, y int, used bool) { m.SetGray(x, y, color.Gray{pick(used, off, on)}) })
		return m
	}
	grey16 := func(off, on uint16) image.Image {
		m := image.NewGray16(r)
		halves(func(x, y int, used bool) { m.SetGray16(x, y, color.Gray16{pick(used, off, on)}) })
		return m
	}
	rgba := func(off, on color.NRGBA) image.Image {
		m := image.NewNRGBA(r)
		halves(func(x, y int, used bool) { m.SetNRGBA(x, y, pick(used, off, on)) })
		return m
	}
	palette := func(off, on color.Color) image.Image {
		m := image.NewPaletted(r, color.Palette{off, on})
		halves(func(x, y int, used bool) { m.SetColorIndex(x, y, pick[uint8](used, 0, 1)) })
		return m
	}
	for name, m := range map[string]image.Image{
		"0 and 1": grey(0, 1), "0 and 255": grey(0, 255), "soft": grey(127, 128), "16 bit 0 and 1": grey16(0, 1), "16 bit": grey16(0x7fff, 0x8000),
		"rgb":        rgba(color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 255, 255, 255}),
		"red":        rgba(color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 0, 0, 255}),
		"rgb 0 or 1": rgba(color.NRGBA{0, 0, 0, 255}, color.NRGBA{1, 1, 1, 255}),
		"alpha":      rgba(color.NRGBA{0, 0, 0, 0}, color.NRGBA{0, 0, 0, 255}), "white with alpha": rgba(color.NRGBA{255, 255, 255, 0}, color.NRGBA{255, 255, 255, 255}),
		"palette": palette(color.Black, color.White), "palette red": palette(color.Black, color.NRGBA{128, 0, 0, 255}),
		"palette 0 and 1": palette(color.Black, color.NRGBA{1, 1, 1, 255}), "palette of two bright": palette(color.NRGBA{9, 9, 9, 255}, color.NRGBA{0, 200, 0, 255}),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := DecodeMask(pngFile(t, m))
			if err != nil {
				t.Fatal(err)
			}
			want := &Mask{4, 2, []bool{false, false, true, true, false, false, true, true}}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func pick[T any](used bool, off, on T) T {
	if used {
		return on
	}
	return off
}

func pngFile(t *testing.T, m image.Image) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mask.png")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMaskOfOneValue(t *testing.T) {
	for v, want := range map[uint8]bool{0: false, 1: true, 100: false, 255: true} {
		m := image.NewGray(image.Rect(0, 0, 1, 1))
		m.Pix[0] = v
		if got := maskOf(m, false).Used[0]; got != want {
			t.Errorf("a mask of %d only: used %v, want %v", v, got, want)
		}
	}
}

func TestMaskTurned(t *testing.T) {
	m := New(3, 2)
	k := &Mask{3, 2, make([]bool, 6)}
	m.Pix[4*1+3], k.Used[1] = 255, true
	for o := range Orientation(9) {
		picture, mask := m.Turned(o), k.Turned(o)
		for i, used := range mask.Used {
			if mask.Width != picture.Width || used != (picture.Pix[4*i+3] == 255) {
				t.Fatalf("orientation %d: the mask turns otherwise than the picture", o)
			}
		}
	}
}
