package dataset

import (
	"path"
	"path/filepath"
	"strings"

	"splat/internal/fault"
	"splat/internal/imageio"
)

// Masks are pictures that say which pixels of others count. They are looked for by
// the name of the picture, before any split:
//
//	mask_path of a frame, relative to the camera file
//	a folder called masks or mask beside the folder of the pictures or in the capture's
//	root, or the one that the user names: x.jpg, x.jpg.png, x.png for x.jpg, in the
//	same sub-folders, and x.mask.png, x_mask.png, x.jpg.mask.png
//	beside the picture: x.mask.png, x_mask.png, x.jpg.mask.png, x.jpg.png
type maskSearch struct {
	folders []*folder
	own     map[string]bool // pictures of views, which are nobody's masks
	found   int
	without []string // names of views without a mask
}

// findMasks gives the views their masks.
func (d *draft) findMasks(o Options) error {
	folders, err := d.maskFolders(o.Masks)
	if err != nil {
		return err
	}
	if o.Alpha == "transparent" {
		return d.refuseMasks(o, folders)
	}
	s := maskSearch{folders: folders, own: map[string]bool{}}
	for _, v := range d.views {
		s.own[v.picture] = true
	}
	for i := range d.views {
		if err := s.find(d, &d.views[i]); err != nil {
			return err
		}
	}
	return s.report(d, o)
}

// refuseMasks is for alpha as transparency, where a mask has no place.
func (d *draft) refuseMasks(o Options, folders []*folder) error {
	if o.Masks != "" {
		return fault.Usagef("--masks %s: masks say which pixels to ignore, which --alpha transparent does not do; expected --alpha mask", o.Masks)
	}
	named := 0
	for _, v := range d.views {
		if v.maskPath != "" {
			named++
		}
	}
	switch {
	case named > 0:
		d.notef("mask_path of %s is not used: --alpha transparent", plural(named, "frame"))
	case len(folders) > 0:
		d.notef("%s is not used: --alpha transparent", folders[0].dir)
	}
	return nil
}

// maskFolders returns the folders to look in: the one named, else all that are called
// masks or mask.
func (d *draft) maskFolders(named string) ([]*folder, error) {
	if named != "" {
		dir, err := namedFolder("--masks", named, []string{d.root})
		return []*folder{{dir: dir}}, err
	}
	var out []*folder
	bases := map[string]bool{}
	add := func(base string) {
		if base != d.root && !staysBelow(base, d.root) || bases[base] {
			return
		}
		bases[base] = true
		for _, dir := range subfolders(base) {
			if n := strings.ToLower(filepath.Base(dir)); n == "masks" || n == "mask" {
				out = append(out, &folder{dir: dir})
			}
		}
	}
	for _, v := range d.views {
		if v.in != nil {
			add(filepath.Dir(v.in.dir))
		}
	}
	add(d.root)
	return out, nil
}

func (s *maskSearch) find(d *draft, v *draftView) error {
	if v.maskPath != "" {
		at, err := d.namedMask(v)
		v.mask = at
		s.found++
		return err
	}
	if v.mask = s.inFolders(v); v.mask == "" {
		v.mask = s.beside(v)
	}
	if v.mask == "" {
		s.without = append(s.without, v.name)
		return nil
	}
	s.found++
	return nil
}

// namedMask finds the mask that a frame names.
func (d *draft) namedMask(v *draftView) (string, error) {
	for _, p := range pathReadings(v.maskPath) {
		if !staysInside(p) {
			return "", fault.Dataf("%s: mask_path %q of %s leads out of the folder", d.source, v.maskPath, v.name)
		}
		if file := filepath.Join(d.root, filepath.FromSlash(slashes(p))); isFile(file) {
			return file, nil
		}
	}
	return "", fault.Dataf("%s: mask_path of %s names %s, which is not there", d.source, v.name, filepath.Join(d.root, filepath.FromSlash(slashes(v.maskPath))))
}

// inFolders looks a view's mask up in the folders of masks, with the picture's path in
// its folder and without that path's first part, which may be the folder's own name.
func (s *maskSearch) inFolders(v *draftView) string {
	names := []string{v.rel}
	if _, rest, ok := strings.Cut(v.rel, "/"); ok {
		names = append(names, rest)
	}
	if v.in != nil {
		names = append(names, path.Join(filepath.Base(v.in.dir), v.rel))
	}
	for _, f := range s.folders {
		for _, name := range names {
			if at := s.lookUp(f, append([]string{name, name + ".png"}, maskNames(name)...)); at != "" {
				return at
			}
		}
	}
	return ""
}

