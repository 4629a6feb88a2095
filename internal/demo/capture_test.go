package demo

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splat/internal/dataset/blender"
	"splat/internal/fault"
	"splat/internal/geom"
)

// written is one view as a reader finds it.
type written struct {
	name string
	pose geom.Pose
	cam  geom.Camera
	img  *image.NRGBA
}

// readCapture reads one split from disk, its geometry by the definition of the
// format: camera axes x right, y up, z backward, field of view across the width.
func readCapture(t *testing.T, dir, split string) []written {
	t.Helper()
	var doc struct {
		Angle  float64 `json:"camera_angle_x"`
		Frames []struct {
			Path   string        `json:"file_path"`
			Matrix [4][4]float64 `json:"transform_matrix"`
		} `json:"frames"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "transforms_"+split+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var views []written
	for _, f := range doc.Frames {
		img := readPNG(t, filepath.Join(dir, f.Path+".png"))
		w, h := img.Bounds().Dx(), img.Bounds().Dy()
		focal := float64(w) / 2 / math.Tan(doc.Angle/2)
		views = append(views, written{
			name: f.Path,
			pose: worldToCamera(f.Matrix),
			cam: geom.Camera{Model: geom.Pinhole, Width: w, Height: h,
				Fx: focal, Fy: focal, Cx: float64(w) / 2, Cy: float64(h) / 2},
			img: img,
		})
	}
	return views
}

func readPNG(t *testing.T, path string) *image.NRGBA {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	nrgba, ok := img.(*image.NRGBA)
	if !ok {
		t.Fatalf("%s: a %T, want straight RGBA", path, img)
	}
	return nrgba
}

// worldToCamera inverts a rigid matrix and turns y and z around.
func worldToCamera(m [4][4]float64) geom.Pose {
	var toWorld geom.Mat3
	var centre geom.Vec3
	for i := range 3 {
		copy(toWorld[3*i:], m[i][:3])
		centre[i] = m[i][3]
	}
	r := geom.Mat3{1, 0, 0, 0, -1, 0, 0, 0, -1}.Mul(toWorld.T())
	return geom.Pose{R: r, T: r.MulVec(centre).Scale(-1)}
}

func project(v written, p geom.Vec3) (x, y float64) {
	q := v.pose.Apply(p)
	return v.cam.Fx*q[0]/q[2] + v.cam.Cx, v.cam.Fy*q[1]/q[2] + v.cam.Cy
}

// centroid returns the mean position, weighted with alpha, and alpha's sum.
func centroid(m *image.NRGBA) (x, y, area float64) {
	for i := range m.Rect.Dx() * m.Rect.Dy() {
		a := float64(m.Pix[4*i+3]) / 255
		x += a * (float64(i%m.Rect.Dx()) + 0.5)
		y += a * (float64(i/m.Rect.Dx()) + 0.5)
		area += a
	}
	return x / area, y / area, area
}

// A lone ball must be drawn where the written matrix projects its centre, as
// large as its radius says, whichever side of the scene it is on.
func TestBallIsDrawnWhereTheMatrixSays(t *testing.T) {
	const r = 0.15
	for _, at := range []geom.Vec3{{0.8, 0, 0}, {0, 0.8, 0}, {0, 0, 0.8}, {-0.5, 0.3, -0.4}} {
		dir := t.TempDir()
		s := &scene{[]*object{ball(at[0], at[1], at[2], r, upright, material{albedo: plain(hex(0xffffff))})}}
		o, err := Options{Size: 160, Train: 5, Test: 2, Seed: 3}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		if err := writeCapture(t.Context(), dir, o, s); err != nil {
			t.Fatal(err)
		}
		for _, v := range append(readCapture(t, dir, "train"), readCapture(t, dir, "test")...) {
			x, y, area := centroid(v.img)
			px, py := project(v, at)
			if off := math.Hypot(x-px, y-py); !(off < 0.15) {
				t.Errorf("ball at %v, %s: drawn at (%.2f, %.2f), the matrix says (%.2f, %.2f)", at, v.name, x, y, px, py)
			}
			depth := v.pose.Apply(at)[2]
			if want := math.Pi * math.Pow(v.cam.Fx*r/depth, 2); math.Abs(area/want-1) > 0.03 {
				t.Errorf("ball at %v, %s: alpha sums to %.1f pixels, want about %.1f", at, v.name, area, want)
			}
		}
	}
}

func TestReaderSeesTheSamePoses(t *testing.T) {
	dir := t.TempDir()
	if err := WriteCapture(t.Context(), dir, Options{Size: 16, Train: 5, Test: 2}); err != nil {
		t.Fatal(err)
	}
	for _, split := range []string{"train", "test"} {
		file, err := blender.Read(filepath.Join(dir, "transforms_"+split+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(file.Skipped) > 0 {
			t.Errorf("%s: skipped %v", split, file.Skipped)
		}
		views := readCapture(t, dir, split)
		if len(file.Frames) != len(views) {
			t.Fatalf("%s: %d frames, want %d", split, len(file.Frames), len(views))
		}
		for i, f := range file.Frames {
			if d := cmp.Diff(views[i].pose, f.Pose, closeEnough); d != "" {
				t.Errorf("%s: pose (-want +got):\n%s", f.FilePath, d)
			}
		}
	}
}

var closeEnough = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })

func TestWrittenFiles(t *testing.T) {
	dir := t.TempDir()
	if err := WriteCapture(t.Context(), dir, Options{Size: 16, Train: 3, Test: 2}); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			got = append(got, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"test/r_0.png", "test/r_1.png", "train/r_0.png", "train/r_1.png", "train/r_2.png",
		"transforms_test.json", "transforms_train.json"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

func TestTransformsHaveTheShapeOfNeRFSynthetic(t *testing.T) {
	dir := t.TempDir()
	if err := WriteCapture(t.Context(), dir, Options{Size: 16, Train: 4, Test: 3}); err != nil {
		t.Fatal(err)
	}
	for split, n := range map[string]int{"train": 4, "test": 3} {
		data, err := os.ReadFile(filepath.Join(dir, "transforms_"+split+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		if angle, _ := doc["camera_angle_x"].(float64); math.Abs(angle-0.698) > 0.001 {
			t.Errorf("%s: camera_angle_x %v, want 40 degrees in radians", split, doc["camera_angle_x"])
		}
		frames, _ := doc["frames"].([]any)
		if len(frames) != n {
			t.Fatalf("%s: %d frames, want %d", split, len(frames), n)
		}
		for i, f := range frames {
			path, _ := f.(map[string]any)["file_path"].(string)
			if want := "./" + split + "/" + viewName(i); path != want {
				t.Errorf("%s: frame %d is %q, want %q", split, i, path, want)
			}
		}
	}
}

func TestCamerasSitOnTheUpperHemisphereAndSeeTheOrigin(t *testing.T) {
	o := Options{Size: 16, Train: 24, Test: 6, Seed: 9}
	for i, c := range append(trainCameras(o), testCameras(o)...) {
		p := worldToCamera(c.toWorld)
		if d := p.R.Det(); math.Abs(d-1) > 1e-12 {
			t.Errorf("camera %d: determinant %v", i, d)
		}
		if c := p.Center(); math.Abs(c.Norm()-cameraDistance) > 1e-12 || c[2] < 0.5 {
			t.Errorf("camera %d at %v", i, c)
		}
		if o := p.Apply(geom.Vec3{}); math.Abs(o[0])+math.Abs(o[1]) > 1e-12 || o[2] < 3.9 {
			t.Errorf("camera %d sees the origin at %v", i, o)
		}
		if up := p.R.MulVec(geom.Vec3{0, 0, 1}); up[1] >= 0 {
			t.Errorf("camera %d is upside down", i)
		}
	}
}

func TestTestViewsLieBetweenTheTrainingViews(t *testing.T) {
	for _, o := range []Options{{Train: 24, Test: 6}, {Train: 7, Test: 30}, {Train: 1, Test: 1}, {Train: 100, Test: 25}} {
		o.Size = 16
		spacing := math.Sqrt(2 * math.Pi * (highest - lowest) / float64(o.Train)) // radians
		train := trainCameras(o)
		seen := map[[4][4]float64]bool{}
		for k, c := range testCameras(o) {
			if seen[c.toWorld] {
				t.Errorf("%+v: test view %d repeats another one", o, k)
			}
			seen[c.toWorld] = true
			for i, other := range train {
				if a := angle(c, other); a < 0.2*min(spacing, 1) {
					t.Errorf("%+v: test view %d is %.1f degrees from training view %d", o, k, a*180/math.Pi, i)
				}
			}
		}
	}
}

// angle between two cameras as seen from the origin, in radians.
func angle(a, b camera) float64 {
	pa, pb := worldToCamera(a.toWorld).Center().Unit(), worldToCamera(b.toWorld).Center().Unit()
	return math.Acos(min(max(pa.Dot(pb), -1), 1))
}

func TestPicturesShowTheSceneOnATransparentGround(t *testing.T) {
	dir := t.TempDir()
	if err := WriteCapture(t.Context(), dir, Options{Size: 64, Train: 6, Test: 2}); err != nil {
		t.Fatal(err)
	}
	for _, v := range append(readCapture(t, dir, "train"), readCapture(t, dir, "test")...) {
		covered, soft, colours := 0, 0, map[[3]uint8]bool{}
		for p := v.img.Pix; len(p) > 0; p = p[4:] {
			switch {
			case p[3] == 0 && p[0]|p[1]|p[2] != 0:
				t.Fatalf("%s: colour %v under alpha 0", v.name, p[:3])
			case p[3] > 0:
				covered++
				colours[[3]uint8(p[:3])] = true
			}
			if p[3] > 0 && p[3] < 255 {
				soft++
			}
		}
		if part := float64(covered) / (64 * 64); part < 0.05 || part > 0.60 {
			t.Errorf("%s: %.0f%% of the pixels are covered, want 5 to 60", v.name, 100*part)
		}
		if soft < 30 {
			t.Errorf("%s: only %d pixels have an alpha between 0 and 255", v.name, soft)
		}
		if len(colours) < 300 {
			t.Errorf("%s: only %d colours", v.name, len(colours))
		}
		for i := range 64 { // the whole scene is in the picture
			if v.img.NRGBAAt(i, 0).A|v.img.NRGBAAt(i, 63).A|v.img.NRGBAAt(0, i).A|v.img.NRGBAAt(63, i).A != 0 {
				t.Fatalf("%s: the border is not empty", v.name)
			}
		}
	}
}

// Who no longer wants the capture does not wait for it, and what is there is not
// taken for one.
func TestWriteCaptureEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	first := filepath.Join(dir, "train", "r_0.png")
	go func() {
		for {
			if _, err := os.Stat(first); err == nil || ctx.Err() != nil {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	err := WriteCapture(ctx, dir, Options{Size: 32, Train: MaxViews, Test: 1, Threads: 2})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("found %v, expected that it was cancelled", err)
	}
	if made, _ := filepath.Glob(filepath.Join(dir, "transforms_*")); len(made) != 0 {
		t.Errorf("it looks complete: %v", made)
	}
	cancel()
}

func TestSameBytesForAnyNumberOfThreads(t *testing.T) {
	content := func(o Options) map[string]string {
		dir := t.TempDir()
		if err := WriteCapture(t.Context(), dir, o); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(filepath.Join(dir, path))
			files[path] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	one := content(Options{Size: 32, Train: 3, Test: 1, Seed: 5, Threads: 1})
	for path, data := range content(Options{Size: 32, Train: 3, Test: 1, Seed: 5, Threads: 7}) {
		if one[path] != data {
			t.Errorf("%s differs between 1 and 7 threads", path)
		}
	}
	other := content(Options{Size: 32, Train: 3, Test: 1, Seed: 6})
	if one["transforms_train.json"] == other["transforms_train.json"] || one["train/r_0.png"] == other["train/r_0.png"] {
		t.Error("another seed gives the same capture")
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Size: 7}, `size is 7, expected 8 to 4096`},
		{Options{Size: -1}, `size is -1`},
		{Options{Train: -2}, `train views is -2`},
		{Options{Test: 10001}, `test views is 10001`},
		{Options{Threads: -1}, `threads is -1`},
	} {
		dir := filepath.Join(t.TempDir(), "capture")
		err := WriteCapture(t.Context(), dir, c.o)
		if fault.ExitCode(err) != int(fault.Usage) || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%+v: %v, want a usage error with %q", c.o, err, c.want)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: the folder was made", c.o)
		}
	}
}

func TestDefaults(t *testing.T) {
	o, err := Options{}.withDefaults()
	if err != nil || o.Size != 160 || o.Train != 24 || o.Test != 6 || o.Threads < 1 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteCapture(t.Context(), filepath.Join(file, "capture"), Options{Size: 8, Train: 1, Test: 1}); err == nil {
		t.Error("no error for a folder inside a file")
	}
}
