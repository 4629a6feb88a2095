package colmap

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/dataset/colmap/colmaptest"
	"splat/internal/fault"
	"splat/internal/geom"
)

// small is a model in which ids are no indices (A09).
var small = colmaptest.Model{
	Cameras: []colmaptest.Camera{colmaptest.Pinhole(9, 64, 48), {ID: 5, Model: "OPENCV", ModelID: 4, Width: 32, Height: 24, Params: []float64{30, 31, 16, 12, .1, 0, 0, 0}}},
	Images: []colmaptest.Image{
		{ID: 7, Q: [4]float64{1, 0, 0, 0}, T: [3]float64{1, 2, 3}, CameraID: 9, Name: "b.jpg", Observations: 4},
		{ID: 3, Q: [4]float64{.5, .5, .5, .5}, T: [3]float64{.25, -1e-7, 3e5}, CameraID: 5, Name: "A DJI 0002 (402).jpg", Observations: 0},
		{ID: 12, Q: [4]float64{0, 1, 0, 0}, CameraID: 9, Name: "例/画像 1.jpg", Observations: 5000},
	},
	Points: []colmaptest.Point{
		{XYZ: [3]float64{1, 2, 3}, RGB: [3]uint8{10, 20, 255}, Error: -1}, // A04
		{XYZ: [3]float64{math.NaN(), 2, 3}},
		{XYZ: [3]float64{4, 5, math.Inf(1)}},
		{XYZ: [3]float64{-4, .5, 0}, RGB: [3]uint8{1, 2, 3}, Error: .7, Track: []uint32{7, 99, 1}},
	},
}

func TestReadBothKinds(t *testing.T) {
	for _, bin := range []bool{true, false} {
		t.Run(fmt.Sprintf("binary %v", bin), func(t *testing.T) {
			dir := t.TempDir()
			small.Write(t, dir, bin)
			loc, ok := At(dir)
			if !ok || loc.Binary != bin {
				t.Fatalf("At = %+v, %v", loc, ok)
			}
			cams, err := ReadCameras(loc.Cameras, bin)
			if err != nil {
				t.Fatal(err)
			}
			wantCams := []Camera{{9, "PINHOLE", 64, 48, []float64{64, 64, 32, 24}}, {5, "OPENCV", 32, 24, []float64{30, 31, 16, 12, .1, 0, 0, 0}}}
			if d := cmp.Diff(wantCams, cams); d != "" {
				t.Errorf("cameras (-want +got)\n%s", d)
			}
			images, err := ReadImages(loc.Images, bin)
			if err != nil {
				t.Fatal(err)
			}
			wantImages := []Image{
				{7, 9, geom.Quat{1, 0, 0, 0}, geom.Vec3{1, 2, 3}, "b.jpg"},
				{3, 5, geom.Quat{.5, .5, .5, .5}, geom.Vec3{.25, -1e-7, 3e5}, "A DJI 0002 (402).jpg"},
				{12, 9, geom.Quat{0, 1, 0, 0}, geom.Vec3{}, "例/画像 1.jpg"},
			}
			if d := cmp.Diff(wantImages, images); d != "" {
				t.Errorf("images (-want +got)\n%s", d)
			}
			pts, err := ReadPoints(loc.Points, bin)
			if err != nil {
				t.Fatal(err)
			}
			wantPoints := &Points{XYZ: []float32{1, 2, 3, -4, .5, 0}, RGB: []uint8{10, 20, 255, 1, 2, 3}, Dropped: 2}
			if d := cmp.Diff(wantPoints, pts); d != "" {
				t.Errorf("points (-want +got)\n%s", d)
			}
			if n, err := loc.CountImages(); n != 3 || err != nil {
				t.Errorf("CountImages = %d, %v", n, err)
			}
		})
	}
}

