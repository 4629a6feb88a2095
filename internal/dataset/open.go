package dataset

import (
	"os"
	"path/filepath"
	"strings"

	"splat/internal/dataset/blender"
	"splat/internal/dataset/colmap"
	"splat/internal/fault"
)

// Options selects pictures and split. The zero value takes the pictures in full
// size and holds out none.
type Options struct {
	Downscale int    // divide the full size by this; 0 and 1 leave it
	MaxSize   int    // limit of the longest side in pixels, inclusive; 0 is no limit
	Images    string // folder of the pictures inside the capture; "" finds it
	Sparse    string // folder of the COLMAP model inside the capture; "" finds it
	TestEvery int    // every K-th view by name, from the first on, is for testing where the capture has no split; 0 none
}

// ReadPLY reads the points of a PLY file: positions (3n) and colours (3n, or nil
// where there are none). The program sets it before Open is called, so that this
// package does not depend on the splat file readers.
var ReadPLY func(path string) (xyz []float32, rgb []uint8, err error)

// Open reads a capture: a folder, or the JSON file inside one. It reads camera
// files and picture headers, no pixels. Errors are of kind fault.Data and say
// what was looked for and what was found.
func Open(path string, o Options) (*Capture, error) {
	root, viaJSON, err := locate(path)
	if err != nil {
		return nil, err
	}
	d, err := read(root, viaJSON, o)
	if err != nil {
		return nil, err
	}
	c := &Capture{Path: path, Root: d.root, Name: shortName(root), Format: d.format}
	if err := d.finish(c, o); err != nil {
		return nil, err
	}
	return c, nil
}

// locate returns the folder that a path means and whether the path was a camera
// file inside it.
func locate(path string) (root string, viaJSON bool, err error) {
	st, err := os.Stat(path)
	switch {
	case err != nil && os.IsNotExist(err):
		return "", false, fault.Dataf("%s: no such file or folder, expected a capture", path)
	case err != nil:
		return "", false, fault.Dataf("%w", err)
	case st.IsDir():
		return filepath.Clean(path), false, nil
	}
	name := filepath.Base(path)
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case blender.IsName(name):
		return filepath.Dir(path), true, nil
	case ext == ".json":
		return "", false, otherJSON(path)
	case ext == ".zip":
		return "", false, fault.Dataf("%s: zip files are not read yet, expected a folder: unpack it first", path)
	case isVideo(name):
		return "", false, videoGuide(path)
	}
	return "", false, fault.Dataf("%s: is a file, expected the folder of a capture or a transforms_train.json inside one", path)
}

// shortName is the folder's own name, also for "." and "..".
func shortName(root string) string {
	abs, err := filepath.Abs(root)
	if err != nil {
		return "capture"
	}
	if name := filepath.Base(abs); name != string(filepath.Separator) && name != "." {
		return name
	}
	return "capture"
}

// read chooses the reader. A COLMAP model comes before camera files of a folder,
// since it brings points; naming the JSON file or the model decides otherwise.
func read(root string, viaJSON bool, o Options) (*draft, error) {
	if o.Sparse != "" {
		return readNamedCOLMAP(root, o)
	}
	if viaJSON {
		return readBlender(root, o)
	}
	if groups := colmap.Find(root); len(groups) > 0 {
		return readCOLMAP(root, groups, o)
	}
	if f, err := blender.Find(root); err != nil || f.Train != "" {
		return readBlender(root, o)
	}
	if single := filepath.Join(root, "transforms.json"); isFile(single) {
		return nil, singleTransforms(single)
	}
	inner, err := innerCapture(root)
	if err != nil {
		return nil, err
	}
	if inner == "" {
		return nil, unrecognised(root)
	}
	d, err := read(inner, false, o)
	if err == nil {
		d.notef("the capture is in the folder %s", inner)
	}
	return d, err
}

// innerCapture returns the one sub-folder that holds a capture, as zip programs
// make it, or "".
func innerCapture(root string) (string, error) {
	var found []string
	for _, dir := range subfolders(root) {
		if holdsCapture(dir) {
			found = append(found, dir)
		}
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", fault.Dataf("%s: holds several captures, name one of them: %s", root, few(found))
}

func holdsCapture(dir string) bool {
	f, err := blender.Find(dir)
	return err == nil && f.Train != "" || isFile(filepath.Join(dir, "transforms.json")) || len(colmap.Find(dir)) > 0
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// subfolders lists the folders in dir that are not hidden, by name.
func subfolders(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var dirs []string
	for _, e := range entries {
		if p := filepath.Join(dir, e.Name()); !hidden(e.Name()) && (e.IsDir() || e.Type()&os.ModeSymlink != 0 && isDir(p)) {
			dirs = append(dirs, p)
		}
	}
	return dirs
}
