package dataset

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"splat/internal/fault"
	"splat/internal/imageio"
)

// writeMask writes a grey mask whose left part, share of the width, is dark.
func writeMask(t *testing.T, path string, w, h int, share float64) {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		if float64(i%w) >= share*float64(w) {
			m.Pix[i] = 255
		}
	}
	writePNG(t, path, m)
}

func writePNG(t *testing.T, path string, m image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
}

// usedShares decodes the views and returns the percentage of used pixels of each.
func usedShares(t *testing.T, c *Capture, alpha string) (out []int) {
	t.Helper()
	images, err := Load(context.Background(), c.Views, LoadOptions{Alpha: alpha})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range images {
		out = append(out, usedShare(m))
	}
	return out
}

func usedShare(m *imageio.Image) int {
	n := 0
	for i := 3; i < len(m.Pix); i += 4 {
		if m.Pix[i] == 255 {
			n++
		}
	}
	return 100 * n / (m.Width * m.Height)
}

// A29: a mask may lie in a folder of masks or beside its picture, under several names.
func TestMaskPlaces(t *testing.T) {
	for _, place := range []string{
		"masks/0000.jpg", "masks/0000.png", "masks/0000.jpg.png", "masks/0000.JPG.PNG", "masks/0000.mask.png", "masks/0000_mask.png",
		"Mask/0000.png", "images/0000.mask.png", "images/0000_mask.png", "images/0000.jpg.mask.png", "images/0000.jpg.png", "masks/images/0000.png",
	} {
		t.Run(place, func(t *testing.T) {
			root := colmapCapture(t, 1)
			writeMask(t, filepath.Join(root, filepath.FromSlash(place)), 80, 60, 0.25)
			c := open(t, root, Options{})
			if got := usedShares(t, c, "auto")[0]; got != 75 {
				t.Errorf("%d %% of the pixels are used, want 75", got)
			}
			if c.AlphaMode("auto") != "mask" {
				t.Error("auto does not mean mask, although there are masks")
			}
			says(t, c.Notes, "masks for 1 of 1 view", "0000")
		})
	}
}

func TestNoMasks(t *testing.T) {
	c := open(t, colmapCapture(t, 2), Options{})
	if got := usedShares(t, c, "mask")[0]; got != 100 || c.AlphaMode("auto") != "auto" || c.AlphaMode("mask") != "mask" {
		t.Errorf("%d %% used, auto means %q", got, c.AlphaMode("auto"))
	}
}

// A30: masks belong to their pictures by name, whatever the split.
func TestMasksFollowTheirPictures(t *testing.T) {
	root := colmapCapture(t, 9)
	for i := range 9 {
		writeMask(t, filepath.Join(root, "masks", fmt.Sprintf("%04d.png", i)), 80, 60, float64(i)/10)
	}
	c := open(t, root, Options{TestEvery: 8})
	for i, got := range usedShares(t, c, "mask") {
		if got != 100-10*i {
			t.Errorf("view %s (test %v): %d %% used, want %d", c.Views[i].Name, c.Views[i].Test, got, 100-10*i)
		}
	}
}

// A28: another size of the same shape is scaled, another shape is an error; inverted
// masks are the contrary.
func TestMaskSizes(t *testing.T) {
	root := colmapCapture(t, 1)
	file := filepath.Join(root, "masks", "0000.png")
	for _, size := range [][2]int{{40, 30}, {160, 120}, {20, 15}} {
		writeMask(t, file, size[0], size[1], 0.25)
		if got := usedShares(t, open(t, root, Options{}), "")[0]; got != 75 {
			t.Errorf("mask of %v: %d %% used, want 75", size, got)
		}
		if got := usedShares(t, open(t, root, Options{InvertMasks: true}), "")[0]; got != 25 {
			t.Errorf("inverted mask of %v: %d %% used, want 25", size, got)
		}
		if got := usedShares(t, open(t, root, Options{Downscale: 4}), "")[0]; got != 75 {
			t.Errorf("mask of %v, reduced by 4: %d %% used, want 75", size, got)
		}
	}
	writeMask(t, file, 60, 60, 0.25)
	refuses(t, root, Options{}, file, "60x60", "80x60", "0000.jpg")
}

