package dataset

import (
	"path"
	"path/filepath"
	"strings"

	"splat/internal/dataset/blender"
	"splat/internal/fault"
)

// readBlender reads a NeRF-synthetic capture.
func readBlender(root string, o Options) (*draft, error) {
	files, err := blender.Find(root)
	if err != nil {
		return nil, err
	}
	if files.Train == "" {
		return nil, fault.Dataf("%s: no transforms_train.json; camera files there: %s", root, few(blender.Candidates(root)))
	}
	src, err := newBlenderSource(root, o)
	if err != nil {
		return nil, err
	}
	d := &draft{root: root, format: "blender"}
	ply, err := src.add(d, filepath.Join(root, files.Train), false)
	if err != nil {
		return nil, err
	}
	if err := src.addTest(d, files); err != nil {
		return nil, err
	}
	if len(d.views) == 0 {
		return nil, fault.Dataf("%s: no usable frame: %s", root, firstOf(d.warnings))
	}
	src.report(d)
	d.keepTestApart()
	d.labelBySplit()
	return d, d.readNamedPLY(root, ply)
}

// blenderSource finds the pictures of frames. A file_path below images may also
// be in images_N, as for COLMAP models.
type blenderSource struct {
	finders []blenderFinder   // in order of preference
	names   map[string]string // name of each view so far, with its picture
}

// blenderFinder looks names up without their first folder, where that is the one
// called drop ("*": any).
type blenderFinder struct {
	*finder
	drop string
}

func newBlenderSource(root string, o Options) (*blenderSource, error) {
	s := &blenderSource{names: map[string]string{}}
	if o.Images == "" {
		whole := []*folder{{dir: root, reduction: 1}}
		s.finders = []blenderFinder{{newFinder(imageFolders(root, o.Downscale)), "images"}, {newFinder(whole), ""}}
		return s, nil
	}
	named, err := namedFolders(o.Images, []string{root}, o.Downscale)
	s.finders = []blenderFinder{{newFinder(named), ""}, {newFinder(named), "*"}}
	return s, err
}

// name returns the name to look up, or false where this finder is not meant.
func (f blenderFinder) name(p string) (string, bool) {
	if f.drop == "" {
		return p, true
	}
	first, rest, ok := strings.Cut(path.Clean(strings.ReplaceAll(p, `\`, "/")), "/")
	return rest, ok && first != ".." && (f.drop == "*" || strings.EqualFold(first, f.drop))
}

// add reads one camera file into the draft and returns its ply_file_path.
func (s *blenderSource) add(d *draft, file string, test bool) (ply string, err error) {
	f, err := blender.Read(file)
	if err != nil {
		return "", err
	}
	before := len(d.views)
	var gone []string
	seen := map[string]bool{}
	for _, frame := range f.Frames {
		v, how := s.view(frame)
		switch {
		case v.picture == "":
			gone = append(gone, absent(frame.FilePath, how))
		case seen[v.picture]:
			f.Skipped = append(f.Skipped, blender.Skip{Index: frame.Index, FilePath: frame.FilePath, Reason: "its picture is there twice"})
		default:
			seen[v.picture] = true
			v.test = test
			d.views = append(d.views, v)
		}
	}
	d.warnAbsent(gone, len(f.Frames), s.finders[len(s.finders)-1].where())
	d.warnSkipped(f)
	d.notef("%s: %s", file, plural(len(d.views)-before, splitName(test)+" view"))
	return f.PLY, nil
}

// view makes a view of a frame; its picture is "" where none is found.
func (s *blenderSource) view(frame blender.Frame) (draftView, match) {
	why := missing
	for _, f := range s.finders {
		name, ok := f.name(frame.FilePath)
		if !ok {
			continue
		}
		at, how := f.find(name)
		if at.in == nil {
			why = max(why, how)
			continue
		}
		if f.drop == "images" {
			at.rel = path.Join("images", at.rel)
		}
		v := draftView{picture: at.path, reduction: at.in.reduction, lens: frame.Intrinsics, pose: frame.Pose}
		v.name = s.uniqueName(at)
		return v, how
	}
	return draftView{}, why
}

// uniqueName is the picture's name without its ending, or with it where another
// picture has the same one.
func (s *blenderSource) uniqueName(at found) string {
	name := stem(at.rel)
	if p, taken := s.names[name]; taken && p != at.path {
		name = at.rel
	}
	s.names[name] = at.path
	return name
}

func (d *draft) warnSkipped(f *blender.File) {
	if f.Total == 0 {
		d.warnf("%s: lists no frames", f.Path)
	}
	if len(f.Skipped) > 0 {
		d.warnf("%s: %d of %s left out: %s", f.Path, len(f.Skipped), plural(f.Total, "frame"), firstOf(skips(f.Skipped)))
	}
}

func (s *blenderSource) report(d *draft) {
	for _, f := range s.finders {
		f.report(d)
	}
}

func splitName(test bool) string {
	if test {
		return "test"
	}
	return "training"
}

func skips(list []blender.Skip) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.String()
	}
	return out
}

// addTest reads the views to test on: transforms_test.json, else the validation
// file, which otherwise is not used at all.
func (s *blenderSource) addTest(d *draft, files blender.Files) error {
	test := files.Test
	switch {
	case test == "" && files.Val == "":
		d.notef("%s: neither transforms_test.json nor transforms_val.json", files.Dir)
		return nil
	case test == "":
		test = files.Val
		d.notef("no transforms_test.json: the views of %s are for testing", test)
	case files.Val != "":
		d.notef("%s is not used: %s holds the test views", files.Val, test)
	}
	d.ownSplit = true
	_, err := s.add(d, filepath.Join(files.Dir, test), true)
	return err
}

// keepTestApart takes views out of training whose picture is a test view's too:
// what is scored must not have been trained on.
func (d *draft) keepTestApart() {
	test := map[string]bool{}
	for _, v := range d.views {
		if v.test {
			test[v.picture] = true
		}
	}
	var both []string
	kept := d.views[:0]
	for _, v := range d.views {
		if !v.test && test[v.picture] {
			both = append(both, v.name)
			continue
		}
		kept = append(kept, v)
	}
	d.views = kept
	if len(both) > 0 {
		d.warnf("%s in both the training and the test file, used for testing only: %s", plural(len(both), "picture"), firstOf(both))
	}
}

// labelBySplit gives each view its file's name as label where that is unique
// within the split, else its full name.
func (d *draft) labelBySplit() {
	type key struct {
		base string
		test bool
	}
	count := map[key]int{}
	for _, v := range d.views {
		count[key{path.Base(v.name), v.test}]++
	}
	for i := range d.views {
		v := &d.views[i]
		if base := path.Base(v.name); count[key{base, v.test}] == 1 {
			v.label = base
		}
	}
}

// readNamedPLY reads the cloud that a camera file names.
func (d *draft) readNamedPLY(root, name string) error {
	if name == "" {
		return nil
	}
	if !staysInside(path.Clean(name)) {
		return fault.Dataf("%s: ply_file_path %q leads out of the folder", root, name)
	}
	p := filepath.Join(root, filepath.FromSlash(strings.ReplaceAll(name, `\`, "/")))
	if !isFile(p) {
		return fault.Dataf("%s: ply_file_path names %s, which is not there", root, p)
	}
	return d.readPLY(p)
}
