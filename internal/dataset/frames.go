package dataset

import (
	"fmt"
	"path"
	"strings"

	"splat/internal/dataset/nerfstudio"
	"splat/internal/fault"
)

// frameSource finds the pictures of frames. A file_path below images may also be
// in images_N, as for COLMAP models.
type frameSource struct {
	finders    []frameFinder     // in order of preference
	names      map[string]string // name of each view so far, with its picture
	cut        []string          // absolute paths that were looked up from some folder on
	straighten bool              // lenses with distortion are undone
	plain      map[string]bool   // models that are read as a pinhole, since they have no distortion
}

// frameFinder looks names up without their first folder, where that is the one
// called drop ("*": any).
type frameFinder struct {
	*finder
	drop string
}

func newFrameSource(root string, o Options) (*frameSource, error) {
	s := &frameSource{names: map[string]string{}, plain: map[string]bool{}, straighten: o.Undistort}
	if o.Images == "" {
		whole := []*folder{{dir: root, reduction: 1}}
		s.finders = []frameFinder{{newFinder(imageFolders(root, o.Downscale)), "images"}, {newFinder(whole), ""}}
		return s, nil
	}
	named, err := namedFolders(o.Images, []string{root}, o.Downscale)
	s.finders = []frameFinder{{newFinder(named), ""}, {newFinder(named), "*"}}
	return s, err
}

// name returns the name to look up, or false where this finder is not meant.
func (f frameFinder) name(p string) (string, bool) {
	if f.drop == "" {
		return p, true
	}
	first, rest, ok := strings.Cut(path.Clean(slashes(p)), "/")
	return rest, ok && first != ".." && (f.drop == "*" || strings.EqualFold(first, f.drop))
}

// add makes views of the frames of a camera file; role tells what each is for. It
// returns the number of views.
func (s *frameSource) add(d *draft, f *nerfstudio.File, role func(nerfstudio.Frame) nerfstudio.Role) int {
	var gone absences
	wanted, before := 0, len(d.views)
	seen := map[string]bool{}
	skipped := f.Skipped
	for _, frame := range f.Frames {
		r := role(frame)
		if r > nerfstudio.Test {
			continue
		}
		wanted++
		v, how, rivals := s.view(frame)
		switch {
		case v.picture == "":
			gone.add(frame.FilePath, how, rivals)
		case seen[v.picture]:
			skipped = append(skipped, nerfstudio.Skip{Index: frame.Index, FilePath: frame.FilePath, Reason: "its picture is there twice"})
		default:
			seen[v.picture] = true
			v.test = r == nerfstudio.Test
			if bend, ok := frame.Lens.Bend(); ok && s.straighten {
				v.bend = bend
			} else {
				d.judge(f.Path, frame, s.plain)
			}
			d.views = append(d.views, v)
		}
	}
	gone.warn(d, wanted, s.where())
	d.warnSkipped(f, skipped)
	d.noteKeys(f)
	return len(d.views) - before
}

// where names the folder that everything was looked up in at last.
func (s *frameSource) where() string { return s.finders[len(s.finders)-1].where() }

// judge keeps the first reason why the capture cannot be trained on, and says
// once a model which one is read as a pinhole.
func (d *draft) judge(file string, frame nerfstudio.Frame, plain map[string]bool) {
	err := frame.Lens.Refusal()
	if err != nil && d.refusal == nil {
		d.refusal = fault.Dataf("%s: %v: %w", file, frame, err)
	}
	model := frame.Lens.Model
	if err == nil && !strings.HasSuffix(model, "PINHOLE") && !plain[model] {
		plain[model] = true
		d.notef("%s: %s without distortion is read as PINHOLE", file, model)
	}
}

// view makes a view of a frame; its picture is "" where none is found.
func (s *frameSource) view(frame nerfstudio.Frame) (v draftView, why match, rivals []string) {
	for _, p := range pathReadings(frame.FilePath) {
		for _, f := range s.finders {
			name, ok := f.name(p)
			if !ok {
				continue
			}
			at, how := f.find(name)
			if at.in == nil {
				if how > why {
					why, rivals = how, at.rivals
				}
				continue
			}
			if f.drop == "images" {
				at.rel = path.Join("images", at.rel)
			}
			if p != frame.FilePath {
				s.cut = append(s.cut, frame.FilePath+" -> "+at.rel)
			}
			return s.viewAt(frame, at), how, nil
		}
	}
	return draftView{}, why, rivals
}

// viewAt makes a view of a frame whose picture was found. A path that goes through
// an images_N itself is reduced like that folder.
func (s *frameSource) viewAt(frame nerfstudio.Frame, at found) draftView {
	n := at.in.reduction
	if first, _, below := strings.Cut(at.rel, "/"); below {
		n = max(n, reductionOf(first))
	}
	return draftView{name: s.uniqueName(at), picture: at.path, rel: inFolder(at), in: at.in, maskPath: frame.Mask, reduction: n, lens: frame.Lens, pose: frame.Pose}
}

// inFolder is the picture's name in the folder that it was found in.
func inFolder(at found) string {
	if _, rest, ok := strings.Cut(at.rel, "/"); ok && !at.in.pics().exact[at.rel] {
		return rest
	}
	return at.rel
}

// pathReadings returns the paths to look up for a file_path: itself or, where it is an
// absolute one of the machine that wrote the file, its ends, the longest first.
func pathReadings(p string) []string {
	rest, ok := absolute(p)
	if !ok {
		return []string{p}
	}
	var out []string
	for more := true; more && rest != ""; {
		out = append(out, rest)
		_, rest, more = strings.Cut(rest, "/")
	}
	return out
}

// absolute tells absolute paths of any system, and returns them with slashes and
// without their root.
func absolute(p string) (rest string, ok bool) {
	p = slashes(p)
	if len(p) >= 3 && p[1] == ':' && p[2] == '/' {
		return strings.TrimPrefix(path.Clean(p[2:]), "/"), true
	}
	return strings.TrimPrefix(path.Clean(p), "/"), strings.HasPrefix(p, "/")
}

func slashes(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// uniqueName is the picture's name without its ending, or with it where another
// picture has the same one.
func (s *frameSource) uniqueName(at found) string {
	name := stem(at.rel)
	if p, taken := s.names[name]; taken && p != at.path {
		name = at.rel
	}
	s.names[name] = at.path
	return name
}

// report tells the draft where pictures were found and what was odd.
func (s *frameSource) report(d *draft) {
	for _, f := range s.finders {
		f.report(d)
	}
	if len(s.cut) > 0 {
		d.notef("%s looked up inside the capture: %s", plural(len(s.cut), "absolute path"), firstOf(s.cut))
	}
}

// noteKeys says what was done about keys of a camera file that call for something.
func (d *draft) noteKeys(f *nerfstudio.File) {
	if len(f.World) > 0 {
		d.notef("%s: %s taken as done: poses and points are in one frame, and splats will be in it too", f.Path, isOrAre(f.World))
	}
}

func (d *draft) warnSkipped(f *nerfstudio.File, skipped []nerfstudio.Skip) {
	if f.Total == 0 {
		d.warnf("%s: lists no frames", f.Path)
	}
	if len(skipped) > 0 {
		d.warnf("%s: %d of %s left out: %s", f.Path, len(skipped), plural(f.Total, "frame"), firstOf(texts(skipped)))
	}
}

func texts[T fmt.Stringer](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = v.String()
	}
	return out
}
