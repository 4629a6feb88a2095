package dataset

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/dataset/colmap/colmaptest"
	"splat/internal/geom"
)

// object is the members of a JSON object.
type object map[string]any

// writeJSON writes a transforms.json with a frame for each path, of a camera of
// 80x60 unless root says otherwise.
func writeJSON(t *testing.T, path string, root object, files ...string) {
	t.Helper()
	var frames []object
	for i, f := range files {
		frames = append(frames, object{"file_path": f, "transform_matrix": matrix(i)})
	}
	writeFrames(t, path, root, frames...)
}

func writeFrames(t *testing.T, path string, root object, frames ...object) {
	t.Helper()
	doc := object{"fl_x": 90, "fl_y": 91, "cx": 40, "cy": 30, "w": 80, "h": 60, "frames": frames}
	for k, v := range root {
		doc[k] = v
	}
	data, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, string(data))
}

// nerfstudioCapture is a transforms.json with n pictures of 80x60 in images.
func nerfstudioCapture(t *testing.T, n int, root object) (dir, file string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "room")
	file = filepath.Join(dir, "transforms.json")
	var files []string
	for i := range n {
		files = append(files, "images/"+numbered(i))
		picture(t, filepath.Join(dir, "images", numbered(i)), 80, 60)
	}
	writeJSON(t, file, root, files...)
	return dir, file
}

// images returns the place of each view's picture in root, by the view's name.
func images(t *testing.T, c *Capture, root string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, v := range c.Views {
		rel, err := filepath.Rel(root, v.Image)
		if err != nil {
			t.Fatal(err)
		}
		got[v.Name] = filepath.ToSlash(rel)
	}
	return got
}

func TestNerfstudio(t *testing.T) {
	root, file := nerfstudioCapture(t, 9, object{"camera_model": "OPENCV", "k1": 0, "p2": 0.0, "aabb_scale": 16})
	for _, path := range []string{root, file, root + "/"} {
		c := open(t, path, Options{TestEvery: 8})
		want := Info{Kind: "capture", Format: "nerfstudio", Views: 9, Train: 7, Test: 2, Cameras: []CameraInfo{{1, "OPENCV", 80, 60}}, Warnings: []string{}}
		if d := cmp.Diff(want, c.Info()); d != "" {
			t.Errorf("info (-want +got)\n%s", d)
		}
		if c.Name != "room" || c.Root != root || c.Path != path {
			t.Errorf("name %q, root %q, path %q", c.Name, c.Root, c.Path)
		}
		v := c.Views[1]
		if d := cmp.Diff(geom.Camera{Model: "PINHOLE", Width: 80, Height: 60, Fx: 90, Fy: 91, Cx: 40, Cy: 30}, v.Camera); d != "" {
			t.Errorf("camera (-want +got)\n%s", d)
		}
		if v.Name != "images/0001" || v.Label != "0001" || v.CameraID != 1 {
			t.Errorf("view %+v", v)
		}
		says(t, c.Notes, file+": 9 views of 9 frames", "OPENCV without distortion is read as PINHOLE", "no initial points")
	}
}

// A14, A17, A19: how paths are written, and where pictures are.
func TestNerfstudioPaths(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"images/a.jpg", "images/cam0/0.png", "images/cam1/0.png", "images/b.c.jpeg", "photos/d.webp", "e.png", "画像/é 1.png"} {
		picture(t, filepath.Join(root, p), 80, 60)
	}
	writeJSON(t, filepath.Join(root, "transforms.json"), nil,
		"./images/a.jpg", `images\cam0\0.png`, "/mnt/some disk/room/images/cam1/0.png", `C:\captures\room\images\b.c`, "photos/d.png", "e", "画像/é 1.png",
		"images/none.jpg", "../room/images/a.jpg", "/elsewhere/none.png")
	c := open(t, root, Options{})
	want := map[string]string{
		"images/a": "images/a.jpg", "images/cam0/0": "images/cam0/0.png", "images/cam1/0": "images/cam1/0.png", "images/b.c": "images/b.c.jpeg",
		"photos/d": "photos/d.webp", "e": "e.png", "画像/é 1": "画像/é 1.png",
	}
	if d := cmp.Diff(want, images(t, c, root)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	says(t, c.Warnings, "3 of 10 pictures missing in "+root, "images/none.jpg", "../room/images/a.jpg (leads out of the folder)", "/elsewhere/none.png")
	says(t, c.Notes, "2 absolute paths looked up inside the capture", "/mnt/some disk/room/images/cam1/0.png -> images/cam1/0.png", "another ending: photos/d.png -> photos/d.webp")
}