// A01: names with spaces, exponents with three digits, Windows line ends, tabs, a
// byte order mark, comments between records.
func TestTextQuirks(t *testing.T) {
	l := newLines(strings.NewReader("\xef\xbb\xbf# head\r\n\r\n" +
		"1 1.0e+000 0 0 0 8.6e-002 -3 nan 1 A DJI 0002 (402).jpg\r\n\r\n" +
		"# between\n2\t1 0 0 0  1 2 3\t1 \tb.jpg\n1 2 18446744073709551615 3 4 -1 \n"))
	images, err := imagesText(l)
	if err != nil {
		t.Fatal(err)
	}
	if len(images) != 2 || images[0].Name != "A DJI 0002 (402).jpg" || images[1].Name != "b.jpg" || images[0].T[0] != 0.086 {
		t.Errorf("got %+v", images)
	}
	if images[0].PoseError() == "" || images[1].PoseError() != "" {
		t.Errorf("pose errors %q, %q; want only the first, for its nan", images[0].PoseError(), images[1].PoseError())
	}
}

func TestPoseError(t *testing.T) {
	for _, c := range []struct {
		im   Image
		want string
	}{
		{Image{Quat: geom.Quat{1, 0, 0, 0}}, ""},
		{Image{}, "its quaternion is zero"},
		{Image{Quat: geom.Quat{1, math.NaN(), 0, 0}}, "its pose is not finite or beyond 1e+15"},
		{Image{Quat: geom.Quat{1, 0, 0, 0}, T: geom.Vec3{0, math.Inf(-1), 0}}, "its pose is not finite or beyond 1e+15"},
		{Image{Quat: geom.Quat{1, 0, 0, 0}, T: geom.Vec3{0, 0, -2e15}}, "its pose is not finite or beyond 1e+15"},
		{Image{Quat: geom.Quat{1, 0, 0, 0}, T: geom.Vec3{0, 0, -1e15}}, ""},
		{Image{Quat: geom.Quat{1e200, 0, 0, 0}}, "its pose is not finite or beyond 1e+15"}, // its norm overflows
	} {
		if got := c.im.PoseError(); got != c.want {
			t.Errorf("%v %v: %q, want %q", c.im.Quat, c.im.T, got, c.want)
		}
	}
}

// A05: which models count as a pinhole.
func TestPinhole(t *testing.T) {
	for _, c := range []struct {
		model  string
		params []float64
		want   geom.Camera
		errs   []string
	}{
		{"SIMPLE_PINHOLE", []float64{50, 30, 20}, geom.Camera{Model: geom.SimplePinhole, Fx: 50, Fy: 50, Cx: 30, Cy: 20}, nil},
		{"PINHOLE", []float64{50, 51, 30, 20}, geom.Camera{Model: geom.Pinhole, Fx: 50, Fy: 51, Cx: 30, Cy: 20}, nil},
		{"SIMPLE_RADIAL", []float64{50, 30, 20, 0}, geom.Camera{Model: geom.Pinhole, Fx: 50, Fy: 50, Cx: 30, Cy: 20}, nil},
		{"RADIAL", []float64{50, 30, 20, 0, 0}, geom.Camera{Model: geom.Pinhole, Fx: 50, Fy: 50, Cx: 30, Cy: 20}, nil},
		{"OPENCV", []float64{50, 51, 30, 20, 0, 0, 0, 0}, geom.Camera{Model: geom.Pinhole, Fx: 50, Fy: 51, Cx: 30, Cy: 20}, nil},
		{"FULL_OPENCV", append([]float64{50, 51, 30, 20}, make([]float64, 8)...), geom.Camera{Model: geom.Pinhole, Fx: 50, Fy: 51, Cx: 30, Cy: 20}, nil},
		{"FULL_OPENCV", append(append([]float64{50, 51, 30, 20}, make([]float64, 7)...), 1e-9), geom.Camera{}, []string{"camera 4", "FULL_OPENCV", "coefficient 8"}},
		{"SIMPLE_RADIAL", []float64{50, 30, 20, .01}, geom.Camera{}, []string{"camera 4", "SIMPLE_RADIAL", "0.01"}},
		{"OPENCV_FISHEYE", []float64{50, 51, 30, 20, 0, 0, 0, 0}, geom.Camera{}, []string{"camera 4", "OPENCV_FISHEYE"}},
		{"EQUIRECTANGULAR", []float64{50, 51}, geom.Camera{}, []string{"camera 4", "EQUIRECTANGULAR"}},
		{"PINHOLE", []float64{50, -51, 30, 20}, geom.Camera{}, []string{"camera 4", "focal length"}},
		{"PINHOLE", []float64{50, 1e10, 30, 20}, geom.Camera{}, []string{"camera 4", "focal length 50, 1e+10"}},
		{"PINHOLE", []float64{50, 51, 30, -1e10}, geom.Camera{}, []string{"camera 4", "principal point 30, -1e+10"}},
		{"PINHOLE", []float64{50, 30, 20}, geom.Camera{}, []string{"3 parameters, expected 4"}},
		{"NEW_MODEL", []float64{50}, geom.Camera{}, []string{"camera 4", "NEW_MODEL"}},
	} {
		cam := Camera{4, c.model, 60, 40, c.params}
		got, err := cam.Pinhole()
		if c.errs == nil {
			c.want.Width, c.want.Height = 60, 40
			if d := cmp.Diff(c.want, got); err != nil || d != "" {
				t.Errorf("%s: %v (-want +got)\n%s", c.model, err, d)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s %v: accepted", c.model, c.params)
			continue
		}
		wantWords(t, err, c.errs...)
	}
}

func wantWords(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("message %q does not say %q", err, w)
		}
	}
}

