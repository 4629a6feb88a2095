package dataset

import (
	"archive/zip"
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// zipFolder packs a folder; under is put before the names.
func zipFolder(t *testing.T, root, under string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := w.Create(under + filepath.ToSlash(rel))
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "packed.zip")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// sameViews compares two readings of one capture but for their places.
func sameViews(t *testing.T, want, got *Capture) {
	t.Helper()
	place := cmp.FilterPath(func(p cmp.Path) bool { n := p.Last().String(); return n == ".Image" || n == ".Mask" }, cmp.Ignore())
	if d := cmp.Diff(want.Views, got.Views, place); d != "" {
		t.Errorf("views (-want +got)\n%s", d)
	}
	if d := cmp.Diff(want.Points, got.Points); d != "" {
		t.Errorf("points (-want +got)\n%s", d)
	}
	a, err := Load(context.Background(), want.Views, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Load(context.Background(), got.Views, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("pixels differ")
	}
}

// A zip file is read where it lies: the same views, points, masks and pixels, and
// nothing is left behind.
func TestZipFile(t *testing.T) {
	folder := colmapCapture(t, 3)
	writeMask(t, filepath.Join(folder, "masks", "0001.png"), 80, 60, 0.25)
	for _, under := range []string{"", "Scene 1/", "__MACOSX/../"} {
		if strings.Contains(under, "..") {
			refuses(t, zipFolder(t, folder, under), Options{}, "leads out")
			continue
		}
		file := zipFolder(t, folder, under)
		c := open(t, file, Options{})
		sameViews(t, open(t, folder, Options{}), c)
		if under == "" && c.Name != "packed" || !strings.HasPrefix(c.Views[0].Image, file) {
			t.Errorf("name %q, picture %s", c.Name, c.Views[0].Image)
		}
		entries, err := os.ReadDir(filepath.Dir(file))
		if err != nil || len(entries) != 1 {
			t.Errorf("%d files beside the zip file, %v", len(entries), err)
		}
	}
	blender := blenderCapture(t, 2, 1)
	file := zipFolder(t, blender, "")
	sameViews(t, open(t, blender, Options{}), open(t, file, Options{}))
	sameViews(t, open(t, blender, Options{}), open(t, filepath.Join(file, "transforms_train.json"), Options{}))
}

func TestZipFileRefusals(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	put(t, filepath.Join(empty, "notes.txt"), "nothing")
	refuses(t, zipFolder(t, empty, ""), Options{}, "packed.zip", "notes.txt")
	broken := colmapCapture(t, 2)
	put(t, filepath.Join(broken, "images", "0001.jpg"), "text")
	refuses(t, zipFolder(t, broken, ""), Options{}, filepath.Join("packed.zip", "images", "0001.jpg"), "not a picture")
}

// The folder of a model means the capture that it belongs to.
func TestModelFolder(t *testing.T) {
	root := colmapCapture(t, 3)
	want := open(t, root, Options{})
	for _, sub := range []string{"sparse", "sparse/0", "sparse/0/"} {
		c := open(t, root+"/"+sub, Options{})
		sameViews(t, want, c)
		if c.Root != root || c.Name != "scene" {
			t.Errorf("%s: root %s, name %s", sub, c.Root, c.Name)
		}
		says(t, c.Notes, "the capture of the model "+filepath.Join(root, filepath.FromSlash(sub))+" is "+root)
	}
	t.Chdir(filepath.Join(root, "sparse", "0"))
	for _, path := range []string{".", "../0", ".."} {
		sameViews(t, want, open(t, path, Options{}))
	}
	t.Chdir(filepath.Join(root, ".."))
	if c := open(t, "scene/sparse/0", Options{}); c.Root != "scene" {
		t.Errorf("root %q", c.Root)
	}
}
