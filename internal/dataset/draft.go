package dataset

import (
	"fmt"
	"strings"

	"splat/internal/dataset/undistort"
	"splat/internal/fault"
	"splat/internal/geom"
)

// draft is what a reader makes of a capture: views whose pictures were found but
// not looked at yet.
type draft struct {
	root     string
	format   string
	source   string       // camera file or folder of the model that was read
	files    []string     // names of the camera files in root that were used or judged
	cameras  []CameraInfo // as declared; nil where the format has none, then they follow from the views
	views    []draftView
	points   *Points
	ownSplit bool  // the test flags of the views are the capture's own
	refusal  error // why it cannot be trained on, nil where it can
	warnings []string
	notes    []string
}

// draftView is a view without sizes.
type draftView struct {
	name, label string
	picture     string  // path
	rel         string  // the picture's name in its folder, slash-separated
	in          *folder // where the picture was found
	maskPath    string  // of the mask, as the capture names it, "" where it names none
	mask        string  // path of the mask, "" for none
	reduction   int     // N of the images_N it was found in
	cameraID    int     // 0 where draft.cameras is nil
	lens        lens
	bend        undistort.Lens // to be undone; no model where there is none
	pose        geom.Pose
	test        bool
}

// lens gives the camera that a capture declares for a picture of width x height
// pixels; the camera's own size may be another one. Declared names the model in
// the capture's own words. Equal lenses compare equal.
type lens interface {
	At(width, height int) geom.Camera
	Declared() geom.Model
}

// fixed is a lens of one declared camera.
type fixed geom.Camera

func (f fixed) At(int, int) geom.Camera { return geom.Camera(f) }

func (f fixed) Declared() geom.Model { return f.Model }

func (d *draft) notef(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

func (d *draft) warnf(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// finder resolves picture names in a list of folders, the first that has one
// wins, and remembers what was odd.
type finder struct {
	folders []*folder
	used    map[*folder]bool
	odd     map[match][]string
}

func newFinder(folders []*folder) *finder {
	return &finder{folders: folders, used: map[*folder]bool{}, odd: map[match][]string{}}
}

// found is a picture's place, or why there is none.
type found struct {
	path   string
	rel    string   // name in its folder, slash-separated
	in     *folder  // nil where none was found
	rivals []string // names in one folder that fit equally well
}

// find looks a picture up.
func (f *finder) find(name string) (at found, how match) {
	for _, dir := range f.folders {
		rel, h, rivals := dir.pics().find(name)
		if !h.isFound() {
			if h > how {
				how, at.rivals = h, rivals
			}
			continue
		}
		f.used[dir] = true
		if h != asWritten {
			f.odd[h] = append(f.odd[h], fmt.Sprintf("%s -> %s", name, rel))
		}
		return found{path: dir.pics().path(rel), rel: rel, in: dir}, h
	}
	return at, how
}

// report tells the draft which folders were used and what was odd.
func (f *finder) report(d *draft) {
	for _, dir := range f.folders {
		if f.used[dir] && dir.note != "" {
			d.notef("%s", dir.note)
		}
	}
	if odd := f.odd[otherCase]; len(odd) > 0 {
		d.notef("%s found in another case: %s", plural(len(odd), "picture"), firstOf(odd))
	}
	if odd := f.odd[otherEnding]; len(odd) > 0 {
		d.notef("%s found under another ending: %s", plural(len(odd), "picture"), firstOf(odd))
	}
}

// where names the folders searched, and says of which nothing could be seen.
func (f *finder) where() string {
	dirs := make([]string, len(f.folders))
	for i, dir := range f.folders {
		dirs[i] = dir.dir
		if err := dir.pics().err; err != nil {
			dirs[i] += fmt.Sprintf(" (%v)", fault.Reason(err))
		}
	}
	return strings.Join(dirs, ", ")
}
