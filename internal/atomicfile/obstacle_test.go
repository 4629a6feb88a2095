package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestObstacle(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]string{
		dir:                                {"", ""},
		filepath.Join(dir, "a", "b"):       {"", ""},
		file:                               {file, "a file"},
		filepath.Join(file, "deep", "er"):  {file, "a file"},
		file + string(filepath.Separator):  {file, "a file"},
		filepath.Join(dir, "x", "..", "y"): {"", ""},
	} {
		if at, found := Obstacle(path); at != want[0] || found != want[1] {
			t.Errorf("%s: found %q at %q, expected %q", path, found, at, want)
		}
	}
	long := filepath.Join(dir, strings.Repeat("n", 300))
	if at, found := Obstacle(filepath.Join(long, "deep")); found == "" || found == "a file" || at == "" {
		t.Errorf("a name that is too long: found %q at %q", found, at)
	}
}

func TestObstacleOfLinks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "nothing"), link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if at, found := Obstacle(filepath.Join(link, "deep")); at != link || found != "a link that leads nowhere" {
		t.Errorf("found %q at %q", found, at)
	}
	if err := os.Mkdir(filepath.Join(dir, "nothing"), 0o755); err != nil {
		t.Fatal(err)
	}
	if at, found := Obstacle(filepath.Join(link, "deep")); at != "" {
		t.Errorf("a link to a folder: found %q at %q", found, at)
	}
}
