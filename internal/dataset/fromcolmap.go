package dataset

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"splat/internal/dataset/colmap"
	"splat/internal/fault"
	"splat/internal/geom"
)

// readNamedCOLMAP reads the model that --sparse names.
func readNamedCOLMAP(root string, o Options) (*draft, error) {
	dir, err := namedFolder("--sparse", o.Sparse, []string{root})
	if err != nil {
		return nil, err
	}
	locs := colmap.In(dir)
	if len(locs) == 0 {
		return nil, fault.Dataf("--sparse %s: no COLMAP model in %s, expected cameras and images (.bin or .txt)", o.Sparse, dir)
	}
	return readCOLMAP(root, locs, o)
}

// readCOLMAP reads the best model of a group.
func readCOLMAP(root string, group []colmap.Location, o Options) (*draft, error) {
	loc, choice, err := colmap.Best(group)
	if err != nil {
		return nil, err
	}
	d, err := readModel(root, loc, o)
	if err != nil {
		return d, err
	}
	if choice != "" {
		d.notef("%s", choice)
	}
	return d, nil
}

// readModel reads one model and finds its pictures; with an error it may return
// what it has so far.
func readModel(root string, loc colmap.Location, o Options) (*draft, error) {
	cams, err := colmap.ReadCameras(loc.Cameras, loc.Binary)
	if err != nil {
		return nil, err
	}
	images, err := colmap.ReadImages(loc.Images, loc.Binary)
	if err != nil {
		return nil, err
	}
	d := &draft{root: root, format: loc.Format(), source: loc.Dir}
	for _, c := range cams {
		d.cameras = append(d.cameras, CameraInfo{int(c.ID), geom.Model(c.Model), c.Width, c.Height})
	}
	sort.Slice(d.cameras, func(i, j int) bool { return d.cameras[i].ID < d.cameras[j].ID })
	if loc.Both {
		d.notef("%s holds a binary and a text model: the binary one is used", loc.Dir)
	}
	usable, err := d.usableImages(loc, images)
	if err != nil {
		return nil, err
	}
	lenses, err := d.lenses(loc, cams, usable, o)
	if err != nil {
		return nil, err
	}
	if err := d.addImages(loc, usable, lenses, o); err != nil {
		return d, err
	}
	return d, d.readModelPoints(loc)
}

// usableImages drops images without a pose and repeated names.
func (d *draft) usableImages(loc colmap.Location, images []colmap.Image) ([]colmap.Image, error) {
	if len(images) == 0 {
		return nil, fault.Dataf("%s: no images, expected at least one", loc.Images)
	}
	var usable []colmap.Image
	var bad []string
	seen := map[string]bool{}
	for _, im := range images {
		name := strings.ReplaceAll(im.Name, `\`, "/")
		why := im.PoseError()
		if why == "" && seen[name] {
			why = "its name is there twice"
		}
		if why != "" {
			bad = append(bad, fmt.Sprintf("image %d (%s): %s", im.ID, im.Name, why))
			continue
		}
		seen[name] = true
		usable = append(usable, im)
	}
	if len(bad) == 0 {
		return usable, nil
	}
	if len(usable) == 0 {
		return nil, fault.Dataf("%s: none of %s can be used: %s", loc.Images, plural(len(images), "image"), firstOf(bad))
	}
	d.warnf("%s: %d of %s left out: %s", loc.Images, len(bad), plural(len(images), "image"), firstOf(bad))
	return usable, nil
}

// lenses returns the cameras that images refer to; others may be of any model.
func (d *draft) lenses(loc colmap.Location, cams []colmap.Camera, images []colmap.Image, o Options) (map[uint32]lens, error) {
	byID := map[uint32]*colmap.Camera{}
	for i := range cams {
		byID[cams[i].ID] = &cams[i]
	}
	out := map[uint32]lens{}
	for _, im := range images {
		if out[im.CameraID] != nil {
			continue
		}
		c := byID[im.CameraID]
		if c == nil {
			return nil, fault.Dataf("%s: image %d (%s) has camera %d, which is not in %s", loc.Images, im.ID, im.Name, im.CameraID, loc.Cameras)
		}
		g, err := c.Pinhole()
		if bent, bend, ok := c.Bent(); err != nil && ok && o.Undistort {
			out[im.CameraID] = bentLens{bent, bend}
			continue
		}
		if err != nil {
			g = geom.Camera{Model: geom.Model(c.Model), Width: c.Width, Height: c.Height}
			if d.refusal == nil {
				d.refusal = fault.Dataf("%s: %w", loc.Cameras, err)
			}
		}
		if c.Model != string(g.Model) {
			d.notef("camera %d: %s without distortion is read as %s", c.ID, c.Model, g.Model)
		}
		out[im.CameraID] = fixed(g)
	}
	return out, nil
}

// addImages finds the pictures of a model in the first group of folders that has
// any of them.
func (d *draft) addImages(loc colmap.Location, images []colmap.Image, lenses map[uint32]lens, o Options) error {
	groups, err := pictureFolders(d.root, loc, o)
	if err != nil {
		return err
	}
	var searched []string
	example := ""
	for _, folders := range groups {
		f := newFinder(folders)
		var gone absences
		for _, im := range images {
			at, how := f.find(im.Name)
			if at.in == nil {
				gone.add(im.Name, how, at.rivals)
				continue
			}
			d.views = append(d.views, draftView{
				name: strings.ReplaceAll(im.Name, `\`, "/"), picture: at.path, rel: at.rel, in: at.in, reduction: at.in.reduction,
				cameraID: int(im.CameraID), lens: lenses[im.CameraID], pose: im.Pose(), bend: bendOf(lenses[im.CameraID]),
			})
		}
		if len(d.views) > 0 {
			f.report(d)
			gone.warn(d, len(images), f.where())
			return nil
		}
		searched = append(searched, f.where())
		if example == "" || len(gone.ambiguous) > 0 {
			example = gone.example()
		}
	}
	return fault.Dataf("%s: none of its %s was found, for example %s; searched %s",
		loc.Images, plural(len(images), "picture"), example, strings.Join(searched, ", "))
}

// pictureFolders lists where the pictures of a model may be: images next to the
// model or above it up to root, then the folders themselves.
func pictureFolders(root string, loc colmap.Location, o Options) ([][]*folder, error) {
	bases := ancestors(loc.Dir, root)
	if o.Images != "" {
		named, err := namedFolders(o.Images, append([]string{root}, bases...), o.Downscale)
		return [][]*folder{named}, err
	}
	var groups [][]*folder
	input := []*folder{{dir: filepath.Join(root, "input"), reduction: 1}}
	if loc.Distorted && isDir(input[0].dir) {
		groups = append(groups, input)
	}
	for _, b := range bases {
		if f := imageFolders(b, o.Downscale); len(f) > 0 {
			groups = append(groups, f)
		}
	}
	for _, b := range bases {
		groups = append(groups, []*folder{{dir: b, reduction: 1}})
	}
	return groups, nil
}

// ancestors returns dir and the folders above it up to root.
func ancestors(dir, root string) []string {
	out := []string{dir}
	for dir != root && staysBelow(dir, root) {
		dir = filepath.Dir(dir)
		out = append(out, dir)
	}
	if out[len(out)-1] != root {
		out = append(out, root)
	}
	return out
}

func staysBelow(dir, root string) bool {
	rel, err := filepath.Rel(root, dir)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}
