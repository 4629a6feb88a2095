package blender

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/fault"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"Transforms_Train.JSON", "transforms_val.json", "transform_test.json", "._transforms_test.json", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Find(dir)
	if d := cmp.Diff(Files{Dir: dir, Train: "Transforms_Train.JSON", Val: "transforms_val.json"}, got); err != nil || d != "" {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
	if d := cmp.Diff([]string{"Transforms_Train.JSON", "transforms_val.json"}, got.Names()); d != "" {
		t.Errorf("names (-want +got)\n%s", d)
	}
	if _, err := Find(filepath.Join(dir, "none")); fault.ExitCode(err) != 3 {
		t.Errorf("missing folder: %v", err)
	}
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"transforms_train.json": true, "Transforms_TEST.json": true, "transforms_val.JSON": true,
		"transforms.json": false, "transform_train.json": false, "transforms_ply.json": false,
	} {
		if IsName(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestReadLego(t *testing.T) {
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set: it names the folder of real captures")
	}
	files, err := Find(filepath.Join(root, "lego"))
	if err != nil || files.Val != "" {
		t.Fatalf("%+v, %v", files, err)
	}
	for name, want := range map[string]int{files.Train: 100, files.Test: 25} {
		f, err := Read(filepath.Join(files.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Frames) != want || len(f.Skipped) != 0 {
			t.Errorf("%s: %d frames, %d skipped", name, len(f.Frames), len(f.Skipped))
		}
	}
}
