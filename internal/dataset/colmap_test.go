package dataset

import (
	"fmt"
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

func TestCOLMAPBothKinds(t *testing.T) {
	for _, bin := range []bool{true, false} {
		root := t.TempDir()
		writeCOLMAP(t, model(9), filepath.Join(root, "sparse", "0"), filepath.Join(root, "images"), bin, 80, 60)
		c := open(t, root, Options{TestEvery: 8})
		want := Info{
			Kind: "capture", Format: map[bool]string{true: "colmap-binary", false: "colmap-text"}[bin],
			Views: 9, Train: 7, Test: 2, Points: 2,
			Cameras:  []CameraInfo{{1, "PINHOLE", 80, 60}},
			Warnings: []string{},
		}
		if d := cmp.Diff(want, c.Info()); d != "" {
			t.Errorf("info (-want +got)\n%s", d)
		}
		// The first view by name is held out, then every eighth.
		if d := cmp.Diff([]string{"0000.jpg", "0008.jpg"}, viewNames(c.TestViews())); d != "" {
			t.Errorf("test views (-want +got)\n%s", d)
		}
		if d := cmp.Diff(&Points{XYZ: []float32{1, 2, 3, 0, 0, 1}, RGB: []uint8{9, 8, 7, 0, 0, 0}}, c.Points); d != "" {
			t.Errorf("points (-want +got)\n%s", d)
		}
		v := c.Views[3]
		if d := cmp.Diff(geom.Camera{Model: "PINHOLE", Width: 80, Height: 60, Fx: 80, Fy: 80, Cx: 40, Cy: 30}, v.Camera); d != "" {
			t.Errorf("camera (-want +got)\n%s", d)
		}
		if d := cmp.Diff(geom.Vec3{0, 0, 4}, v.Pose.Apply(geom.Vec3{}), cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Errorf("the origin in the camera (-want +got)\n%s", d)
		}
	}
}

// A01, A65: names with spaces and letters of any script, in any folder.
func TestCOLMAPNames(t *testing.T) {
	names := []string{"A DJI 0002 (402).jpg", "Été/画像 1.jpg", "nur klein.jpg"}
	for _, bin := range []bool{true, false} {
		root := filepath.Join(t.TempDir(), "Dossiers triés", "例")
		m := model(0)
		m.Images = colmaptest.Around(3, 1, 4, func(i int) string { return names[i] })
		writeCOLMAP(t, m, filepath.Join(root, "sparse", "0"), filepath.Join(root, "images"), bin, 80, 60)
		c := open(t, root, Options{})
		if d := cmp.Diff([]string{names[0], names[2], names[1]}, viewNames(c.Views)); d != "" {
			t.Errorf("binary %v (-want +got)\n%s", bin, d)
		}
		if c.Name != "例" || len(c.Warnings) > 0 {
			t.Errorf("name %q, warnings %v", c.Name, c.Warnings)
		}
	}
}

// A02: case of model files and of pictures.
func TestCOLMAPCase(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "Sparse", "0")
	model(2).Write(t, dir, false)
	for _, n := range []string{"cameras.txt", "images.txt", "points3D.txt"} {
		if err := os.Rename(filepath.Join(dir, n), filepath.Join(dir, strings.ToUpper(n[:1])+n[1:])); err != nil {
			t.Fatal(err)
		}
	}
	picture(t, filepath.Join(root, "Images", "0000.JPG"), 80, 60)
	picture(t, filepath.Join(root, "Images", "0001.jpg"), 80, 60)
	picture(t, filepath.Join(root, "Images", "0001.JPG"), 80, 60) // the exact name wins
	c := open(t, root, Options{})
	if filepath.Base(c.Views[0].Image) != "0000.JPG" || filepath.Base(c.Views[1].Image) != "0001.jpg" || c.Points.Len() != 2 {
		t.Errorf("got %+v", c.Views)
	}
	says(t, c.Notes, "1 picture found in another case")

	picture(t, filepath.Join(root, "Images", "0000.Jpg"), 80, 60)
	c = open(t, root, Options{})
	if len(c.Views) != 1 {
		t.Errorf("a name that fits two files was given to one: %+v", c.Views[0])
	}
}