// A12: each file cut at each byte is either whole or reported with its name, the
// record and the place.
func TestTruncatedBinary(t *testing.T) {
	m := small
	m.Images = m.Images[:2]
	for name, c := range map[string]struct {
		data []byte
		read func(path string) error
		what string
	}{
		"cameras.bin":  {m.CamerasBinary(), func(p string) error { _, err := ReadCameras(p, true); return err }, "camera"},
		"images.bin":   {m.ImagesBinary(), func(p string) error { _, err := ReadImages(p, true); return err }, "image"},
		"points3D.bin": {m.PointsBinary(), func(p string) error { _, err := ReadPoints(p, true); return err }, "point"},
	} {
		path := filepath.Join(t.TempDir(), name)
		for n := range c.data {
			if err := os.WriteFile(path, c.data[:n], 0o644); err != nil {
				t.Fatal(err)
			}
			err := c.read(path)
			wantWords(t, err, path, c.what)
			if err != nil && (fault.ExitCode(err) != 3 || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%s cut at %d: exit code %d: %v", name, n, fault.ExitCode(err), err)
			}
		}
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := c.read(path); err != nil {
			t.Errorf("%s whole: %v", name, err)
		}
	}
}

func TestTruncatedMessage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "images.bin")
	whole := small.ImagesBinary()
	if err := os.WriteFile(path, whole[:len(whole)-24], 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := ReadImages(path, true)
	wantWords(t, err, "image record 3 of 3", fmt.Sprintf("at byte %d", len(whole)-5000*24), "expected 5000 observations", "119976 more bytes")
}

func TestGiantCountsAllocateNothing(t *testing.T) {
	for _, n := range []uint64{1e18, math.MaxUint64, 3} {
		b := append(binary.LittleEndian.AppendUint64(nil, n), make([]byte, 100)...)
		for what, parse := range map[string]func(*reader) error{
			"camera": func(r *reader) error { _, err := camerasBinary(r); return err },
			"image":  func(r *reader) error { _, err := imagesBinary(r); return err },
			"point":  func(r *reader) error { return pointsBinary(r, &Points{}) },
		} {
			if n == 3 && what == "camera" {
				continue // three cameras of 24 bytes might fit, the damage shows later
			}
			err := withReader(bytes.NewReader(b), parse)
			wantWords(t, err, fmt.Sprintf("claims %d %ss", n, what), "100 bytes")
		}
	}
	m := colmaptest.Model{Images: []colmaptest.Image{{ID: 1, Name: "a"}}}
	b := m.ImagesBinary()
	binary.LittleEndian.PutUint64(b[len(b)-8:], 1<<62)
	err := withReader(bytes.NewReader(b), func(r *reader) error { _, err := imagesBinary(r); return err })
	wantWords(t, err, "image record 1 of 1", "observations")
}

