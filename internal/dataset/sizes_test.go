package dataset

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"splat/internal/dataset/colmap/colmaptest"
	"splat/internal/geom"
)

func TestFits(t *testing.T) {
	for _, c := range []struct {
		w, h, cw, ch int
		want         bool
	}{
		{800, 533, 800, 533, true},
		{500, 375, 1000, 750, true},
		{504, 378, 4032, 3024, true},
		{1599, 1065, 3199, 2131, true}, // halves rounded down
		{1600, 1066, 3199, 2131, true}, // halves rounded up
		{389, 259, 3118, 2078, true},   // an eighth, both sides rounded down
		{2000, 1500, 1000, 750, true},  // larger than the camera's
		{375, 500, 1000, 750, false},   // turned
		{500, 380, 1000, 750, false},   // another shape
		{1000, 748, 1000, 750, false},  // cropped
		{1, 1, 1000, 750, true},        // too small to tell
	} {
		if got := fits(c.w, c.h, c.cw, c.ch); got != c.want {
			t.Errorf("%dx%d for %dx%d: %v", c.w, c.h, c.cw, c.ch, got)
		}
	}
}

func TestTarget(t *testing.T) {
	for _, c := range []struct {
		w, h, n, cw, ch    int
		downscale, maxSize int
		tw, th             int
		small              bool
	}{
		{800, 533, 1, 800, 533, 0, 0, 800, 533, false},
		{800, 533, 1, 800, 533, 1, 1920, 800, 533, false},
		{800, 533, 1, 800, 533, 2, 1920, 400, 267, false}, // 266.5 rounds up
		{800, 533, 1, 800, 533, 1000, 0, 1, 1, false},
		{4000, 3000, 1, 4000, 3000, 1, 1920, 1920, 1440, false},
		{1080, 1920, 1, 1080, 1920, 1, 1920, 1080, 1920, false}, // inclusive
		{1081, 1921, 1, 1081, 1921, 1, 1920, 1080, 1920, false},
		{5000, 3, 1, 5000, 3, 1, 100, 100, 1, false},
		{504, 378, 8, 4032, 3024, 1, 1920, 504, 378, false},
		{504, 378, 8, 4032, 3024, 8, 0, 504, 378, false},
		{504, 378, 8, 4032, 3024, 16, 0, 252, 189, false},
		{504, 378, 8, 4032, 3024, 4, 0, 504, 378, true},
		{504, 378, 8, 504, 378, 16, 0, 252, 189, false}, // the camera is for images_8 itself
		{390, 260, 8, 3118, 2078, 24, 0, 130, 87, false},
	} {
		tw, th, small := sizing{c.downscale, c.maxSize}.target(c.w, c.h, c.n, c.cw, c.ch)
		if tw != c.tw || th != c.th || small != c.small {
			t.Errorf("%+v: got %dx%d, small %v", c, tw, th, small)
		}
	}
}

// sized writes images (full size 81x61) and the reduced folders given, whose
// sizes are not exact fractions.
func sized(t *testing.T, folders map[string][2]int) string {
	t.Helper()
	root := t.TempDir()
	m := model(2)
	m.Cameras[0] = colmaptest.Pinhole(1, 81, 61)
	m.Write(t, filepath.Join(root, "sparse", "0"), true)
	for name, s := range folders {
		for i := range 2 {
			picture(t, filepath.Join(root, name, numbered(i)), s[0], s[1])
		}
	}
	return root
}

