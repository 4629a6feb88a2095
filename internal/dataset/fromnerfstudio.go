package dataset

import (
	"fmt"
	"path/filepath"
	"strings"

	"splat/internal/archive"
	"splat/internal/dataset/nerfstudio"
	"splat/internal/fault"
)

// readNerfstudio reads a capture whose cameras are all in one JSON file of root.
func readNerfstudio(root, name string, o Options) (*draft, error) {
	file := filepath.Join(root, name)
	f, err := nerfstudio.Read(file)
	if err != nil {
		return nil, err
	}
	src, err := newFrameSource(root, o)
	if err != nil {
		return nil, err
	}
	d := &draft{root: root, format: "nerfstudio", source: file, files: []string{name}}
	roles := d.roles(f)
	n := src.add(d, f, func(frame nerfstudio.Frame) nerfstudio.Role { return roles[frame.Index] })
	if n == 0 {
		return nil, fault.Dataf("%s: no usable frame: %s", file, firstOf(d.warnings))
	}
	d.notef("%s: %s of %s", file, plural(n, "view"), plural(f.Total, "frame"))
	src.report(d)
	d.labelBySplit()
	return d, d.readNamedPLY(root, f.PLY)
}

// roles returns what each frame is for, by its index, and says what the file's own
// split does.
func (d *draft) roles(f *nerfstudio.File) map[int]nerfstudio.Role {
	roles := map[int]nerfstudio.Role{}
	split := f.Split.Roles()
	var test, none []string
	for _, frame := range f.Frames {
		r := split.Of(frame.FilePath)
		roles[frame.Index] = r
		switch r {
		case nerfstudio.Test:
			test = append(test, frame.FilePath)
		case nerfstudio.Unlisted:
			none = append(none, frame.FilePath)
		}
	}
	for _, s := range f.Skipped {
		split.Of(s.FilePath) // a frame all the same
	}
	d.ownSplit = len(test) > 0
	if d.ownSplit {
		d.notef("%s: the test views are %s", f.Path, split.Held)
	}
	if split.Unused != "" {
		d.notef("%s: %s is not used: %s holds the test views", f.Path, split.Unused, split.Held)
	}
	d.warnSplit(f, split, none)
	return roles
}

// warnSplit says where the lists of file names and the frames do not agree.
func (d *draft) warnSplit(f *nerfstudio.File, split *nerfstudio.Roles, none []string) {
	if names := split.Unmatched(f.Split); len(names) > 0 {
		d.warnf("%s: %s in train_filenames, val_filenames or test_filenames without a frame: %s", f.Path, plural(len(names), "name"), firstOf(names))
	}
	if both := split.Both(f.Split); len(both) > 0 {
		d.warnf("%s: %s for both training and testing, used for testing only: %s", f.Path, plural(len(both), "picture"), firstOf(both))
	}
	if len(none) > 0 {
		d.warnf("%s: %s in neither train_filenames nor %s, left out: %s", f.Path, plural(len(none), "frame"), split.Held, firstOf(none))
	}
}

// readNamedPLY reads the cloud that a camera file names, relative to the file.
func (d *draft) readNamedPLY(root, name string) error {
	if name == "" {
		d.noteUnnamedPLY(root)
		return nil
	}
	for _, p := range pathReadings(name) {
		if !staysInside(p) {
			return fault.Dataf("%s: ply_file_path %q leads out of the folder", d.source, name)
		}
		if file := filepath.Join(root, filepath.FromSlash(slashes(p))); isFile(file) {
			return d.readPLY(file)
		}
	}
	return fault.Dataf("%s: ply_file_path names %s, which is not there", d.source, filepath.Join(root, filepath.FromSlash(slashes(name))))
}

// noteUnnamedPLY says that a cloud beside a camera file is not used unless the
// file names it: it may be a result, or in another frame.
func (d *draft) noteUnnamedPLY(root string) {
	entries, _ := archive.ReadDir(root)
	var clouds []string
	for _, e := range entries {
		if !hidden(e.Name()) && strings.EqualFold(filepath.Ext(e.Name()), ".ply") {
			clouds = append(clouds, e.Name())
		}
	}
	if len(clouds) > 0 {
		d.notef("%s names no ply_file_path: %s not used", d.source, isOrAre(clouds))
	}
}

func isOrAre(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return fmt.Sprintf("%s are", few(names))
}
