package dataset

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"splat/internal/archive"
	"splat/internal/dataset/blender"
	"splat/internal/dataset/colmap"
	"splat/internal/dataset/exports"
	"splat/internal/dataset/nerfstudio"
	"splat/internal/fault"
)

// Options selects pictures and split. The zero value takes the pictures in full
// size and holds out none.
type Options struct {
	Downscale int    // divide the full size by this; 0 and 1 leave it
	MaxSize   int    // limit of the longest side in pixels, inclusive; 0 is no limit
	Images    string // folder of the pictures inside the capture; "" finds it
	Sparse    string // folder of the COLMAP model inside the capture; "" finds it
	Masks     string // folder of the masks inside the capture; "" finds it
	Alpha     string // "transparent": masks are not looked for
	TestEvery int    // every K-th view by name, from the first on, is for testing where the capture has no split; 0 none

	InvertMasks bool // masks tell which pixels do not count
	Undistort   bool // pictures of lenses with distortion become those of pinhole cameras
	AnyLens     bool // to look at, not to train on: cameras that are no pinhole are accepted, with a warning
}

// ReadPLY reads the points of a PLY file: positions (3n) and colours (3n, or nil
// where there are none). The program sets it before Open is called, so that this
// package does not depend on the splat file readers.
var ReadPLY func(path string) (xyz []float32, rgb []uint8, err error)

// Open reads a capture: a folder, or the JSON file inside one. It reads camera
// files and picture headers, no pixels. Errors are of kind fault.Data and say
// what was looked for and what was found.
func Open(path string, o Options) (*Capture, error) {
	root, file, err := locate(path)
	if err != nil {
		return nil, err
	}
	d, err := readAt(root, file, o)
	if err != nil {
		return nil, err
	}
	root = d.root
	c := &Capture{Path: path, Root: d.root, Name: shortName(root), Format: d.format}
	if err := d.finish(c, o); err != nil {
		return nil, err
	}
	return c, nil
}

// readAt is read, also for the folder of a model, whose capture is above it.
func readAt(root, file string, o Options) (*draft, error) {
	above := aboveModel(root)
	if file != "" || o.Sparse != "" || above == "" {
		return read(root, file, o)
	}
	d, err := choose([]reading{func() (*draft, error) { return readCOLMAP(above, colmap.In(root), o) }}, o)
	if err == nil {
		d.notef("the capture of the model %s is %s", root, above)
	}
	return d, err
}

// aboveModel returns the folder of the capture that a folder called sparse, or one with
// a number in it, holds a model of; "" for other folders and for models that have
// their pictures with them.
func aboveModel(dir string) string {
	abs, err := filepath.Abs(dir)
	if full, _ := listImageFolders(dir); err != nil || full != "" || len(colmap.In(dir)) == 0 {
		return ""
	}
	if !filepath.IsLocal(dir) || filepath.Clean(dir) == "." {
		dir = abs
	}
	up := 0
	for ; partOfModel(filepath.Base(abs)); abs = filepath.Dir(abs) {
		dir, up = filepath.Dir(dir), up+1
	}
	if up == 0 {
		return ""
	}
	return dir
}

// partOfModel tells the names of folders on the way from a capture to its model.
func partOfModel(name string) bool {
	_, err := strconv.Atoi(name)
	return err == nil || slices.Contains([]string{"sparse", "colmap", "dense", "distorted"}, strings.ToLower(name))
}

// locate returns the folder that a path means, and the name of the camera file in
// it where the path was one, else "".
func locate(path string) (root, file string, err error) {
	st, err := archive.Stat(path)
	switch {
	case err != nil && os.IsNotExist(err):
		return "", "", fault.Dataf("%s: no such file or folder, expected a capture", path)
	case err != nil:
		return "", "", fault.Unreadable(path, err)
	case st.IsDir():
		return filepath.Clean(path), "", nil
	}
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext == ".json" || ext == ".csv" || ext == ".xml":
		return filepath.Dir(path), filepath.Base(path), nil
	case isVideo(path):
		return "", "", videoGuide(path)
	}
	return "", "", fault.Dataf("%s: is a file, expected the folder of a capture, its zip file, or the JSON file inside one", path)
}

