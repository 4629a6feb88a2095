package dataset

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"splat/internal/dataset/colmap/colmaptest"
	"splat/internal/geom"
)

// A05: with Undistort distorted cameras become pinholes of the same size, masks and
// reductions included; without it they are refused with a hint.
func TestUndistortCOLMAP(t *testing.T) {
	root := filepath.Join(t.TempDir(), "scene")
	m := model(2)
	m.Cameras = []colmaptest.Camera{{ID: 1, Model: "OPENCV", ModelID: 4, Width: 80, Height: 60, Params: []float64{70, 72, 40, 30, 0.1, -0.02, 0.001, 0}}}
	writeCOLMAP(t, m, filepath.Join(root, "sparse", "0"), filepath.Join(root, "images"), true, 80, 60)
	refuses(t, root, Options{}, "OPENCV", "--undistort")
	c := open(t, root, Options{Undistort: true})
	says(t, c.Notes, "lens distortion (OPENCV) of 1 camera is undone")
	for _, v := range c.Views {
		if v.Camera.Model != geom.Pinhole || v.Camera.Width != 80 || v.Bend == nil || v.Camera.Fx == 70 || v.Camera.Cx != 40 {
			t.Errorf("%+v, bend %+v", v.Camera, v.Bend)
		}
	}
	if c.Cameras[0].Model != "OPENCV" || len(c.Warnings) > 0 {
		t.Errorf("cameras %+v, warnings %q", c.Cameras, c.Warnings)
	}
	writeMask(t, filepath.Join(root, "masks", "0000.png"), 80, 60, 0.5)
	writeMask(t, filepath.Join(root, "masks", "0001.png"), 80, 60, 0.5)
	half := open(t, root, Options{Undistort: true, Downscale: 2})
	if v := half.Views[0]; v.Camera.Width != 40 || v.Bend.From.Fx != 35 || v.Camera.Fx != c.Views[0].Camera.Fx/2 {
		t.Errorf("reduced: %+v, from %+v", v.Camera, v.Bend.From)
	}
	for _, n := range usedShares(t, half, "") {
		if n < 45 || n > 55 {
			t.Errorf("%d %% of the pixels are used, want about half", n)
		}
	}
}

func TestUndistortNerfstudio(t *testing.T) {
	root, file := nerfstudioCapture(t, 2, object{"k1": 0.25})
	refuses(t, root, Options{}, file, "--undistort")
	c := open(t, root, Options{Undistort: true})
	if v := c.Views[0]; v.Camera.Model != geom.Pinhole || v.Bend == nil || v.Bend.Lens.P[0] != 0.25 {
		t.Errorf("%+v, bend %+v", v.Camera, v.Bend)
	}
	root, _ = nerfstudioCapture(t, 2, object{"camera_model": "EQUIRECTANGULAR"})
	refuses(t, root, Options{Undistort: true}, "EQUIRECTANGULAR")
	root, _ = nerfstudioCapture(t, 2, nil)
	if c := open(t, root, Options{Undistort: true}); c.Views[0].Bend != nil {
		t.Error("a pinhole is undistorted")
	}
}

// Real captures with distortion open with it, each with pictures that fit.
func TestUndistortRealCaptures(t *testing.T) {
	data := os.Getenv("SPLAT_TESTDATA")
	if data == "" {
		t.Skip("SPLAT_TESTDATA is not set")
	}
	withPLY(t)
	for name, views := range map[string]int{"fox": 50, "multicam_table": 42, "cattoy": 78, "plush11": 11, "fern": 20, "desk": 29} {
		c := open(t, filepath.Join(data, name), Options{Undistort: true, Downscale: 8})
		if len(c.Views) != views {
			t.Errorf("%s: %d views, want %d", name, len(c.Views), views)
		}
		images, err := Load(context.Background(), c.Views[:2], LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range images {
			if v := c.Views[i]; v.Camera.Model != geom.Pinhole || m.Width != v.Camera.Width || m.Height != v.Camera.Height {
				t.Errorf("%s: %s: %dx%d, camera %+v", name, v.Name, m.Width, m.Height, v.Camera)
			}
		}
	}
}