// Two paths that end alike must not become one picture twice.
func TestNerfstudioPathsThatMeet(t *testing.T) {
	root := t.TempDir()
	picture(t, filepath.Join(root, "0.png"), 80, 60)
	writeJSON(t, filepath.Join(root, "transforms.json"), nil, "/a/cam0/0.png", "/a/cam1/0.png")
	c := open(t, root, Options{})
	says(t, c.Warnings, "frame 1 (/a/cam1/0.png): its picture is there twice")
	if len(c.Views) != 1 {
		t.Errorf("%d views", len(c.Views))
	}
}

// The camera is for full size and only a reduced folder is there; --images and
// --downscale as everywhere.
func TestNerfstudioReduced(t *testing.T) {
	root := t.TempDir()
	picture(t, filepath.Join(root, "images_4", "a.jpg"), 20, 15)
	picture(t, filepath.Join(root, "pics_2", "images", "a.jpg"), 40, 30)
	picture(t, filepath.Join(root, "pics", "a.jpg"), 80, 60)
	writeJSON(t, filepath.Join(root, "transforms.json"), nil, "images/a.jpg")
	for _, c := range []struct {
		o      Options
		width  int
		folder string
	}{
		{Options{}, 20, "images_4"},
		{Options{Downscale: 8}, 10, "images_4"},
		{Options{Images: "pics"}, 80, "pics"},
		{Options{Images: "pics", Downscale: 2}, 40, "pics_2/images"},
		{Options{Images: "images_4", Downscale: 8}, 10, "images_4"},
	} {
		got := open(t, root, c.o)
		v := got.Views[0]
		if v.Camera.Width != c.width || v.Camera.Fx != 90*float64(c.width)/80 || filepath.Dir(v.Image) != filepath.Join(root, filepath.FromSlash(c.folder)) {
			t.Errorf("%+v: %s, %+v", c.o, v.Image, v.Camera)
		}
	}
	says(t, open(t, root, Options{}).Notes, "pictures from "+filepath.Join(root, "images_4"), "since there is no images folder")
	// A path through the reduced folder itself counts from full size too.
	writeJSON(t, filepath.Join(root, "transforms.json"), nil, "images_4/a.jpg")
	for k, want := range map[int]int{1: 20, 4: 20, 8: 10} {
		if v := open(t, root, Options{Downscale: k}).Views[0]; v.Camera.Width != want || v.Camera.Fx != 90*float64(want)/80 {
			t.Errorf("images_4 by name, downscale %d: %+v", k, v.Camera)
		}
	}
}

// One entry for each distinct lens, however often it is written down.
func TestNerfstudioCameras(t *testing.T) {
	root := t.TempDir()
	var frames []object
	for i, own := range []object{{}, {"fl_x": 90.0, "fl_y": 91}, {"fl_x": 95}, {"w": 40, "h": 30}, {"camera_angle_x": 0.5}, {"fl_x": 95}} {
		picture(t, filepath.Join(root, numbered(i)), 80, 60)
		own["file_path"], own["transform_matrix"] = numbered(i), matrix(i)
		frames = append(frames, own)
	}
	writeFrames(t, filepath.Join(root, "transforms.json"), nil, frames...)
	c := open(t, root, Options{})
	var ids []int
	for _, v := range c.Views {
		ids = append(ids, v.CameraID)
	}
	if d := cmp.Diff([]int{1, 1, 2, 3, 4, 2}, ids); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if len(c.Cameras) != 4 || c.Cameras[2] != (CameraInfo{3, "PINHOLE", 40, 30}) {
		t.Errorf("cameras %v", c.Cameras)
	}
}