// shortName is the folder's own name, also for "." and "..".
func shortName(root string) string {
	abs, err := filepath.Abs(root)
	if err != nil {
		return "capture"
	}
	name := filepath.Base(abs)
	if archive.IsZip(abs) {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	if name != string(filepath.Separator) && name != "." {
		return name
	}
	return "capture"
}

// read reads what the user named, a model or a camera file, else what the folder
// holds.
func read(root, file string, o Options) (*draft, error) {
	switch {
	case o.Sparse != "":
		d, err := choose([]reading{func() (*draft, error) { return readNamedCOLMAP(root, o) }}, o)
		if err == nil && file != "" {
			d.notef("%s is read, since --sparse names it, not %s", d.source, file)
		}
		return d, err
	case file != "":
		return choose([]reading{cameraFile(root, file, o)}, o)
	}
	if list := readings(root, o); len(list) > 0 {
		d, err := choose(list, o)
		if err == nil {
			d.noteOthers()
		}
		return d, err
	}
	inner, err := innerCapture(root)
	if err != nil {
		return nil, err
	}
	if inner == "" {
		return nil, unrecognised(root)
	}
	d, err := read(inner, "", o)
	if err == nil {
		d.notef("the capture is in the folder %s", inner)
	}
	return d, err
}

// reading is one way to understand a folder. With an error it may return the draft
// so far, whose refusal then counts.
type reading func() (*draft, error)

// readings lists the ways to understand root, the preferred one first: COLMAP
// models, since they bring points; the trio of NeRF-synthetic, which brings a
// split; transforms.json; the one JSON file of another name that speaks of frames; the
// exports of capture programs.
func readings(root string, o Options) []reading {
	var list []reading
	for _, group := range colmap.Find(root) {
		list = append(list, func() (*draft, error) { return readCOLMAP(root, group, o) })
	}
	for _, name := range cameraFiles(root) {
		list = append(list, cameraFile(root, name, o))
	}
	for _, s := range exports.Find(root) {
		list = append(list, func() (*draft, error) { return readExport(root, s, o) })
	}
	return list
}

// cameraFiles names the camera files by which root can be read, in the order of
// preference.
func cameraFiles(root string) []string {
	var names []string
	if f, err := blender.Find(root); err == nil && f.Train != "" {
		names = append(names, f.Train)
	}
	if n := nerfstudio.Find(root); n != "" {
		names = append(names, n)
	}
	if len(names) > 0 {
		return names
	}
	if c := nerfstudio.Candidates(root); len(c) == 1 && !blender.IsName(c[0]) {
		return c
	}
	return nil
}

// cameraFile reads one camera file, or the trio that it belongs to.
func cameraFile(root, name string, o Options) reading {
	if s, ok := exports.Of(root, name); ok {
		return func() (*draft, error) { return readExport(root, s, o) }
	}
	if blender.IsName(name) {
		return func() (*draft, error) { return readBlender(root, o) }
	}
	return func() (*draft, error) { return readNerfstudio(root, name, o) }
}

// choose takes the first reading that can be trained on: COLMAP leaves the
// distorted model in sparse and the undistorted one in dense. Where none can, the
// first one's refusal stands, unless cameras of any kind are welcome.
func choose(list []reading, o Options) (*draft, error) {
	var first *draft // refused
	var wrong error  // with first, other than its lenses
	for _, read := range list {
		d, err := read()
		refused := d != nil && d.refusal != nil
		switch {
		case err == nil && !refused:
			if first != nil {
				d.notef("%s is used, since %v", d.source, first.refusal)
				d.files = append(d.files, first.files...)
			}
			return d, nil
		case first == nil && !refused:
			return nil, err
		case first == nil:
			first, wrong = d, err
		}
	}
	switch {
	case !o.AnyLens:
		return nil, first.refusal
	case wrong != nil:
		return nil, wrong
	}
	first.warnf("not to be trained on yet: %v", first.refusal)
	return first, nil
}

// noteOthers names the camera files that were passed over.
func (d *draft) noteOthers() {
	others := slices.DeleteFunc(nerfstudio.Candidates(d.root), func(n string) bool { return slices.Contains(d.files, n) })
	if len(others) > 0 {
		d.notef("%s is read, not %s: name the file to read it instead", d.source, few(others))
	}
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
	return len(cameraFiles(dir)) > 0 || len(colmap.Find(dir)) > 0 || len(exports.Find(dir)) > 0
}

func isFile(path string) bool {
	st, err := archive.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

func isDir(path string) bool {
	st, err := archive.Stat(path)
	return err == nil && st.IsDir()
}

// subfolders lists the folders in dir that are not hidden, by name.
func subfolders(dir string) []string {
	entries, _ := archive.ReadDir(dir)
	var dirs []string
	for _, e := range entries {
		if p := filepath.Join(dir, e.Name()); !hidden(e.Name()) && (e.IsDir() || e.Type()&fs.ModeSymlink != 0 && isDir(p)) {
			dirs = append(dirs, p)
		}
	}
	return dirs
}