// A03: Mac sidecars and system files.
func TestCOLMAPSidecars(t *testing.T) {
	root := colmapCapture(t, 3)
	for _, n := range []string{"sparse/0/._images.bin", "sparse/0/._cameras.txt", "sparse/.DS_Store", "images/._0001.jpg", "images/Thumbs.db", "._sparse", "__MACOSX/x"} {
		put(t, filepath.Join(root, n), "junk")
	}
	c := open(t, root, Options{})
	if len(c.Views) != 3 || len(c.Warnings) != 0 || c.Format != "colmap-binary" {
		t.Errorf("%d views, %s, warnings %v", len(c.Views), c.Format, c.Warnings)
	}
}

// A05: lenses that are not supported are refused by name and id, when used.
func TestCOLMAPLenses(t *testing.T) {
	opencv := func(k1 float64) colmaptest.Camera {
		return colmaptest.Camera{ID: 5, Model: "OPENCV", ModelID: 4, Width: 80, Height: 60, Params: []float64{80, 80, 40, 30, k1, 0, 0, 0}}
	}
	capture := func(cam colmaptest.Camera, used bool) string {
		root := t.TempDir()
		m := model(3)
		m.Cameras = append(m.Cameras, cam)
		if used {
			m.Images[1].CameraID = cam.ID
		}
		writeCOLMAP(t, m, filepath.Join(root, "sparse"), filepath.Join(root, "images"), true, 80, 60)
		return root
	}
	refuses(t, capture(opencv(.1), true), Options{}, "cameras.bin", "camera 5", "OPENCV", "coefficient 1 is 0.1", "image_undistorter")
	refuses(t, capture(colmaptest.Camera{ID: 5, Model: "FOV", ModelID: 7, Width: 8, Height: 6, Params: []float64{8, 8, 4, 3, .9}}, true), Options{}, "camera 5", "FOV")
	c := open(t, capture(opencv(.1), false), Options{})
	if len(c.Cameras) != 2 {
		t.Errorf("cameras %v", c.Cameras)
	}
	c = open(t, capture(opencv(0), true), Options{})
	says(t, c.Notes, "camera 5: OPENCV without distortion is read as PINHOLE")
	if d := cmp.Diff([]CameraInfo{{1, "PINHOLE", 80, 60}, {5, "OPENCV", 80, 60}}, c.Cameras); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// COLMAP's automatic workspace: the distorted model in sparse, the good one in dense.
func TestCOLMAPUndistortedElsewhere(t *testing.T) {
	root := t.TempDir()
	distorted := model(3)
	distorted.Cameras[0] = colmaptest.Camera{ID: 1, Model: "SIMPLE_RADIAL", ModelID: 2, Width: 80, Height: 60, Params: []float64{80, 40, 30, .1}}
	writeCOLMAP(t, distorted, filepath.Join(root, "sparse", "0"), filepath.Join(root, "images"), true, 80, 60)
	writeCOLMAP(t, model(3), filepath.Join(root, "dense", "0", "sparse"), filepath.Join(root, "dense", "0", "images"), true, 80, 60)
	c := open(t, root, Options{})
	if !strings.HasPrefix(c.Views[0].Image, filepath.Join(root, "dense", "0", "images")) {
		t.Errorf("picture %s, want the undistorted one", c.Views[0].Image)
	}
	says(t, c.Notes, "SIMPLE_RADIAL", filepath.Join("dense", "0", "sparse")+" is used")
}

// A06: two models.
func TestCOLMAPSeveralModels(t *testing.T) {
	root := t.TempDir()
	writeCOLMAP(t, model(2), filepath.Join(root, "sparse", "0"), filepath.Join(root, "images"), true, 8, 6)
	writeCOLMAP(t, model(40), filepath.Join(root, "sparse", "1"), filepath.Join(root, "images"), true, 8, 6)
	c := open(t, root, Options{})
	if len(c.Views) != 40 {
		t.Errorf("%d views", len(c.Views))
	}
	says(t, c.Notes, "0 has 2 images", "1 has 40 images", "1 is used")
	if c := open(t, root, Options{Sparse: "sparse/0"}); len(c.Views) != 2 {
		t.Errorf("--sparse sparse/0 gives %d views", len(c.Views))
	}
	refuses(t, root, Options{Sparse: "sparse/7"}, "--sparse sparse/7", "no such folder", "images, sparse")
	refuses(t, root, Options{Sparse: "images"}, "--sparse images", "no COLMAP model")
}

// A07: layouts.
func TestCOLMAPLayouts(t *testing.T) {
	for _, c := range []struct{ sparse, images, root string }{
		{"sparse/0", "images", ""},
		{"sparse", "images", ""},
		{"colmap/sparse/0", "images", ""},
		{"colmap/sparse/0", "colmap/images", ""},
		{"colmap", "images", ""},
		{"dense/0/sparse", "dense/0/images", ""},
		{"dense/sparse", "dense/images", ""},
		{".", "images", ""},
		{"images", "images", ""},
		{".", ".", ""},
		{"distorted/sparse/0", "input", ""},
		{"sparse/0", "images", "scene-main"},
		{"sparse/0", "images", "scene main (1)"},
	} {
		t.Run(fmt.Sprintf("%s %s %s", c.sparse, c.images, c.root), func(t *testing.T) {
			top := t.TempDir()
			root := filepath.Join(top, c.root)
			writeCOLMAP(t, model(3), filepath.Join(root, c.sparse), filepath.Join(root, c.images), false, 80, 60)
			put(t, filepath.Join(top, "__MACOSX", "sparse", "0", "cameras.bin"), "")
			got := open(t, top, Options{})
			if len(got.Views) != 3 || len(got.Warnings) > 0 {
				t.Errorf("%d views, warnings %v", len(got.Views), got.Warnings)
			}
			if want := filepath.Join(root, c.images, "0000.jpg"); got.Views[0].Image != want {
				t.Errorf("picture %s, want %s", got.Views[0].Image, want)
			}
			if c.root != "" {
				says(t, got.Notes, "the capture is in the folder "+root)
			}
		})
	}
}

func TestCOLMAPTwoKinds(t *testing.T) {
	root := colmapCapture(t, 3)
	model(2).Write(t, filepath.Join(root, "sparse", "0"), false)
	c := open(t, root, Options{})
	if len(c.Views) != 3 || c.Format != "colmap-binary" {
		t.Errorf("%d views of %s", len(c.Views), c.Format)
	}
	says(t, c.Notes, "the binary one is used")
}

func TestCOLMAPIncomplete(t *testing.T) {
	root := colmapCapture(t, 2)
	if err := os.Remove(filepath.Join(root, "sparse", "0", "cameras.bin")); err != nil {
		t.Fatal(err)
	}
	refuses(t, root, Options{}, "no complete COLMAP model", "colmap/sparse/0", filepath.Join("sparse", "0", "images.bin"))
}

// A08: missing pictures.
func TestCOLMAPMissingPictures(t *testing.T) {
	root := colmapCapture(t, 10)
	remove := func(i int) {
		if err := os.Remove(filepath.Join(root, "images", numbered(i))); err != nil {
			t.Fatal(err)
		}
	}
	remove(3)
	remove(7)
	c := open(t, root, Options{})
	if len(c.Views) != 8 {
		t.Errorf("%d views", len(c.Views))
	}
	says(t, c.Warnings, "2 of 10 pictures missing in "+filepath.Join(root, "images"), "0003.jpg; 0007.jpg")

	picture(t, filepath.Join(root, "images", "0003.png"), 80, 60)
	c = open(t, root, Options{})
	if len(c.Views) != 9 {
		t.Errorf("%d views with another ending", len(c.Views))
	}
	says(t, c.Notes, "0003.jpg -> 0003.png")

	for i := range 10 {
		if i != 3 && i != 7 {
			remove(i)
		}
	}
	if err := os.Remove(filepath.Join(root, "images", "0003.png")); err != nil {
		t.Fatal(err)
	}
	refuses(t, root, Options{}, "none of its 10 pictures", `"0000.jpg"`, filepath.Join(root, "images"))
}

// A09: ids in any order, with gaps, and tracks of absent images.
func TestCOLMAPIds(t *testing.T) {
	root := t.TempDir()
	m := colmaptest.Model{
		Cameras: []colmaptest.Camera{colmaptest.Pinhole(9, 40, 30), colmaptest.Pinhole(5, 80, 60)},
		Images: []colmaptest.Image{
			{ID: 7, Q: [4]float64{1, 0, 0, 0}, T: [3]float64{7, 0, 1}, CameraID: 9, Name: "c.png"},
			{ID: 3, Q: [4]float64{1, 0, 0, 0}, T: [3]float64{3, 0, 1}, CameraID: 5, Name: "a.png"},
			{ID: 12, Q: [4]float64{1, 0, 0, 0}, T: [3]float64{12, 0, 1}, CameraID: 9, Name: "b.png"},
		},
		Points: []colmaptest.Point{{XYZ: [3]float64{1, 1, 1}, Track: []uint32{3, 999, 1 << 31}}},
	}
	m.Write(t, filepath.Join(root, "sparse", "0"), true)
	for name, w := range map[string]int{"a": 80, "b": 40, "c": 40} {
		picture(t, filepath.Join(root, "images", name+".png"), w, w*3/4)
	}
	c := open(t, root, Options{})
	for i, want := range []struct {
		name string
		cam  int
		x    float64
		w    int
	}{{"a.png", 5, 3, 80}, {"b.png", 9, 12, 40}, {"c.png", 9, 7, 40}} {
		v := c.Views[i]
		if v.Name != want.name || v.CameraID != want.cam || v.Pose.T[0] != want.x || v.Camera.Width != want.w {
			t.Errorf("view %d: %+v, want %+v", i, v, want)
		}
	}
	if d := cmp.Diff([]int{5, 9}, []int{c.Cameras[0].ID, c.Cameras[1].ID}); d != "" {
		t.Errorf("cameras (-want +got)\n%s", d)
	}
	m.Images[1].CameraID = 6
	m.Write(t, filepath.Join(root, "sparse", "0"), true)
	refuses(t, root, Options{}, "image 3 (a.png)", "camera 6", "not in", "cameras.bin")
}

// A10: an outlier camera moves neither centre nor radius, but is named.
func TestOutlierCamera(t *testing.T) {
	root := colmapCapture(t, 20)
	center, radius := open(t, root, Options{}).Extent()
	if math.Abs(radius-4) > .2 || center.Norm() > .5 {
		t.Errorf("centre %v, radius %g; want about the origin and 4", center, radius)
	}
	m := model(21)
	m.Images = append(colmaptest.Around(20, 1, 4, numbered), m.Images[20])
	m.Images[20].T = [3]float64{0, 0, 4e4}
	writeCOLMAP(t, m, filepath.Join(root, "sparse", "0"), filepath.Join(root, "images"), true, 80, 60)
	c := open(t, root, Options{})
	says(t, c.Warnings, "1 camera far outside", "0020.jpg")
	if _, r := c.Extent(); math.Abs(r-radius) > .5 {
		t.Errorf("radius %g with the outlier, %g without", r, radius)
	}
}

// A11: the camera's size is not the picture's.
func TestCOLMAPCameraOfAnotherSize(t *testing.T) {
	capture := func(w, h int) string {
		root := t.TempDir()
		m := model(2)
		m.Cameras[0] = colmaptest.Camera{ID: 1, Model: "PINHOLE", ModelID: 1, Width: 1000, Height: 750, Params: []float64{900, 800, 510, 370}}
		writeCOLMAP(t, m, filepath.Join(root, "sparse"), filepath.Join(root, "images"), true, w, h)
		return root
	}
	for _, c := range []struct {
		w, h int
		want geom.Camera
	}{
		{500, 375, geom.Camera{Fx: 450, Fy: 400, Cx: 255, Cy: 185}},
		{2000, 1500, geom.Camera{Fx: 1800, Fy: 1600, Cx: 1020, Cy: 740}},
		{333, 250, geom.Camera{Fx: 900 * .333, Fy: 800. / 3, Cx: 510 * .333, Cy: 370. / 3}}, // rounded
	} {
		c.want.Model, c.want.Width, c.want.Height = "PINHOLE", c.w, c.h
		got := open(t, capture(c.w, c.h), Options{})
		if d := cmp.Diff(c.want, got.Views[0].Camera, cmpopts.EquateApprox(1e-12, 0)); d != "" {
			t.Errorf("%dx%d (-want +got)\n%s", c.w, c.h, d)
		}
		says(t, got.Notes, "intrinsics are scaled")
		if d := cmp.Diff([]CameraInfo{{1, "PINHOLE", 1000, 750}}, got.Cameras); d != "" {
			t.Errorf("declared cameras (-want +got)\n%s", d)
		}
	}
	refuses(t, capture(500, 400), Options{}, "0000.jpg", "500x400", "camera 1", "1000x750")
	refuses(t, capture(375, 500), Options{}, "375x500", "1000x750")
}

// A12: damage is reported with the file's name.
func TestCOLMAPDamage(t *testing.T) {
	root := colmapCapture(t, 4)
	put(t, filepath.Join(root, "images", "0002.jpg"), "this is text")
	refuses(t, root, Options{}, "0002.jpg", `text "this is text"`, "expected PNG")
	for i := range 4 {
		put(t, filepath.Join(root, "images", numbered(i)), "")
	}
	refuses(t, root, Options{}, "0000.jpg", "an empty file", "3 pictures more of 4")

	images := filepath.Join(root, "sparse", "0", "images.bin")
	data := model(4).ImagesBinary()
	put(t, images, string(data[:len(data)-40]))
	refuses(t, root, Options{}, images, "image record 4 of 4", "at byte")
	put(t, images, string(model(0).ImagesBinary()))
	refuses(t, root, Options{}, images, "no images")
	put(t, images, string(data))
	points := filepath.Join(root, "sparse", "0", "points3D.bin")
	put(t, points, "\xff\xff\xff\xff\xff\xff\xff\x0f")
	for i := range 4 {
		picture(t, filepath.Join(root, "images", numbered(i)), 80, 60)
	}
	refuses(t, root, Options{}, points, "claims 1152921504606846975 points")
}

// A14: backslashes, sub-folders, and names that lead out of the folder.
func TestCOLMAPSeparators(t *testing.T) {
	root := filepath.Join(t.TempDir(), "scene")
	m := model(0)
	names := []string{`cam0\0001.png`, `cam1/0001.png`, `../outside.png`, `..\other.png`, filepath.Join(root, "images", "cam1", "0001.png")}
	m.Images = colmaptest.Around(len(names), 1, 4, func(i int) string { return names[i] })
	m.Write(t, filepath.Join(root, "sparse", "0"), true)
	for _, p := range []string{"images/cam0/0001.png", "images/cam1/0001.png", "../outside.png", "outside.png"} {
		picture(t, filepath.Join(root, p), 80, 60)
	}
	c := open(t, root, Options{})
	if d := cmp.Diff([]string{"cam0/0001.png", "cam1/0001.png"}, viewNames(c.Views)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if got, want := c.Views[0].Image, filepath.Join(root, "images", "cam0", "0001.png"); got != want {
		t.Errorf("picture %s, want %s", got, want)
	}
	says(t, c.Warnings, "3 of 5 pictures missing", `../outside.png (leads out of the folder)`)
}

// A15: points from a PLY where points3D is absent.
func TestCOLMAPPointsFromPLY(t *testing.T) {
	root := colmapCapture(t, 3)
	dir := filepath.Join(root, "sparse", "0")
	ply := filepath.Join(dir, "points3D.ply")
	put(t, ply, "ply")
	defer func(old func(string) ([]float32, []uint8, error)) { ReadPLY = old }(ReadPLY)
	nan := float32(math.NaN())
	ReadPLY = func(path string) ([]float32, []uint8, error) {
		if path != ply {
			return nil, nil, fmt.Errorf("asked for %s", path)
		}
		return []float32{1, 2, 3, nan, 0, 0, 4, 5, 6}, []uint8{1, 2, 3, 0, 0, 0, 4, 5, 6}, nil
	}
	c := open(t, root, Options{})
	if c.Points.XYZ[0] != 1 || c.Points.Len() != 2 {
		t.Errorf("points %v", c.Points)
	}
	says(t, c.Notes, "points from "+filepath.Join(dir, "points3D.bin")+", not from "+ply)

	if err := os.Remove(filepath.Join(dir, "points3D.bin")); err != nil {
		t.Fatal(err)
	}
	c = open(t, root, Options{})
	if d := cmp.Diff(&Points{XYZ: []float32{1, 2, 3, 4, 5, 6}, RGB: []uint8{1, 2, 3, 4, 5, 6}}, c.Points); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	says(t, c.Notes, "points from "+ply)
	says(t, c.Warnings, "1 point left out")
	if err := os.Remove(ply); err != nil {
		t.Fatal(err)
	}
	c = open(t, root, Options{})
	if c.Points != nil {
		t.Errorf("points %v out of nothing", c.Points)
	}
	says(t, c.Notes, "holds no points3D", "no initial points")
}

// A20: poses that are none.
func TestCOLMAPBadPoses(t *testing.T) {
	root := t.TempDir()
	m := model(5)
	m.Images[1].Q = [4]float64{}
	m.Images[3].T[1] = math.NaN()
	m.Images[4].Name = m.Images[0].Name
	writeCOLMAP(t, m, filepath.Join(root, "sparse"), filepath.Join(root, "images"), false, 80, 60)
	c := open(t, root, Options{})
	if d := cmp.Diff([]string{"0000.jpg", "0002.jpg"}, viewNames(c.Views)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	says(t, c.Warnings, "3 of 5 images left out", "image 2 (0001.jpg): its quaternion is zero", "image 4 (0003.jpg): its pose is not finite", "image 5 (0000.jpg): its name is there twice")
	m.Images = m.Images[1:2]
	m.Write(t, filepath.Join(root, "sparse"), false)
	refuses(t, root, Options{}, "images.txt", "none of 1 image can be used", "quaternion is zero")
}

// COLMAP 3.12 and later write rigs and frames beside the model, which say again what the
// images' poses say.
func TestCOLMAPRigsAndFrames(t *testing.T) {
	for _, ext := range []string{".bin", ".txt"} {
		root := filepath.Join(t.TempDir(), "scene")
		sparse := filepath.Join(root, "sparse", "0")
		writeCOLMAP(t, model(3), sparse, filepath.Join(root, "images"), ext == ".bin", 80, 60)
		want := open(t, root, Options{})
		put(t, filepath.Join(sparse, "rigs"+ext), "\x01\x00\x00")
		put(t, filepath.Join(sparse, "frames"+ext), "\xff\xff")
		got := open(t, root, Options{})
		if d := cmp.Diff(want.Views, got.Views); d != "" || len(got.Warnings) > 0 {
			t.Errorf("%s: %q (-want +got)\n%s", ext, got.Warnings, d)
		}
	}
}