// maskNames are the names of masks that say so, without an ending.
func maskNames(picture string) []string {
	return []string{stem(picture) + ".mask", stem(picture) + "_mask", picture + ".mask"}
}

func (s *maskSearch) beside(v *draftView) string {
	if v.in == nil || path.Ext(v.rel) == "" {
		return ""
	}
	if double := v.rel + ".png"; v.in.pics().exact[double] {
		return v.in.pics().path(double)
	}
	return s.lookUp(v.in, maskNames(v.rel))
}

func (s *maskSearch) lookUp(f *folder, names []string) string {
	for _, n := range names {
		if rel, how, _ := f.pics().find(n); how.isFound() && isPicture(rel) && !s.own[f.pics().path(rel)] {
			return f.pics().path(rel)
		}
	}
	return ""
}

// report says how many views have masks. A folder of masks of which none fits is an
// error: the names must be wrong.
func (s *maskSearch) report(d *draft, o Options) error {
	if s.found == 0 {
		for _, f := range s.folders {
			if p := f.pics().example(); p != "" {
				v := d.views[0]
				return fault.Dataf("%s: none of its masks, for example %s, belongs to a view, for example %s; expected %s (--alpha transparent uses no masks)",
					f.dir, p, v.name, filepath.Join(f.dir, filepath.FromSlash(stem(v.rel)+".png")))
			}
		}
		switch {
		case o.Masks != "":
			return fault.Dataf("--masks %s: holds no pictures", o.Masks)
		case o.InvertMasks:
			return fault.Dataf("%s: --invert-masks, but no masks were found; looked for a folder masks and for x.mask.png beside x.jpg", d.root)
		}
		return nil
	}
	where := "masks"
	if o.InvertMasks {
		where = "masks, inverted"
	}
	d.notef("%s for %d of %s, for example %s: masked pixels are ignored (--alpha mask)", where, s.found, plural(len(d.views), "view"), d.firstMask())
	if n := len(s.without); n > 0 {
		d.warnf("%d of %s without a mask, used whole: %s", n, plural(len(d.views), "view"), firstOf(s.without))
	}
	return nil
}

func (d *draft) firstMask() string {
	for _, v := range d.views {
		if v.mask != "" {
			return v.mask
		}
	}
	return ""
}

// addMasks puts the masks on the capture's views, which are in the draft's order still.
func (d *draft) addMasks(c *Capture, pictures, masks []imageio.Header, o Options) error {
	for i := range d.views {
		if d.views[i].mask == "" {
			continue
		}
		v := &c.Views[i]
		turn, err := d.views[i].fitMask(masks[i], pictures[i], v.Turn)
		if err != nil {
			return err
		}
		v.Mask, v.MaskTurn, v.Inverted = d.views[i].mask, turn, o.InvertMasks
	}
	return nil
}

// fitMask decides how a mask of some size lies on a picture that is shown turned: like
// the pixels as stored, or, where only that fits, like the turned picture.
func (v *draftView) fitMask(m, picture imageio.Header, turn imageio.Orientation) (imageio.Orientation, error) {
	switch w, h := picture.Width, picture.Height; {
	case fits(m.Width, m.Height, w, h):
		return turn, nil
	case turn.Swaps() && fits(m.Width, m.Height, h, w):
		return 0, nil
	}
	return 0, fault.Dataf("%s: the mask is %dx%d, but its picture %s is %dx%d, another shape",
		v.mask, m.Width, m.Height, v.picture, picture.Width, picture.Height)
}

// AlphaMode resolves "auto" as the meaning of alpha: "mask" where views have masks.
func (c *Capture) AlphaMode(asked string) string {
	if asked != "" && asked != "auto" {
		return asked
	}
	for _, v := range c.Views {
		if v.Mask != "" {
			return "mask"
		}
	}
	return asked
}

// example is one picture's name, the first, or "".
func (p *pictures) example() string {
	first := ""
	for rel := range p.exact {
		if isPicture(rel) && (first == "" || rel < first) {
			first = rel
		}
	}
	return first
}
