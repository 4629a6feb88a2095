package dataset

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Two files that fit a name equally well are named, and none of them is used. Names
// that differ in case only are tried without a disk: not every one can hold both.
func TestRivals(t *testing.T) {
	p := &pictures{exact: map[string]bool{}, lower: map[string][]string{}, stem: map[string][]string{}}
	for _, name := range []string{"Img.png", "img.png", "b.webp", "b.jpg", "c.png"} {
		p.add(name)
	}
	for name, want := range map[string]struct {
		rel    string
		how    match
		rivals []string
	}{
		"IMG.PNG": {"", ambiguous, []string{"Img.png", "img.png"}},
		"img.png": {"img.png", asWritten, nil},
		"b.bmp":   {"", ambiguous, []string{"b.webp", "b.jpg"}},
		"b":       {"b.jpg", asWritten, nil},
		"C.png":   {"c.png", otherCase, nil},
		"c.tiff":  {"c.png", otherEnding, nil},
		"d.png":   {"", missing, nil},
		"../img":  {"", leaves, nil},
	} {
		rel, how, rivals := p.find(name)
		if rel != want.rel || how != want.how || cmp.Diff(want.rivals, rivals) != "" {
			t.Errorf("%s: found %q, %d, %q, expected %+v", name, rel, how, rivals, want)
		}
	}
}

// rival puts a second picture beside one, and takes both from the name that the
// camera file has.
func rival(t *testing.T, path string, w, h int) {
	t.Helper()
	stem := path[:len(path)-len(filepath.Ext(path))]
	if err := os.Rename(path, stem+".tif"); err != nil {
		t.Fatal(err)
	}
	picture(t, stem+".bmp", w, h)
}

func TestAmbiguousPicturesAreNamed(t *testing.T) {
	root := colmapCapture(t, 4)
	images := filepath.Join(root, "images")
	rival(t, filepath.Join(images, numbered(2)), 80, 60)
	c := open(t, root, Options{})
	says(t, c.Warnings, "1 of 4 pictures ambiguous in "+images, "0002.jpg (0002.bmp or 0002.tif)")
	if len(c.Views) != 3 {
		t.Errorf("%d views, expected 3", len(c.Views))
	}
	for _, i := range []int{0, 1, 3} {
		rival(t, filepath.Join(images, numbered(i)), 80, 60)
	}
	refuses(t, root, Options{}, "none of its 4 pictures was found, for example ambiguous 0000.jpg (0000.bmp or 0000.tif); searched")
}

func TestAmbiguousFramesAreNamed(t *testing.T) {
	root := blenderCapture(t, 3, 1)
	rival(t, filepath.Join(root, "train", "r_1.png"), 40, 40)
	c := open(t, root, Options{})
	says(t, c.Warnings, "1 of 3 pictures ambiguous in", "r_1 (train/r_1.bmp or train/r_1.tif)")
	if len(c.Views) != 3 {
		t.Errorf("%d views, expected 3", len(c.Views))
	}
}
