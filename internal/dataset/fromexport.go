package dataset

import (
	"path/filepath"

	"splat/internal/dataset/exports"
	"splat/internal/dataset/nerfstudio"
	"splat/internal/fault"
)

// readExport reads the cameras that a capture program exported. Its pictures may be
// named from root or from the folder of images on.
func readExport(root string, s exports.Source, o Options) (*draft, error) {
	f, err := exports.Read(root, s)
	if err != nil {
		return nil, err
	}
	src, err := newFrameSource(root, o)
	if err != nil {
		return nil, err
	}
	if o.Images == "" {
		src.finders = append([]frameFinder{{newFinder(imageFolders(root, o.Downscale)), ""}}, src.finders...)
	}
	d := &draft{root: root, format: s.Format, source: filepath.Join(root, filepath.FromSlash(s.Name)), files: []string{s.Name}}
	n := src.add(d, f, func(nerfstudio.Frame) nerfstudio.Role { return nerfstudio.Train })
	if n == 0 {
		return nil, fault.Dataf("%s: no usable frame: %s", f.Path, firstOf(d.warnings))
	}
	d.notef("%s (%s): %s of %s", f.Path, s.Format, plural(n, "view"), plural(f.Total, "frame"))
	src.report(d)
	d.labelBySplit()
	return d, d.readNamedPLY(root, "")
}