// A13 and CLI.md, "Which images".
func TestDownscale(t *testing.T) {
	full := map[string][2]int{"images": {81, 61}}
	both := map[string][2]int{"images": {81, 61}, "images_2": {40, 31}}
	only8 := map[string][2]int{"images_8": {10, 8}}
	two := map[string][2]int{"images_2": {41, 31}, "images_4": {20, 15}}
	other := map[string][2]int{"images": {81, 61}, "photos": {81, 61}, "photos_2": {41, 30}}
	for _, c := range []struct {
		name    string
		folders map[string][2]int
		o       Options
		folder  string
		w, h    int
		note    string
	}{
		{"full", both, Options{}, "images", 81, 61, ""},
		{"its folder, its actual size", both, Options{Downscale: 2}, "images_2", 40, 31, "images_2"},
		{"no folder: in memory", full, Options{Downscale: 2}, "images", 41, 31, ""},
		{"no folder of that number", both, Options{Downscale: 4}, "images", 20, 15, ""},
		{"only images_8", only8, Options{}, "images_8", 10, 8, "since there is no images folder"},
		{"only images_8, asked for", only8, Options{Downscale: 8}, "images_8", 10, 8, "images_8"},
		{"only images_8, less", only8, Options{Downscale: 16}, "images_8", 5, 4, "counts from full size"},
		{"only images_8, more", only8, Options{Downscale: 4}, "images_8", 10, 8, "smaller than 1/4 of full size"},
		{"two, exact", two, Options{Downscale: 4}, "images_4", 20, 15, "images_4"},
		{"two, the larger", two, Options{}, "images_2", 41, 31, "images_2"},
		{"two, between", two, Options{Downscale: 3}, "images_2", 27, 20, "images_2"},
		{"named", other, Options{Images: "photos"}, "photos", 81, 61, ""},
		{"named and reduced", other, Options{Images: "photos", Downscale: 2}, "photos_2", 41, 30, "photos_2"},
		{"named, in memory", other, Options{Images: "photos", Downscale: 4}, "photos", 20, 15, ""},
		{"named images_2", both, Options{Images: "images_2"}, "images_2", 40, 31, ""},
		{"named images_2, asked for", both, Options{Images: "images_2", Downscale: 2}, "images_2", 40, 31, ""},
		{"limited", full, Options{MaxSize: 50}, "images", 50, 38, "--max-size"},
		{"limited after reducing", full, Options{MaxSize: 40, Downscale: 2}, "images", 40, 30, "--max-size"},
		{"limit met", full, Options{MaxSize: 81}, "images", 81, 61, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := sized(t, c.folders)
			got := open(t, root, c.o)
			v := got.Views[1]
			if filepath.Dir(v.Image) != filepath.Join(root, c.folder) {
				t.Errorf("picture %s, want it from %s", v.Image, c.folder)
			}
			// Each axis by its own ratio.
			sx, sy := float64(c.w)/81, float64(c.h)/61
			want := geom.Camera{Model: "PINHOLE", Width: c.w, Height: c.h, Fx: 81 * sx, Fy: 81 * sy, Cx: 40.5 * sx, Cy: 30.5 * sy}
			if d := cmp.Diff(want, v.Camera, cmpopts.EquateApprox(1e-12, 0)); d != "" {
				t.Errorf("camera (-want +got)\n%s", d)
			}
			says(t, got.Notes, c.note)
			if len(got.Warnings) > 0 {
				t.Errorf("warnings %v", got.Warnings)
			}
		})
	}
	refuses(t, sized(t, both), Options{Images: "images_4"}, "--images images_4", "no such folder", "images, images_2, sparse")
	refuses(t, sized(t, both), Options{Images: filepath.Join(t.TempDir(), "no")}, "--images", "no such folder")
}

// A picture that the reduced folder lacks comes from images.
func TestDownscaleFillsGaps(t *testing.T) {
	root := sized(t, map[string][2]int{"images": {81, 61}})
	picture(t, filepath.Join(root, "images_2", numbered(0)), 40, 31)
	c := open(t, root, Options{Downscale: 2})
	if got := fmt.Sprint(c.Views[0].Camera.Width, c.Views[1].Camera.Width); got != "40 41" {
		t.Errorf("widths %s, want 40 from images_2 and 41 reduced", got)
	}
}

// A32: a camera per image, mixed sizes, each view limited on its own.
func TestMixedSizes(t *testing.T) {
	root := t.TempDir()
	m := model(3)
	m.Cameras = nil
	sizes := [][2]int{{160, 107}, {200, 150}, {80, 120}}
	for i, s := range sizes {
		m.Cameras = append(m.Cameras, colmaptest.Pinhole(uint32(i+1), s[0], s[1]))
		m.Images[i].CameraID = uint32(i + 1)
		picture(t, filepath.Join(root, "images", numbered(i)), s[0], s[1])
	}
	m.Write(t, filepath.Join(root, "sparse"), true)
	c := open(t, root, Options{MaxSize: 120})
	var got [][2]int
	for _, v := range c.Views {
		got = append(got, [2]int{v.Camera.Width, v.Camera.Height})
	}
	if d := cmp.Diff([][2]int{{120, 80}, {120, 90}, {80, 120}}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	says(t, c.Notes, "2 pictures reduced to a longest side of 120 pixels")
}

// Blender pictures below images follow the same rules.
func TestBlenderDownscale(t *testing.T) {
	root := t.TempDir()
	for i := range 2 {
		picture(t, filepath.Join(root, "images", numbered(i)), 80, 60)
		picture(t, filepath.Join(root, "images_4", numbered(i)), 20, 15)
	}
	transforms(t, filepath.Join(root, "transforms_train.json"), "images/0000.jpg", "./images/0001.jpg")
	for k, want := range map[int]string{1: "images 80", 2: "images 40", 4: "images_4 20"} {
		v := open(t, root, Options{Downscale: k}).Views[1]
		if got := fmt.Sprint(filepath.Base(filepath.Dir(v.Image)), " ", v.Camera.Width); got != want || v.Name != "images/0001" {
			t.Errorf("downscale %d: %s from %s, want %s", k, v.Name, got, want)
		}
	}
	v := open(t, root, Options{Images: "images_4"}).Views[1]
	if filepath.Base(filepath.Dir(v.Image)) != "images_4" || v.Camera.Width != 20 {
		t.Errorf("named folder: %+v", v)
	}
	refuses(t, root, Options{Images: "pics"}, "--images pics", "no such folder")
}
