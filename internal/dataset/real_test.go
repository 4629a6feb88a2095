package dataset

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/geom"
	"splat/internal/splatio/ply"
)

// withPLY reads clouds as the program does.
func withPLY(t *testing.T) {
	old := ReadPLY
	ReadPLY = ply.ReadPoints
	t.Cleanup(func() { ReadPLY = old })
}

// Captures that need lenses this program does not have yet say which.
func TestUnsupportedRealCaptures(t *testing.T) {
	root := testdata(t)
	withPLY(t)
	for name, want := range map[string][]string{
		"fox":                            {"camera 1", "OPENCV"},
		"cattoy":                         {"SIMPLE_RADIAL"},
		"multicam_table":                 {"OPENCV"},
		"desk":                           {"distorted", "OPENCV"},
		"fern":                           {"SIMPLE_RADIAL"},
		"plush11":                        {"transforms.json", "OPENCV", "k1 is 0.1084"},
		"cattoy/transforms_train.json":   {"transforms_train.json", "frame 0 (images/12.png)", "k1 is -0.1149", "not supported yet"},
		"fox/transforms.json":            {"fox/transforms.json", "OPENCV", "k1 is 0.05784", "not supported yet"},
		"multicam_table/transforms.json": {"frame 0 (./images/robot/000000-color.jpg)", "OPENCV"},
		"splats":                         {"no capture"},
		"lego/train":                     {"inside a capture"},
	} {
		t.Run(name, func(t *testing.T) { refuses(t, filepath.Join(root, name), Options{}, want...) })
	}
}

// What the SOURCE.txt of each folder says.
func TestLookAtRealCaptures(t *testing.T) {
	root := testdata(t)
	withPLY(t)
	camera := func(n int, model geom.Model, w, h int) []CameraInfo {
		var list []CameraInfo
		for i := range n {
			list = append(list, CameraInfo{i + 1, model, w, h})
		}
		return list
	}
	for name, c := range map[string]struct {
		want     Info
		warnings int
		said     []string
	}{
		"fox": {Info{Format: "colmap-binary", Views: 50, Train: 43, Test: 7, Points: 7201, Cameras: camera(1, "OPENCV", 1080, 1920)}, 1,
			[]string{"sparse/0 is read, not transforms.json, transforms_ply.json: name the file", "not to be trained on yet"}},
		"fox/transforms.json": {Info{Format: "nerfstudio", Views: 50, Train: 43, Test: 7, Cameras: camera(1, "OPENCV", 1080, 1920)}, 2,
			[]string{"50 views of 67 frames", "17 of 67 pictures missing", "images/0005.jpg", "sparse_pc.ply is not used", "no initial points"}},
		"fox/transforms_ply.json": {Info{Format: "nerfstudio", Views: 50, Train: 43, Test: 7, Points: 6448, Cameras: camera(1, "OPENCV", 1080, 1920)}, 1,
			[]string{"points from " + filepath.Join(root, "fox", "sparse_pc.ply")}},
		"plush11": {Info{Format: "nerfstudio", Views: 11, Train: 9, Test: 2, Points: 28162, Cameras: camera(1, "OPENCV", 5712, 4284)}, 1,
			[]string{"since there is no images folder", "applied_transform is taken as done", "not transforms_full.json"}},
		"plush11/transforms_full.json": {Info{Format: "nerfstudio", Views: 11, Train: 9, Test: 2, Points: 28162, Cameras: camera(1, "OPENCV", 5712, 4284)}, 2,
			[]string{"100 of 111 pictures missing"}},
		"multicam_table/transforms.json": {Info{Format: "nerfstudio", Views: 42, Train: 36, Test: 6, Cameras: camera(2, "OPENCV", 640, 480)}, 1, nil},
		"cattoy/transforms_test.json":    {Info{Format: "blender", Views: 78, Train: 70, Test: 8, Cameras: camera(1, "OPENCV", 720, 540)}, 1, nil},
		"fern":                           {Info{Format: "colmap-binary", Views: 20, Train: 17, Test: 3, Points: 10091, Cameras: camera(1, "SIMPLE_RADIAL", 4032, 3024)}, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := open(t, filepath.Join(root, name), Options{MaxSize: 1920, TestEvery: 8, AnyLens: true})
			c.want.Kind, c.want.Warnings = "capture", got.Warnings
			if d := cmp.Diff(c.want, got.Info()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if len(got.Warnings) != c.warnings {
				t.Errorf("%d warnings, want %d: %q", len(got.Warnings), c.warnings, got.Warnings)
			}
			says(t, append(got.Notes, got.Warnings...), c.said...)
		})
	}
}