func TestNerfstudioSplit(t *testing.T) {
	split := func(train, val, test []int) *Capture {
		lists := object{}
		for name, list := range map[string][]int{"train_filenames": train, "val_filenames": val, "test_filenames": test} {
			files := []string{}
			for _, i := range list {
				files = append(files, "./images/"+numbered(i))
			}
			lists[name] = files
		}
		root, _ := nerfstudioCapture(t, 4, lists)
		return open(t, root, Options{TestEvery: 2})
	}
	check := func(c *Capture, train, test []string, notes, warnings []string) {
		t.Helper()
		if d := cmp.Diff(train, labels(c.Train())); d != "" {
			t.Errorf("train (-want +got)\n%s", d)
		}
		if d := cmp.Diff(test, labels(c.TestViews())); d != "" {
			t.Errorf("test (-want +got)\n%s", d)
		}
		says(t, c.Notes, notes...)
		says(t, c.Warnings, warnings...)
		if len(c.Warnings) != len(warnings) {
			t.Errorf("warnings %q", c.Warnings)
		}
	}
	check(split([]int{0, 2}, []int{1}, []int{3}), []string{"0000", "0002"}, []string{"0003"},
		[]string{"the test views are test_filenames", "val_filenames is not used", "3 views of 4 frames"}, nil)
	check(split([]int{0, 1}, []int{3}, nil), []string{"0000", "0001"}, []string{"0003"},
		[]string{"val_filenames"}, []string{"1 frame in neither train_filenames nor val_filenames, left out: images/0002.jpg"})
	check(split([]int{0, 1, 2}, nil, nil), []string{"0000", "0001", "0002"}, []string{"0003"}, []string{"train_filenames leaves"}, nil)
	check(split(nil, nil, []int{3, 9}), []string{"0000", "0001", "0002"}, []string{"0003"}, nil, []string{"1 name in train_filenames, val_filenames or test_filenames without a frame: ./images/0009.jpg"})
	check(split([]int{0, 1, 2, 3}, nil, []int{3}), []string{"0000", "0001", "0002"}, []string{"0003"}, nil, []string{"1 picture for both training and testing, used for testing only: ./images/0003.jpg"})
	check(split(nil, nil, nil), []string{"0001", "0003"}, []string{"0000", "0002"}, []string{"every 2nd view by name"}, nil)
	check(split([]int{0, 1, 2, 3}, nil, nil), []string{"0001", "0003"}, []string{"0000", "0002"}, []string{"every 2nd view by name"}, nil)
}

