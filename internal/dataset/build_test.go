package dataset

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"splat/internal/dataset/colmap/colmaptest"
	"splat/internal/fault"
	"splat/internal/imageio"
)

// picture writes a plain grey PNG; its ending may say otherwise.
func picture(t testing.TB, path string, w, h int) {
	t.Helper()
	m := imageio.New(w, h)
	for i := range m.Pix {
		m.Pix[i] = 200
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	if err := imageio.WritePNG(path, m); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func numbered(i int) string { return fmt.Sprintf("%04d.jpg", i) }

// model is a COLMAP model of n images 0000.jpg, ... of a camera of 80x60.
func model(n int) colmaptest.Model {
	return colmaptest.Model{
		Cameras: []colmaptest.Camera{colmaptest.Pinhole(1, 80, 60)},
		Images:  colmaptest.Around(n, 1, 4, numbered),
		Points:  []colmaptest.Point{{XYZ: [3]float64{1, 2, 3}, RGB: [3]uint8{9, 8, 7}, Error: -1}, {XYZ: [3]float64{0, 0, 1}}},
	}
}

// writeCOLMAP writes a model and its pictures of w x h into the folders given.
func writeCOLMAP(t *testing.T, m colmaptest.Model, sparse, images string, binary bool, w, h int) {
	t.Helper()
	m.Write(t, sparse, binary)
	for _, im := range m.Images {
		picture(t, filepath.Join(images, filepath.FromSlash(im.Name)), w, h)
	}
}

// colmapCapture is a usual capture of n views of 80x60.
func colmapCapture(t *testing.T, n int) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "scene")
	writeCOLMAP(t, model(n), filepath.Join(root, "sparse", "0"), filepath.Join(root, "images"), true, 80, 60)
	return root
}

// matrix is a camera-to-world matrix on a circle around the origin.
func matrix(i int) [][]float64 {
	s, c := math.Sincos(float64(i))
	return [][]float64{{c, 0, s, 4 * s}, {0, 1, 0, 0}, {-s, 0, c, 4 * c}, {0, 0, 0, 1}}
}

// transforms writes a Blender camera file with a frame for each path.
func transforms(t *testing.T, path string, files ...string) {
	t.Helper()
	var frames []map[string]any
	for i, f := range files {
		frames = append(frames, map[string]any{"file_path": f, "transform_matrix": matrix(i)})
	}
	data, err := json.Marshal(map[string]any{"camera_angle_x": 0.7, "frames": frames})
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, string(data))
}

// blenderCapture is a capture with r_0, r_1, ... in train and test.
func blenderCapture(t *testing.T, train, test int) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "toy")
	for split, n := range map[string]int{"train": train, "test": test} {
		var files []string
		for i := range n {
			name := fmt.Sprintf("./%s/r_%d", split, i)
			files = append(files, name)
			picture(t, filepath.Join(root, name+".png"), 40, 40)
		}
		if n > 0 {
			transforms(t, filepath.Join(root, "transforms_"+split+".json"), files...)
		}
	}
	return root
}

func open(t *testing.T, path string, o Options) *Capture {
	t.Helper()
	c, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// refuses opens what must be refused: exit code 3, a message with all the words.
func refuses(t *testing.T, path string, o Options, words ...string) {
	t.Helper()
	c, err := Open(path, o)
	if err == nil {
		t.Fatalf("opened with %d views, want an error with %q", len(c.Views), words)
	}
	if fault.ExitCode(err) != 3 {
		t.Errorf("exit code %d: %v", fault.ExitCode(err), err)
	}
	says(t, []string{err.Error()}, words...)
}

// says checks that each word is in one of the lines.
func says(t *testing.T, lines []string, words ...string) {
	t.Helper()
	all := strings.Join(lines, "\n")
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("%q is not said in:\n%s", w, all)
		}
	}
}

func viewNames(views []View) []string {
	var out []string
	for _, v := range views {
		out = append(out, v.Name)
	}
	return out
}

func labels(views []View) []string {
	var out []string
	for _, v := range views {
		out = append(out, v.Label)
	}
	return out
}