// Pictures of plush11 are a quarter of what its camera declares, and K counts from
// full size.
func TestPlushSizes(t *testing.T) {
	root := filepath.Join(testdata(t), "plush11")
	withPLY(t)
	for k, want := range map[int]string{1: "1428x1071", 4: "1428x1071", 8: "714x536", 2: "1428x1071"} {
		c := open(t, root, Options{Downscale: k, AnyLens: true})
		v := c.Views[0].Camera
		if got := fmt.Sprintf("%dx%d", v.Width, v.Height); got != want || math.Abs(v.Fx-4158.0468*float64(v.Width)/5712) > .01 || math.Abs(v.Cy-2147.081*float64(v.Height)/4284) > .01 {
			t.Errorf("downscale %d: %s, fx %g, cy %g", k, got, v.Fx, v.Cy)
		}
		if strings.Contains(strings.Join(c.Notes, "\n"), "smaller than") != (k == 2) {
			t.Errorf("downscale %d: %q", k, c.Notes)
		}
	}
	c := open(t, root, Options{Images: "images_4", AnyLens: true})
	if v := c.Views[0]; v.Camera.Width != 1428 || len(c.Views) != 11 {
		t.Errorf("named folder: %d views, %+v", len(c.Views), v.Camera)
	}
	refuses(t, root, Options{Images: "images_2", AnyLens: true}, "--images images_2", "images_4")
}

// Cloud and poses share one frame: a point has its colour in the pictures that see
// it. Distortion is left out here, which moves points by some pixels; a wrong axis
// or a transform applied twice would leave no likeness at all.
func TestCloudLiesInThePictures(t *testing.T) {
	root := testdata(t)
	withPLY(t)
	for _, name := range []string{"fox/transforms_ply.json", "plush11/transforms.json"} {
		t.Run(name, func(t *testing.T) {
			c := open(t, filepath.Join(root, name), Options{Downscale: 16, AnyLens: true})
			views := c.Views[:5]
			right := colourError(t, c.Points, views)
			flipped := slices.Clone(views)
			for i := range flipped {
				p := &flipped[i].Pose // y up and z up change places, as applied_transform does
				for r := range 3 {
					p.R[3*r+1], p.R[3*r+2] = -p.R[3*r+2], p.R[3*r+1]
				}
			}
			wrong := colourError(t, c.Points, flipped)
			t.Logf("median difference %.1f levels, %.1f with the axes turned", right, wrong)
			if right > 35 || right > 0.6*wrong {
				t.Errorf("points differ from the pictures by %.1f levels, with the axes turned by %.1f", right, wrong)
			}
		})
	}
}

// colourError is the median difference, in levels a channel, of points from the
// pixels that they fall on.
func colourError(t *testing.T, pts *Points, views []View) float64 {
	t.Helper()
	var diff []float64
	for i, m := range load(t, LoadOptions{}, views...) {
		cam := views[i].Camera
		for n := range pts.Len() {
			p := pts.XYZ[3*n:]
			q := views[i].Pose.Apply(geom.Vec3{float64(p[0]), float64(p[1]), float64(p[2])})
			x, y := math.Floor(cam.Fx*q[0]/q[2]+cam.Cx), math.Floor(cam.Fy*q[1]/q[2]+cam.Cy)
			if q[2] <= 0.01 || x < 0 || y < 0 || x >= float64(cam.Width) || y >= float64(cam.Height) {
				continue
			}
			for ch := range 3 {
				diff = append(diff, math.Abs(float64(m.Pix[4*(int(y)*m.Width+int(x))+ch])-float64(pts.RGB[3*n+ch])))
			}
		}
	}
	if len(diff) < 1000 {
		t.Fatalf("only %d colours fall into the pictures", len(diff))
	}
	return median(diff)
}