// A18, A19, A20 and what is not supported yet: said, with count and names.
func TestNerfstudioOddFrames(t *testing.T) {
	root, file := nerfstudioCapture(t, 3, nil)
	put(t, file, `{"fl_x": 90, "w": 80, "h": 60, "frames": [
		{"file_path": "images/0000.jpg", "depth_file_path": "d.png", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0]]},
		{"file_path": "images/0001.jpg", "transform_matrix": [[1,0,0,NaN],[0,1,0,0],[0,0,1,0]]},
		{"file_path": "images/0002.jpg"}]}`)
	c := open(t, root, Options{})
	if d := cmp.Diff([]string{"0000"}, labels(c.Views)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	says(t, c.Warnings, file+": 2 of 3 frames left out", "frame 1 (images/0001.jpg): transform_matrix holds a number that is not finite", "frame 2 (images/0002.jpg): no transform_matrix")
}

func TestNerfstudioRefusals(t *testing.T) {
	root, file := nerfstudioCapture(t, 2, object{"k1": 0.25})
	refuses(t, root, Options{}, file, "frame 0 (images/0000.jpg)", "OPENCV", "k1 is 0.25")
	c := open(t, root, Options{AnyLens: true})
	if len(c.Views) != 2 || c.Views[0].Camera.Model != "OPENCV" {
		t.Errorf("%d views, %+v", len(c.Views), c.Views[0].Camera)
	}
	says(t, c.Warnings, "not to be trained on yet: "+file, "k1 is 0.25")

	for name, want := range map[string][]string{
		"{\n \"fl_x\": 1,\n \"frames\": [\n  {\"file_path\": \"a\",}\n ]\n}": {"line 4"},
		`{"fl_x": 1, "frames": []}`: {"no usable frame", "lists no frames"},
		`{"fl_x": 1}`:               {`no "frames" at the root`},
		`{"frames": [{"file_path": "images/0000.jpg", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0]]}]}`:         {"no usable frame", "frame 0", "neither fl_x nor camera_angle_x"},
		`{"fl_x": 1, "frames": [{"file_path": "images/7.jpg", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0]]}]}`: {"no usable frame", "1 of 1 picture missing in " + root, "images/7.jpg"},
		`{"fl_x": 1, "train_filenames": ["b"], "test_filenames": ["c"], "frames": [{"file_path": "images/0000.jpg", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0]]}]}`: {
			"no usable frame", "2 names", "1 frame in neither"},
		`{"fl_x": 1, "train_filenames": ["b"], "val_filenames": ["images/0000.jpg"], "test_filenames": ["b"], "frames": [{"file_path": "images/0000.jpg", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0]]}]}`: {
			"no usable frame"},
	} {
		put(t, file, name)
		refuses(t, root, Options{}, append(want, file)...)
	}
}

// A22: clouds.
func TestNerfstudioPLY(t *testing.T) {
	defer func(old func(string) ([]float32, []uint8, error)) { ReadPLY = old }(ReadPLY)
	var asked string
	ReadPLY = func(path string) ([]float32, []uint8, error) {
		asked = path
		return []float32{1, 2, 3}, nil, nil
	}
	for name, c := range map[string]struct {
		named, there string
		refusal      []string
	}{
		"beside":    {"sparse_pc.ply", "sparse_pc.ply", nil},
		"below":     {`./points\cloud.ply`, "points/cloud.ply", nil},
		"elsewhere": {"/mnt/disk/room/cloud.ply", "cloud.ply", nil},
		"missing":   {"sparse_pc.ply", "", []string{"transforms.json: ply_file_path names", "sparse_pc.ply", "not there"}},
		"outside":   {"../sparse_pc.ply", "", []string{"leads out of the folder"}},
	} {
		t.Run(name, func(t *testing.T) {
			root, _ := nerfstudioCapture(t, 2, object{"ply_file_path": c.named, "applied_transform": [][]int{{1, 0, 0, 0}, {0, 0, 1, 0}, {0, -1, 0, 0}}})
			if c.refusal != nil {
				refuses(t, root, Options{}, c.refusal...)
				return
			}
			put(t, filepath.Join(root, c.there), "ply")
			got := open(t, root, Options{})
			if asked != filepath.Join(root, c.there) || got.Points.Len() != 1 {
				t.Errorf("read %s: %v", asked, got.Points)
			}
			if d := cmp.Diff([]float32{1, 2, 3}, got.Points.XYZ); d != "" {
				t.Errorf("points were moved (-want +got)\n%s", d)
			}
			says(t, got.Notes, "points from "+asked, "applied_transform is taken as done")
		})
	}
	ReadPLY = func(string) ([]float32, []uint8, error) { return nil, nil, errors.New("asked for nothing") }
	root, file := nerfstudioCapture(t, 2, nil)
	put(t, filepath.Join(root, "splats.ply"), "ply")
	c := open(t, root, Options{})
	says(t, c.Notes, file+" names no ply_file_path: splats.ply is not used", "no initial points")
}

// A16: several things in one folder. The choice is said, and how to choose another.
func TestWhichReading(t *testing.T) {
	root, file := nerfstudioCapture(t, 3, nil)
	extra := filepath.Join(root, "transforms_ply.json")
	writeJSON(t, extra, object{"fl_x": 95}, "images/0000.jpg")
	c := open(t, root, Options{})
	says(t, c.Notes, file+" is read, not transforms_ply.json: name the file to read it instead")
	if c := open(t, extra, Options{}); len(c.Views) != 1 || c.Views[0].Camera.Fx != 95 {
		t.Errorf("named: %d views", len(c.Views))
	}
	transforms(t, filepath.Join(root, "transforms_train.json"), "images/0001.jpg", "images/0002.jpg")
	c = open(t, root, Options{})
	if c.Format != "blender" || len(c.Views) != 2 {
		t.Errorf("beside the trio: %s, %d views", c.Format, len(c.Views))
	}
	says(t, c.Notes, "transforms_train.json is read, not transforms.json, transforms_ply.json")
	if c := open(t, file, Options{}); c.Format != "nerfstudio" || len(c.Views) != 3 {
		t.Errorf("named: %s, %d views", c.Format, len(c.Views))
	}
	sparse := filepath.Join(root, "colmap", "sparse", "0")
	model(3).Write(t, sparse, true)
	c = open(t, root, Options{})
	if c.Format != "colmap-binary" {
		t.Errorf("beside a model: %s", c.Format)
	}
	says(t, c.Notes, sparse+" is read, not transforms.json, transforms_ply.json, transforms_train.json")
	c = open(t, file, Options{Sparse: "colmap/sparse"})
	if c.Format != "colmap-binary" {
		t.Errorf("--sparse: %s", c.Format)
	}
	says(t, c.Notes, "since --sparse names it, not transforms.json")
}

// A model whose lens cannot be trained on gives way to cameras that can.
func TestReadingThatCanBeTrained(t *testing.T) {
	root, file := nerfstudioCapture(t, 3, nil)
	m := model(3)
	m.Cameras[0] = colmaptest.Camera{ID: 1, Model: "OPENCV", ModelID: 4, Width: 80, Height: 60, Params: []float64{80, 80, 40, 30, .1, 0, 0, 0}}
	m.Write(t, filepath.Join(root, "sparse", "0"), true)
	for _, o := range []Options{{}, {AnyLens: true}} {
		c := open(t, root, o)
		if c.Format != "nerfstudio" || len(c.Warnings) > 0 {
			t.Errorf("read as %s, warnings %q", c.Format, c.Warnings)
		}
		says(t, c.Notes, file+" is used, since", "cameras.bin: camera 1", "OPENCV")
	}
	// Neither can: the preferred one is named, and shown where a look is all.
	writeJSON(t, file, object{"k1": 1}, "images/0000.jpg")
	refuses(t, root, Options{}, "cameras.bin", "camera 1", "OPENCV")
	c := open(t, root, Options{AnyLens: true})
	if c.Format != "colmap-binary" || c.Cameras[0].Model != "OPENCV" || len(c.Views) != 3 {
		t.Errorf("%s, %v, %d views", c.Format, c.Cameras, len(c.Views))
	}
	says(t, c.Warnings, "not to be trained on yet", "cameras.bin")
	// Nor does it matter then that the pictures of the model are gone.
	writeJSON(t, file, nil, "images/0000.jpg")
	m.Images = colmaptest.Around(3, 1, 4, func(i int) string { return "gone/" + numbered(i) + ".tiff" })
	m.Write(t, filepath.Join(root, "sparse", "0"), true)
	if c := open(t, root, Options{}); c.Format != "nerfstudio" {
		t.Errorf("read as %s", c.Format)
	}
	writeJSON(t, file, object{"k1": 1}, "images/0000.jpg")
	refuses(t, root, Options{}, "cameras.bin", "camera 1", "OPENCV")
	refuses(t, root, Options{AnyLens: true}, "none of its 3 pictures")
	// A file that is damaged does not hide what is known of the preferred one.
	put(t, file, "{")
	refuses(t, root, Options{}, "cameras.bin", "camera 1")
}

// One JSON file of any name that speaks of frames is enough, also one folder down.
func TestNerfstudioOtherName(t *testing.T) {
	root := filepath.Join(t.TempDir(), "inner")
	picture(t, filepath.Join(root, "a.png"), 80, 60)
	writeJSON(t, filepath.Join(root, "cameras.json"), nil, "a")
	put(t, filepath.Join(root, "notes.json"), `{}`)
	for _, path := range []string{root, filepath.Dir(root)} {
		if c := open(t, path, Options{}); len(c.Views) != 1 || c.Root != root || c.Format != "nerfstudio" {
			t.Errorf("%s: %d views in %s", path, len(c.Views), c.Root)
		}
	}
	writeJSON(t, filepath.Join(root, "poses.json"), nil, "a")
	refuses(t, root, Options{}, "no camera file", "cameras.json, poses.json", "named is read by itself")
}
