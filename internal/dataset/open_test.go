package dataset

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"splat/internal/dataset/colmap/colmaptest"
	"splat/internal/geom"
)

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"empty", "notes", "several/a", "partial/sparse/0"} {
		if err := os.MkdirAll(at(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"scene.zip", "model.ply", "notes/readme.md", "other.json", "partial/sparse/0/images.bin", "clip/My Clip.MP4"} {
		put(t, at(f), "x")
	}
	picture(t, at("pics/a.jpg"), 8, 8)
	picture(t, at("shots/images/a.jpg"), 8, 8)
	picture(t, at("it's odd/a.jpg"), 8, 8)
	for name, want := range map[string][]string{
		"none":       {"no such file or folder"},
		"empty":      {"folder is empty"},
		"notes":      {"no capture", "transforms_train.json, transforms.json", "sparse/0", "found readme.md"},
		"partial":    {"no complete COLMAP model", "images.bin"},
		"scene.zip":  {"damaged zip file, or none", "bytes"},
		"model.ply":  {"is a file", "expected the folder of a capture"},
		"other.json": {"line 1: not valid JSON: "},
		"pics": {"pictures without cameras", "colmap feature_extractor --database_path " + at("pics-colmap/database.db") + " --image_path " + at("pics"),
			"colmap exhaustive_matcher", "sequential_matcher", "colmap mapper", "colmap image_undistorter", "splat train " + at("pics-colmap/undistorted")},
		"shots":            {"--image_path " + at("shots/images")},
		"it's odd":         {`--image_path '` + strings.ReplaceAll(at("it's odd"), "'", `'\''`) + `'`},
		"clip/My Clip.MP4": {"a video without cameras", "ffmpeg -i '" + at("clip/My Clip.MP4") + "'", "colmap sequential_matcher", "colmap image_undistorter"},
		"clip":             {"a video without cameras"},
	} {
		t.Run(name, func(t *testing.T) {
			refuses(t, at(name), Options{}, append(want, at(name))...)
			_, err := Open(at(name), Options{})
			if line, rest, _ := strings.Cut(err.Error(), "\n"); rest != "" && !strings.Contains(line, "without cameras") {
				t.Errorf("more than one line: %v", err)
			}
		})
	}
}

func TestPicturesInsideCapture(t *testing.T) {
	root := colmapCapture(t, 2)
	refuses(t, filepath.Join(root, "images"), Options{}, "a folder of pictures inside a capture", root)
}

func TestInfoJSON(t *testing.T) {
	c := open(t, colmapCapture(t, 9), Options{TestEvery: 8})
	got, err := json.Marshal(c.Info())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"capture","format":"colmap-binary","views":9,"train":7,"test":2,"points":2,` +
		`"cameras":[{"id":1,"model":"PINHOLE","width":80,"height":60}],"warnings":[]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTestEvery(t *testing.T) {
	root := colmapCapture(t, 5)
	for k, want := range map[int]int{0: 0, 1: 5, 2: 3, 4: 2, 5: 1, 8: 1} {
		c := open(t, root, Options{TestEvery: k})
		if got := len(c.TestViews()); got != want || len(c.Train()) != 5-want {
			t.Errorf("every %d: %d test views, want %d", k, got, want)
		}
		if (len(c.Warnings) > 0) != (k == 1) {
			t.Errorf("every %d: warnings %v", k, c.Warnings)
		}
	}
}

func TestExtent(t *testing.T) {
	at := func(test bool, pos ...geom.Vec3) []View {
		var views []View
		for _, p := range pos {
			views = append(views, View{Pose: geom.Pose{R: geom.Identity3, T: p.Scale(-1)}, Test: test})
		}
		return views
	}
	square := []geom.Vec3{{11, 0, 0}, {9, 0, 0}, {10, 1, 0}, {10, -1, 0}}
	points := &Points{XYZ: []float32{10, 0, 3, 10, 0, 5, 10, 0, 900}}
	for name, c := range map[string]struct {
		c      Capture
		center geom.Vec3
		radius float64
	}{
		"square":           {Capture{Views: at(false, square...)}, geom.Vec3{10, 0, 0}, 1},
		"test views apart": {Capture{Views: append(at(true, geom.Vec3{500, 0, 0}, geom.Vec3{900, 0, 0}), at(false, square...)...)}, geom.Vec3{10, 0, 0}, 1},
		"only test views":  {Capture{Views: at(true, square...)}, geom.Vec3{10, 0, 0}, 1},
		"one camera":       {Capture{Views: at(false, geom.Vec3{10, 0, 0})}, geom.Vec3{10, 0, 0}, 1},
		"one with points":  {Capture{Views: at(false, geom.Vec3{10, 0, 0}), Points: points}, geom.Vec3{10, 0, 0}, 5},
		"one place, far":   {Capture{Views: at(false, geom.Vec3{1e6, 0, 0}, geom.Vec3{1e6, 1e-9, 0})}, geom.Vec3{1e6, 5e-10, 0}, 1},
		"no views":         {Capture{}, geom.Vec3{}, 1},
		"two":              {Capture{Views: at(false, geom.Vec3{0, 0, 0}, geom.Vec3{0, 6, 0})}, geom.Vec3{0, 3, 0}, 3},
	} {
		center, radius := c.c.Extent()
		if d := cmp.Diff(c.center, center, cmpopts.EquateApprox(1e-12, 1e-12)); d != "" || math.Abs(radius-c.radius) > 1e-12 {
			t.Errorf("%s: centre %v, radius %g; want %v, %g", name, center, radius, c.center, c.radius)
		}
	}
}

func TestOrdinal(t *testing.T) {
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 8: "8th", 11: "11th", 12: "12th", 22: "22nd", 113: "113th"} {
		if got := ordinal(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// A PINHOLE camera shared by all, real pictures, real names.
func TestBonsai(t *testing.T) {
	root := testdata(t)
	c := open(t, filepath.Join(root, "bonsai"), Options{MaxSize: 1920, TestEvery: 8})
	want := Info{Kind: "capture", Format: "colmap-binary", Views: 292, Train: 255, Test: 37, Points: 44599,
		Cameras: []CameraInfo{{1, "PINHOLE", 800, 533}}, Warnings: []string{}}
	if d := cmp.Diff(want, c.Info()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	v := c.Views[0]
	if v.Name != "DSCF5565.JPG" || v.Label != v.Name || !v.Test || v.Camera.Width != 800 || math.Abs(v.Camera.Fx-826.86) > .01 {
		t.Errorf("first view %+v", v)
	}
	inFront := 0
	for i := 0; i < len(c.Points.XYZ); i += 3 {
		p := c.Points.XYZ[i:]
		if c.Views[100].Pose.Apply(geom.Vec3{float64(p[0]), float64(p[1]), float64(p[2])})[2] > 0 {
			inFront++
		}
	}
	if inFront < 20000 {
		t.Errorf("only %d of the points are in front of a camera", inFront)
	}
}

func TestLego(t *testing.T) {
	root := testdata(t)
	c := open(t, filepath.Join(root, "lego"), Options{MaxSize: 1920, TestEvery: 8})
	want := Info{Kind: "capture", Format: "blender", Views: 125, Train: 100, Test: 25, Cameras: []CameraInfo{{1, "PINHOLE", 800, 800}}, Warnings: []string{}}
	if d := cmp.Diff(want, c.Info()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	v := c.TestViews()[0]
	if v.Name != "test/r_0" || v.Label != "r_0" || math.Abs(v.Camera.Fx-1111.111) > .001 || v.Camera.Cx != 400 {
		t.Errorf("first test view %+v", v)
	}
}

func testdata(t *testing.T) string {
	t.Helper()
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set: it names the folder of real captures")
	}
	return root
}

// Opening reads headers only, many at a time.
func BenchmarkOpen5000(b *testing.B) {
	root := b.TempDir()
	m := model(0)
	m.Images = colmaptest.Around(5000, 1, 4, numbered)
	m.Write(b, filepath.Join(root, "sparse"), true)
	first := filepath.Join(root, "images", numbered(0))
	picture(b, first, 80, 60)
	for i := 1; i < 5000; i++ {
		if err := os.Link(first, filepath.Join(root, "images", numbered(i))); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := Open(root, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
