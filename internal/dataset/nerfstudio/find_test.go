package nerfstudio

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindAndCandidates(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for n, content := range map[string]string{
		"transform_test.json": ` {"frames": []}`, "notes.json": `{"text": "no frames"}`, "b.JSON": `{"camera_angle_x": 1, "frames"`,
		"._transforms.json": `{"frames": []}`, "frames.txt": `"frames"`,
	} {
		write(n, content)
	}
	if d := cmp.Diff([]string{"b.JSON", "transform_test.json"}, Candidates(dir)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if got := Find(dir); got != "" {
		t.Errorf("found %s", got)
	}
	write("Transforms.JSON", "")
	if got := Find(dir); got != "Transforms.JSON" {
		t.Errorf("found %q", got)
	}
	write("transforms.json", "")
	if got := Find(dir); got != "transforms.json" {
		t.Errorf("found %q", got)
	}
	if Find(filepath.Join(dir, "none")) != "" || Candidates(filepath.Join(dir, "none")) != nil {
		t.Error("a folder that is not there holds something")
	}
}