func TestDamagedText(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		read func(*lines) error
		want []string
	}{
		"short point":      {"1 0 0 0 1 2 3 .5\n2 0 0 0 1\n", points, []string{"line 2", "5 fields", "POINT3D_ID"}},
		"colour":           {"1 0 0 0 1 2 256 .5\n", points, []string{"line 1", `"256"`, "0 to 255"}},
		"coordinate":       {"1 0 0,5 0 1 2 3 .5\n", points, []string{"line 1", `"0,5"`, "number"}},
		"no name":          {"#\n1 1 0 0 0 0 0 0 1\n\n", imagesOf, []string{"line 2", "9 fields", "NAME"}},
		"id":               {"x 1 0 0 0 0 0 0 1 a\n\n", imagesOf, []string{"line 1", "image id", `"x"`}},
		"camera id":        {"1 1 0 0 0 0 0 0 1.5 a\n\n", imagesOf, []string{"line 1", "camera id of image 1"}},
		"pose":             {"1 1 0 0 0 0 zero 0 1 a\n\n", imagesOf, []string{"line 1", "image 1", `"zero"`}},
		"no empty line":    {"1 1 0 0 0 0 0 0 1 a.jpg\n2 1 0 0 0 0 0 0 1 b c d.jpg\n", imagesOf, []string{"line 2", "observations of image 1"}},
		"cut observations": {"1 1 0 0 0 0 0 0 1 a.jpg\n1 2 -1 3\n", imagesOf, []string{"line 2", "observations of image 1"}},
		"model":            {"1 PINHOL 10 10 1 1 5 5\n", camerasOf, []string{"line 1", "camera 1", `"PINHOL"`, "PINHOLE"}},
		"parameters":       {"1 PINHOLE 10 10 1 1 5\n", camerasOf, []string{"line 1", "PINHOLE", "3 parameters, expected 4"}},
		"size":             {"1 PINHOLE -10 10 1 1 5 5\n", camerasOf, []string{"line 1", `"-10"`}},
		"camera fields":    {"1 PINHOLE\n", camerasOf, []string{"line 1", "2 fields"}},
	} {
		t.Run(name, func(t *testing.T) { wantWords(t, c.read(newLines(strings.NewReader(c.text))), c.want...) })
	}
}

func points(l *lines) error    { return pointsText(l, &Points{}) }
func imagesOf(l *lines) error  { _, err := imagesText(l); return err }
func camerasOf(l *lines) error { _, err := camerasText(l); return err }

func TestCheckCameras(t *testing.T) {
	ok := Camera{1, "PINHOLE", 10, 10, []float64{1, 1, 1, 1}}
	for name, c := range map[string]struct {
		cams []Camera
		want []string
	}{
		"twice":      {[]Camera{ok, ok}, []string{"camera 1", "twice"}},
		"size":       {[]Camera{{1, "PINHOLE", 0, 10, nil}}, []string{"camera 1", "0x10"}},
		"huge":       {[]Camera{{1, "PINHOLE", 10, clampSide(1 << 63), nil}}, []string{"camera 1"}},
		"non-finite": {[]Camera{{1, "PINHOLE", 10, 10, []float64{1, math.NaN()}}}, []string{"camera 1", "parameter 2", "NaN"}},
	} {
		t.Run(name, func(t *testing.T) {
			wantWords(t, checkCameras("cameras.txt", c.cams), append(c.want, "cameras.txt")...)
		})
	}
	if err := checkCameras("", []Camera{ok}); err != nil {
		t.Error(err)
	}
}

func TestUnknownModelID(t *testing.T) {
	m := colmaptest.Model{Cameras: []colmaptest.Camera{{ID: 6, ModelID: 77, Width: 1, Height: 1, Params: []float64{1}}}}
	err := withReader(bytes.NewReader(m.CamerasBinary()), func(r *reader) error { _, err := camerasBinary(r); return err })
	wantWords(t, err, "camera record 1 of 1", "camera 6", "model id 77")
}
