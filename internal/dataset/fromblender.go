package dataset

import (
	"path"
	"path/filepath"

	"splat/internal/dataset/blender"
	"splat/internal/dataset/nerfstudio"
	"splat/internal/fault"
)

// readBlender reads a NeRF-synthetic capture.
func readBlender(root string, o Options) (*draft, error) {
	files, err := blender.Find(root)
	if err != nil {
		return nil, err
	}
	if files.Train == "" {
		return nil, fault.Dataf("%s: no transforms_train.json; camera files there: %s", root, few(nerfstudio.Candidates(root)))
	}
	src, err := newFrameSource(root, o)
	if err != nil {
		return nil, err
	}
	d := &draft{root: root, format: "blender", source: filepath.Join(root, files.Train), files: files.Names()}
	ply, err := src.addBlender(d, d.source, nerfstudio.Train)
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

// addBlender reads one file of the trio, all of whose frames are for one thing,
// and returns its ply_file_path.
func (s *frameSource) addBlender(d *draft, file string, role nerfstudio.Role) (ply string, err error) {
	f, err := blender.Read(file)
	if err != nil {
		return "", err
	}
	n := s.add(d, f, func(nerfstudio.Frame) nerfstudio.Role { return role })
	d.notef("%s: %s", file, plural(n, splitName(role)+" view"))
	return f.PLY, nil
}

func splitName(role nerfstudio.Role) string {
	if role == nerfstudio.Test {
		return "test"
	}
	return "training"
}

// addTest reads the views to test on: transforms_test.json, else the validation
// file, which otherwise is not used at all.
func (s *frameSource) addTest(d *draft, files blender.Files) error {
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
	_, err := s.addBlender(d, filepath.Join(files.Dir, test), nerfstudio.Test)
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
