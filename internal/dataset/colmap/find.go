package colmap

import (
	"fmt"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"splat/internal/archive"
	"splat/internal/fault"
)

// Location is a folder that holds a model, with its files.
type Location struct {
	Dir             string
	Binary          bool   // cameras and images are binary
	Both            bool   // a text model lies beside the binary one
	Cameras, Images string // paths
	Points          string // points3D.bin or .txt, "" where absent
	PointsBinary    bool
	PLY             string // points3D.ply, "" where absent
	Distorted       bool   // lies where pictures are not undistorted yet
}

// Format returns "colmap-binary" or "colmap-text".
func (l Location) Format() string {
	if l.Binary {
		return "colmap-binary"
	}
	return "colmap-text"
}

// At looks for a model in dir; names are compared without regard to case, hidden
// files and Mac sidecars (._cameras.bin) are ignored. ok is false where cameras
// and images of one kind are not both there.
func At(dir string) (l Location, ok bool) {
	files := modelFiles(dir)
	l = Location{Dir: dir, PLY: files["points3d.ply"]}
	has := func(ext string) bool { return files["cameras"+ext] != "" && files["images"+ext] != "" }
	ext := ".bin"
	switch {
	case has(".bin"):
		l.Binary, l.Both = true, has(".txt")
	case has(".txt"):
		ext = ".txt"
	default:
		return l, false
	}
	l.Cameras, l.Images = files["cameras"+ext], files["images"+ext]
	l.Points, l.PointsBinary = files["points3d"+ext], l.Binary
	if l.Points == "" && l.PLY == "" {
		if l.Points = files["points3d.bin"]; l.Points != "" {
			l.PointsBinary = true
		} else {
			l.Points, l.PointsBinary = files["points3d.txt"], false
		}
	}
	return l, true
}

// modelFiles maps lower-case names to paths; of names that differ in case only
// the lower-case one wins.
func modelFiles(dir string) map[string]string {
	files := map[string]string{}
	entries, _ := archive.ReadDir(dir)
	for _, e := range entries {
		n := e.Name()
		if low := strings.ToLower(n); !strings.HasPrefix(n, ".") && !e.IsDir() && (files[low] == "" || n == low) {
			files[low] = filepath.Join(dir, n)
		}
	}
	return files
}

// Find looks for models below root and returns them in groups, the better place
// first: sparse and its numbered folders, colmap, dense, root itself and images
// (model beside the pictures), and last distorted, whose pictures are not
// undistorted. Models of one group are rivals: parts of one reconstruction run.
func Find(root string) [][]Location {
	var groups [][]Location
	add := func(dirs ...string) {
		if locs := models(dirs); len(locs) > 0 {
			groups = append(groups, locs)
		}
	}
	add(withNumbered(child(root, "sparse"))...)
	add(withNumbered(child(root, "colmap", "sparse"))...)
	add(withNumbered(child(root, "colmap"))...)
	dense := child(root, "dense")
	add(withNumbered(child(dense, "sparse"))...)
	var parts []string
	for _, d := range numbered(dense) {
		parts = append(parts, withNumbered(child(d, "sparse"))...)
	}
	add(parts...)
	add(dense)
	add(root)
	add(child(root, "images"))
	n := len(groups)
	add(withNumbered(child(root, "distorted", "sparse"))...)
	for _, g := range groups[n:] {
		for i := range g {
			g[i].Distorted = true
		}
	}
	return groups
}

// In returns the models of a folder that the user named: its own, or those of
// its numbered folders.
func In(dir string) []Location { return models(withNumbered(dir)) }

// Places says in a message where Find looks.
const Places = "cameras and images (.bin or .txt) in sparse/0, sparse, colmap/sparse/0, dense/0/sparse or beside the pictures"

func models(dirs []string) []Location {
	var locs []Location
	for _, d := range dirs {
		if d == "" {
			continue
		}
		if l, ok := At(d); ok {
			locs = append(locs, l)
		}
	}
	return locs
}

// withNumbered returns the folders 0, 1, ... of dir and then dir.
func withNumbered(dir string) []string { return append(numbered(dir), dir) }

// numbered returns the sub-folders of dir whose names are numbers, in order.
func numbered(dir string) []string {
	if dir == "" {
		return nil
	}
	entries, _ := archive.ReadDir(dir)
	var ns []int
	names := map[int]string{}
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && names[n] == "" {
			ns, names[n] = append(ns, n), filepath.Join(dir, e.Name())
		}
	}
	sort.Ints(ns)
	dirs := make([]string, len(ns))
	for i, n := range ns {
		dirs[i] = names[n]
	}
	return dirs
}

// child walks down from dir by names without regard to case (the exact name
// first); "" where one is missing.
func child(dir string, names ...string) string {
	for _, n := range names {
		if dir == "" {
			return ""
		}
		dir = entry(dir, n)
	}
	return dir
}

func entry(dir, name string) string {
	entries, err := archive.ReadDir(dir)
	if err != nil {
		return ""
	}
	found := ""
	for _, e := range entries {
		if e.Name() == name {
			return filepath.Join(dir, name)
		}
		if strings.EqualFold(e.Name(), name) && found == "" {
			found = filepath.Join(dir, e.Name())
		}
	}
	return found
}

// CountImages returns how many images a model registers, cheaply where it is
// binary.
func (l Location) CountImages() (int, error) {
	if !l.Binary {
		images, err := ReadImages(l.Images, false)
		return len(images), err
	}
	f, err := archive.Open(l.Images)
	if err != nil {
		return 0, fault.Unreadable(l.Images, err)
	}
	defer f.Close()
	var n int
	err = withReader(f, func(r *reader) (err error) { n, err = r.count("image", 73); return })
	if err != nil {
		return 0, fault.Dataf("%s: %w", l.Images, err)
	}
	return n, nil
}

// Best returns the model with the most images, the first of equals, and a line
// for the user where there was a choice. A rival that is damaged counts for
// nothing, but is named.
func Best(locs []Location) (Location, string, error) {
	if len(locs) == 1 {
		return locs[0], "", nil
	}
	best, most := -1, -1
	var said []string
	var first error
	for i, l := range locs {
		n, err := l.CountImages()
		if err != nil {
			said = append(said, fmt.Sprintf("%s is damaged (%v)", l.Dir, err))
			if first == nil {
				first = err
			}
			continue
		}
		said = append(said, fmt.Sprintf("%s has %d images", l.Dir, n))
		if n > most {
			best, most = i, n
		}
	}
	if best < 0 {
		return Location{}, "", first
	}
	return locs[best], fmt.Sprintf("%d models: %s; %s is used (--sparse chooses another)", len(locs), strings.Join(said, ", "), locs[best].Dir), nil
}
