package colmap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/dataset/colmap/colmaptest"
)

func touch(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, n := range names {
		p := filepath.Join(root, filepath.FromSlash(n))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFindLayouts(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		want  []string // the first group's folders
	}{
		"numbered":      {[]string{"sparse/0/cameras.bin", "sparse/0/images.bin"}, []string{"sparse/0"}},
		"plain":         {[]string{"sparse/cameras.txt", "sparse/images.txt"}, []string{"sparse"}},
		"several":       {[]string{"sparse/10/cameras.bin", "sparse/10/images.bin", "sparse/2/cameras.txt", "sparse/2/images.txt"}, []string{"sparse/2", "sparse/10"}},
		"colmap":        {[]string{"colmap/sparse/0/cameras.bin", "colmap/sparse/0/images.bin"}, []string{"colmap/sparse/0"}},
		"dense":         {[]string{"dense/0/sparse/cameras.bin", "dense/0/sparse/images.bin"}, []string{"dense/0/sparse"}},
		"beside":        {[]string{"cameras.txt", "images.txt", "images/a.jpg"}, []string{"."}},
		"in images":     {[]string{"images/cameras.txt", "images/images.txt", "images/a.jpg"}, []string{"images"}},
		"case":          {[]string{"Sparse/0/Cameras.txt", "Sparse/0/Images.txt", "Sparse/0/Points3D.txt"}, []string{"Sparse/0"}},
		"distorted":     {[]string{"distorted/sparse/0/cameras.bin", "distorted/sparse/0/images.bin"}, []string{"distorted/sparse/0"}},
		"undistorted":   {[]string{"distorted/sparse/0/cameras.bin", "distorted/sparse/0/images.bin", "sparse/0/cameras.bin", "sparse/0/images.bin"}, []string{"sparse/0"}},
		"sidecars only": {[]string{"sparse/0/._cameras.bin", "sparse/0/._images.bin"}, nil},
		"incomplete":    {[]string{"sparse/0/cameras.bin", "sparse/0/images.txt"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			touch(t, root, c.files...)
			var got []string
			if groups := Find(root); len(groups) > 0 {
				for _, l := range groups[0] {
					rel, _ := filepath.Rel(root, l.Dir)
					got = append(got, filepath.ToSlash(rel))
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestAtChoosesFiles(t *testing.T) {
	root := t.TempDir()
	touch(t, root, "cameras.bin", "images.bin", "Cameras.txt", "images.txt", "points3D.txt", "._points3D.bin", "points3D.ply")
	want := Location{
		Dir: root, Binary: true, Both: true,
		Cameras: filepath.Join(root, "cameras.bin"), Images: filepath.Join(root, "images.bin"),
		PointsBinary: true, PLY: filepath.Join(root, "points3D.ply"),
	}
	got, ok := At(root)
	if d := cmp.Diff(want, got); !ok || d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if err := os.Remove(want.PLY); err != nil {
		t.Fatal(err)
	}
	want.PLY, want.Points, want.PointsBinary = "", filepath.Join(root, "points3D.txt"), false
	if got, _ = At(root); got != want {
		t.Errorf("without the PLY: %s", cmp.Diff(want, got))
	}
}

// A06: the model with the most images, whatever its number, and damaged rivals do
// not hide a good one.
func TestBest(t *testing.T) {
	root := t.TempDir()
	name := func(int) string { return "a.jpg" }
	for dir, n := range map[string]int{"0": 2, "1": 40, "2": 3} {
		m := colmaptest.Model{Cameras: []colmaptest.Camera{colmaptest.Pinhole(1, 8, 8)}, Images: colmaptest.Around(n, 1, 2, name)}
		m.Write(t, filepath.Join(root, dir), dir != "1")
	}
	if err := os.WriteFile(filepath.Join(root, "2", "images.bin"), []byte("short"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, said, err := Best(In(root))
	if err != nil || filepath.Base(got.Dir) != "1" {
		t.Fatalf("%+v, %v; want the text model with 40 images", got, err)
	}
	for _, w := range []string{"has 2 images", "has 40 images", "damaged", "--sparse"} {
		if !strings.Contains(said, w) {
			t.Errorf("%q does not say %q", said, w)
		}
	}
}