// A masked pixel must not bleed into its neighbours when pictures are reduced.
func TestMaskedColourDoesNotBleed(t *testing.T) {
	root := colmapCapture(t, 1)
	m := image.NewNRGBA(image.Rect(0, 0, 80, 60))
	for i := range 80 * 60 {
		c := color.NRGBA{200, 200, 200, 255}
		if i%80 < 21 {
			c = color.NRGBA{255, 0, 0, 255}
		}
		m.SetNRGBA(i%80, i/80, c)
	}
	writePNG(t, filepath.Join(root, "images", "0000.jpg"), m)
	writeMask(t, filepath.Join(root, "masks", "0000.png"), 80, 60, 21.0/80)
	images, err := Load(context.Background(), open(t, root, Options{Downscale: 2}).Views, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for p := images[0].Pix; len(p) >= 4; p = p[4:] {
		if p[3] != 0 && (p[0] < 199 || p[0] > 201 || p[1] != p[0]) {
			t.Fatalf("a used pixel has the colour %v", p[:4])
		}
	}
}

// A29: a folder of masks of which none fits must have wrong names.
func TestMaskRefusals(t *testing.T) {
	root := colmapCapture(t, 3)
	refuses(t, root, Options{Masks: "stencils"}, "--masks stencils", "no such folder")
	refuses(t, root, Options{InvertMasks: true}, "--invert-masks", "no masks were found")
	writeMask(t, filepath.Join(root, "masks", "frame-1.png"), 80, 60, 0.5)
	refuses(t, root, Options{}, filepath.Join(root, "masks"), "frame-1.png", "0000.jpg", "0000.png")
	c := open(t, root, Options{Alpha: "transparent"})
	says(t, c.Notes, "masks is not used: --alpha transparent")
	if _, err := Open(root, Options{Alpha: "transparent", Masks: "masks"}); fault.ExitCode(err) != 2 {
		t.Errorf("--masks with --alpha transparent: %v", err)
	}
	writeMask(t, filepath.Join(root, "masks", "0001.png"), 80, 60, 0.5)
	says(t, open(t, root, Options{}).Warnings, "2 of 3 views without a mask, used whole: 0000.jpg; 0002.jpg")
	put(t, filepath.Join(root, "masks", "0001.png"), "no picture")
	refuses(t, root, Options{}, "0001.png", "not a picture")
}

func TestMasksFolderByName(t *testing.T) {
	root := colmapCapture(t, 1)
	writeMask(t, filepath.Join(root, "masks", "0000.png"), 80, 60, 0.5)
	writeMask(t, filepath.Join(root, "others", "0000.png"), 80, 60, 0.25)
	if got := usedShares(t, open(t, root, Options{Masks: "others"}), "")[0]; got != 75 {
		t.Errorf("%d %% used, want those of the folder that was named, 75", got)
	}
}

// Frames may name their masks.
func TestMaskPath(t *testing.T) {
	root, file := nerfstudioCapture(t, 2, nil)
	frame := func(i int, mask string) string {
		return fmt.Sprintf(`{"file_path": "images/000%d.jpg", "mask_path": %q, "transform_matrix": [[1,0,0,%d],[0,1,0,0],[0,0,1,0]]}`, i, mask, i)
	}
	write := func(masks ...string) {
		put(t, file, `{"fl_x": 90, "w": 80, "h": 60, "frames": [`+frame(0, masks[0])+","+frame(1, masks[1])+`]}`)
	}
	writeMask(t, filepath.Join(root, "m", "x.png"), 80, 60, 0.5)
	writeMask(t, filepath.Join(root, "m", "y.png"), 80, 60, 0.25)
	write("m/y.png", `.\m\x.png`)
	if got := usedShares(t, open(t, root, Options{}), ""); got[0] != 75 || got[1] != 50 {
		t.Errorf("%v %% used, want 75 and 50", got)
	}
	write("m/y.png", "m/z.png")
	refuses(t, root, Options{}, file, "0001", "z.png", "not there")
	write("m/y.png", "../m/x.png")
	refuses(t, root, Options{}, file, "leads out")
}

// A picture that is turned by EXIF has a mask that was made of the pixels as stored, or
// of what a viewer shows.
func TestFitMask(t *testing.T) {
	stored := imageio.Header{Width: 80, Height: 60, Orientation: 6}
	for _, c := range []struct {
		w, h int
		turn imageio.Orientation
		want imageio.Orientation
	}{{80, 60, 0, 0}, {40, 30, 6, 6}, {30, 40, 6, 0}, {60, 80, 6, 0}} {
		got, err := (&draftView{}).fitMask(imageio.Header{Width: c.w, Height: c.h}, stored, c.turn)
		if err != nil || got != c.want {
			t.Errorf("mask %dx%d, picture turned %d: %d, %v, want %d", c.w, c.h, c.turn, got, err, c.want)
		}
	}
	if _, err := (&draftView{}).fitMask(imageio.Header{Width: 60, Height: 80}, stored, 0); err == nil {
		t.Error("a mask across the picture is accepted")
	}
}
