package dataset

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Links to other folders are followed, those that lead to where they lie are not:
// a few of them would multiply what is looked at without end.
func TestIndexFollowsLinks(t *testing.T) {
	root := t.TempDir()
	for _, f := range []string{"images/a.png", "raw/left/b.png"} {
		path := filepath.Join(root, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"cam": "../raw/left", "file.png": "a.png", "here": ".", "up": "..", "top": root, "gone": "nothing", "self": "self",
	} {
		if err := os.Symlink(target, filepath.Join(root, "images", name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	p := indexPictures(filepath.Join(root, "images"))
	want := map[string]bool{"a.png": true, "cam/b.png": true, "file.png": true, "gone": true, "self": true}
	if d := cmp.Diff(want, p.exact); d != "" || p.err != nil {
		t.Errorf("error %v, files (-want +got)\n%s", p.err, d)
	}
	if p := indexPictures(filepath.Join(root, "none")); p.err == nil || len(p.exact) != 0 {
		t.Errorf("a folder that is not there: %v, %v", p.exact, p.err)
	}
}
