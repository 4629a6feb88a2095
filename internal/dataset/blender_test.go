package dataset

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"splat/internal/geom"
)

func TestBlender(t *testing.T) {
	c := open(t, blenderCapture(t, 3, 2), Options{TestEvery: 2})
	want := Info{Kind: "capture", Format: "blender", Views: 5, Train: 3, Test: 2, Cameras: []CameraInfo{{1, "PINHOLE", 40, 40}}, Warnings: []string{}}
	if d := cmp.Diff(want, c.Info()); d != "" {
		t.Errorf("info (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{"test/r_0", "test/r_1", "train/r_0", "train/r_1", "train/r_2"}, viewNames(c.Views)); d != "" {
		t.Errorf("names (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{"r_0", "r_1"}, labels(c.TestViews())); d != "" {
		t.Errorf("labels (-want +got)\n%s", d)
	}
	v := c.Train()[1]
	f := 20 / math.Tan(.35)
	if d := cmp.Diff(geom.Camera{Model: "PINHOLE", Width: 40, Height: 40, Fx: f, Fy: f, Cx: 20, Cy: 20}, v.Camera, cmpopts.EquateApprox(1e-12, 0)); d != "" {
		t.Errorf("camera (-want +got)\n%s", d)
	}
	if d := cmp.Diff(geom.Vec3{0, 0, 4}, v.Pose.Apply(geom.Vec3{}), cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Errorf("the origin in the camera (-want +got)\n%s", d)
	}
	says(t, c.Notes, "transforms_train.json: 3 training views", "transforms_test.json: 2 test views")
	if got := viewNames(c.Match("r_1")); len(got) != 2 {
		t.Errorf("r_1 matches %v", got)
	}
	if got := viewNames(c.Match("train/r_1")); len(got) != 1 || len(c.Match("r_9")) != 0 {
		t.Errorf("train/r_1 matches %v", got)
	}
}

// A16: which file is which.
func TestBlenderSplits(t *testing.T) {
	root := blenderCapture(t, 4, 0)
	c := open(t, root, Options{TestEvery: 2})
	if len(c.Train()) != 2 || len(c.TestViews()) != 2 || !c.Views[0].Test {
		t.Errorf("no split of its own: %d train, %d test", len(c.Train()), len(c.TestViews()))
	}
	says(t, c.Notes, "neither transforms_test.json nor transforms_val.json", "every 2nd view by name is for testing: 2 of 4")

	picture(t, filepath.Join(root, "val", "r_0.png"), 40, 40)
	transforms(t, filepath.Join(root, "transforms_val.json"), "./val/r_0")
	c = open(t, root, Options{TestEvery: 2})
	if d := cmp.Diff([]string{"val/r_0"}, viewNames(c.TestViews())); d != "" || len(c.Train()) != 4 {
		t.Errorf("val as test (-want +got)\n%s", d)
	}
	says(t, c.Notes, "transforms_val.json are for testing")

	picture(t, filepath.Join(root, "test", "r_0.png"), 40, 40)
	transforms(t, filepath.Join(root, "transforms_test.json"), "./test/r_0")
	c = open(t, root, Options{TestEvery: 2})
	if d := cmp.Diff([]string{"test/r_0"}, viewNames(c.TestViews())); d != "" || len(c.Views) != 5 {
		t.Errorf("val beside test (-want +got)\n%s", d)
	}
	says(t, c.Notes, "transforms_val.json is not used")
}

func TestBlenderMisnamed(t *testing.T) {
	root := blenderCapture(t, 2, 1)
	rename := func(from, to string) {
		if err := os.Rename(filepath.Join(root, from), filepath.Join(root, to)); err != nil {
			t.Fatal(err)
		}
	}
	rename("transforms_train.json", "transform_train.json")
	refuses(t, root, Options{}, "transforms_train.json", "transform_train.json, transforms_test.json", "misspelt")
	refuses(t, filepath.Join(root, "transforms_test.json"), Options{}, "no transforms_train.json", "transform_train.json")
	if c := open(t, filepath.Join(root, "transform_train.json"), Options{}); len(c.Views) != 2 || c.Format != "nerfstudio" {
		t.Errorf("named, yet %d views of %s", len(c.Views), c.Format)
	}
	rename("transform_train.json", "transforms.json")
	c := open(t, root, Options{})
	if len(c.Views) != 2 || c.Format != "nerfstudio" {
		t.Errorf("%d views of %s", len(c.Views), c.Format)
	}
	says(t, c.Notes, "transforms.json is read, not transforms_test.json")
	rename("transforms.json", "Transforms_Train.JSON")
	if c := open(t, root, Options{}); len(c.Views) != 3 {
		t.Errorf("%d views", len(c.Views))
	}
}

// A17: endings.
func TestBlenderEndings(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"train/r_0.png", "train/r_1.jpg", "train/r_2.JPEG", "images/a.b.c.png", "train/r_4.png", "train/r_4.jpg", "train/r_5.webp", "画像/é 1.png"} {
		picture(t, filepath.Join(root, p), 40, 40)
	}
	transforms(t, filepath.Join(root, "transforms_train.json"), "./train/r_0.png", "./train/r_1", "train/r_2", "images/a.b.c", "train/r_4", `train\r_5.png`, "./画像/é 1")
	c := open(t, root, Options{})
	got := map[string]string{}
	for _, v := range c.Views {
		rel, _ := filepath.Rel(root, v.Image)
		got[v.Name] = filepath.ToSlash(rel)
	}
	want := map[string]string{
		"train/r_0": "train/r_0.png", "train/r_1": "train/r_1.jpg", "train/r_2": "train/r_2.JPEG", "images/a.b.c": "images/a.b.c.png",
		"train/r_4": "train/r_4.png", "train/r_5": "train/r_5.webp", "画像/é 1": "画像/é 1.png",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if len(c.Warnings) > 0 {
		t.Errorf("warnings %v", c.Warnings)
	}
}

// Names must tell pictures apart, in the file and across the splits.
func TestBlenderNames(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"a/0.png", "b/0.png", "b/0.jpg", "1.png"} {
		picture(t, filepath.Join(root, p), 40, 40)
	}
	transforms(t, filepath.Join(root, "transforms_train.json"), "a/0.png", "b/0.png", "b/0.jpg", "1", "./1.png", "a/0")
	transforms(t, filepath.Join(root, "transforms_test.json"), "a/0")
	c := open(t, root, Options{})
	if d := cmp.Diff([]string{"1", "a/0", "b/0", "b/0.jpg"}, viewNames(c.Views)); d != "" {
		t.Errorf("names (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{"a/0"}, viewNames(c.TestViews())); d != "" {
		t.Errorf("a picture that is tested on must not be trained on (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{"1", "0", "0", "0.jpg"}, labels(c.Views)); d != "" {
		t.Errorf("labels (-want +got)\n%s", d)
	}
	says(t, c.Warnings, "frame 4 (./1.png): its picture is there twice", "1 picture in both the training and the test file", "a/0")
}

func TestBlenderLabelsThatCollide(t *testing.T) {
	root := t.TempDir()
	picture(t, filepath.Join(root, "a/0.png"), 40, 40)
	picture(t, filepath.Join(root, "b/0.png"), 40, 40)
	transforms(t, filepath.Join(root, "transforms_train.json"), "a/0", "b/0")
	if d := cmp.Diff([]string{"a/0", "b/0"}, labels(open(t, root, Options{}).Views)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// A19, A20: frames without pose or picture.
func TestBlenderSkips(t *testing.T) {
	root := blenderCapture(t, 3, 1)
	file := filepath.Join(root, "transforms_train.json")
	put(t, file, `{"camera_angle_x": 0.7, "frames": [
		{"file_path": "./train/r_0"},
		{"file_path": "./train/r_9", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0]]},
		{"file_path": "../train/r_1", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0]]},
		{"file_path": "./train/r_1", "transform_matrix": [[1,0,0,-Infinity],[0,1,0,0],[0,0,1,NaN]]},
		{"file_path": "./train/r_2", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0]]}]}`)
	c := open(t, root, Options{})
	if d := cmp.Diff([]string{"train/r_2"}, viewNames(c.Train())); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	says(t, c.Warnings, "2 of 3 pictures missing", "./train/r_9", "../train/r_1 (leads out of the folder)",
		file+": 2 of 5 frames left out", "frame 0 (./train/r_0): no transform_matrix", "frame 3 (./train/r_1)", "not finite")

	put(t, file, `{"camera_angle_x": 0.7, "frames": [{"file_path": "./train/r_0"}]}`)
	c = open(t, root, Options{})
	says(t, c.Warnings, "no view is left to train on")
	if err := os.Remove(filepath.Join(root, "transforms_test.json")); err != nil {
		t.Fatal(err)
	}
	refuses(t, root, Options{}, "no usable frame", "frame 0 (./train/r_0): no transform_matrix")
	put(t, file, `{"camera_angle_x": 0.7, "frames": []}`)
	refuses(t, root, Options{}, "no usable frame", "lists no frames")
	put(t, file, `{"camera_angle_x": 0.7, "frames": [`)
	refuses(t, root, Options{}, file, "line 1")
}

// A21 and the pinhole keys of other programs.
func TestBlenderPinholeKeys(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "transforms_train.json")
	text := func(keys string) {
		put(t, file, fmt.Sprintf(`{%s, "frames": [{"file_path": "a.png", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0]]}]}`, keys))
	}
	picture(t, filepath.Join(root, "a.png"), 656, 984)
	text(`"fl_x": 500, "w": 984, "h": 656`)
	refuses(t, root, Options{}, "a.png", "656x984", "984x656")
	text(`"fl_x": 1000, "fl_y": 1100, "cx": 600, "cy": 900, "w": 1312, "h": 1968`)
	c := open(t, root, Options{})
	want := geom.Camera{Model: "PINHOLE", Width: 656, Height: 984, Fx: 500, Fy: 550, Cx: 300, Cy: 450}
	if d := cmp.Diff(want, c.Views[0].Camera); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if d := cmp.Diff([]CameraInfo{{1, "PINHOLE", 1312, 1968}}, c.Cameras); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	text(`"fl_x": 500, "k1": 0.01`)
	refuses(t, root, Options{}, file, "frame 0 (a.png)", "OPENCV", "k1 is 0.01", "not supported yet")
}

// A22: a cloud that the file names must be there.
func TestBlenderPLY(t *testing.T) {
	root := t.TempDir()
	picture(t, filepath.Join(root, "a.png"), 40, 40)
	put(t, filepath.Join(root, "transforms_train.json"), `{"camera_angle_x": 1, "ply_file_path": "cloud.ply",
		"frames": [{"file_path": "a", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0]]}]}`)
	refuses(t, root, Options{}, "ply_file_path", "cloud.ply", "not there")
	defer func(old func(string) ([]float32, []uint8, error)) { ReadPLY = old }(ReadPLY)
	ReadPLY = func(string) ([]float32, []uint8, error) { return []float32{1, 2, 3}, nil, nil }
	put(t, filepath.Join(root, "cloud.ply"), "ply")
	if c := open(t, root, Options{}); c.Points.Len() != 1 || c.Points.RGB != nil {
		t.Errorf("points %+v", c.Points)
	}
}

// A23: the way to the capture does not matter.
func TestPathForms(t *testing.T) {
	root := blenderCapture(t, 2, 1)
	t.Chdir(filepath.Join(root, "train"))
	for _, p := range []string{root, root + "/", root + "/transforms_train.json", root + "/transforms_test.json", "..", "../", "../../toy", "../transforms_train.json"} {
		c := open(t, p, Options{})
		if c.Name != "toy" || len(c.Views) != 3 || c.Path != p {
			t.Errorf("%s: name %q, path %q, %d views", p, c.Name, c.Path, len(c.Views))
		}
	}
	t.Chdir(root)
	if c := open(t, ".", Options{}); c.Name != "toy" || len(c.Views) != 3 {
		t.Errorf(".: name %q, %d views", c.Name, len(c.Views))
	}
}

func TestBlenderExtraFolder(t *testing.T) {
	root := blenderCapture(t, 2, 1)
	c := open(t, filepath.Dir(root), Options{})
	if len(c.Views) != 3 || c.Root != root {
		t.Errorf("%d views in %s", len(c.Views), c.Root)
	}
	if err := os.CopyFS(filepath.Join(filepath.Dir(root), "second"), os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	refuses(t, filepath.Dir(root), Options{}, "several captures", "second", "toy")
}

// A COLMAP model beside camera files brings points, so it is preferred.
func TestBlenderBesideCOLMAP(t *testing.T) {
	root := blenderCapture(t, 2, 1)
	writeCOLMAP(t, model(4), filepath.Join(root, "sparse", "0"), filepath.Join(root, "images"), true, 80, 60)
	c := open(t, root, Options{})
	if c.Format != "colmap-binary" {
		t.Errorf("read as %s", c.Format)
	}
	says(t, c.Notes, "transforms_train.json")
	if c := open(t, filepath.Join(root, "transforms_train.json"), Options{}); c.Format != "blender" {
		t.Errorf("named, yet read as %s", c.Format)
	}
}
