package dataset

import (
	"fmt"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"

	"splat/internal/fault"
	"splat/internal/geom"
	"splat/internal/imageio"
)

// finish measures the pictures and fills the capture from the draft.
func (d *draft) finish(c *Capture, o Options) error {
	sizes, err := d.measure()
	if err != nil {
		return err
	}
	if err := d.addViews(c, sizes, sizing{o.Downscale, o.MaxSize}); err != nil {
		return err
	}
	if d.cameras != nil {
		c.Cameras = d.cameras
	}
	sort.Slice(c.Views, func(i, j int) bool { return c.Views[i].Name < c.Views[j].Name })
	d.splitViews(c, o.TestEvery)
	c.Points = d.points
	d.warnOutliers(c)
	if d.points.Len() == 0 {
		d.notef("no initial points: training starts from random ones")
	}
	c.Warnings, c.Notes = d.warnings, d.notes
	return nil
}

// headerReaders bounds the headers that are read at a time; they wait for the
// disk, not for the processor.
const headerReaders = 16

type size struct{ w, h int }

// measure reads the pictures' headers. A picture that cannot be read is an error:
// leaving views out would change what is trained and measured.
func (d *draft) measure() ([]size, error) {
	sizes := make([]size, len(d.views))
	errs := make([]error, len(d.views))
	var g errgroup.Group
	g.SetLimit(headerReaders)
	for i, v := range d.views {
		g.Go(func() error {
			w, h, err := imageio.Size(v.picture)
			sizes[i], errs[i] = size{w, h}, err
			return nil
		})
	}
	_ = g.Wait() // errors are kept by view
	bad := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err == nil })
	switch len(bad) {
	case 0:
		return sizes, nil
	case 1:
		return nil, bad[0]
	}
	return nil, fault.Dataf("%w (and %s more of %d)", bad[0], plural(len(bad)-1, "picture"), len(d.views))
}

// addViews decides each view's size and camera.
func (d *draft) addViews(c *Capture, sizes []size, s sizing) error {
	var small, limited, scaled int
	for i, v := range d.views {
		w, h := sizes[i].w, sizes[i].h
		cam := v.lens.At(w, h)
		if !fits(w, h, cam.Width, cam.Height) {
			return fault.Dataf("%s: the picture is %dx%d, but its camera%s is for %dx%d, another shape", v.picture, w, h, idOf(v), cam.Width, cam.Height)
		}
		tw, th, isSmall := s.target(w, h, v.reduction, cam.Width, cam.Height)
		if isSmall {
			small++
		}
		if max(w, h) > max(tw, th) && max(tw, th) == s.maxSize {
			limited++
		}
		if v.reduction == 1 && (cam.Width != w || cam.Height != h) {
			scaled++
		}
		view := View{Name: v.name, Label: v.label, Image: v.picture, CameraID: v.cameraID, Camera: cam.Resized(tw, th), Pose: v.pose, Test: v.test}
		if view.Label == "" {
			view.Label = v.name
		}
		if d.cameras == nil {
			view.CameraID = c.cameraFor(cam)
		}
		c.Views = append(c.Views, view)
	}
	d.noteSizes(small, limited, scaled, s)
	return nil
}

func idOf(v draftView) string {
	if v.cameraID == 0 {
		return ""
	}
	return fmt.Sprintf(" %d", v.cameraID)
}

func (d *draft) noteSizes(small, limited, scaled int, s sizing) {
	if small > 0 {
		d.notef("%s smaller than 1/%d of full size, used as found", plural(small, "picture"), max(s.downscale, 1))
	}
	if limited > 0 {
		d.notef("%s reduced to a longest side of %d pixels (--max-size)", plural(limited, "picture"), s.maxSize)
	}
	if scaled > 0 {
		d.notef("%s of another size than the camera declares: intrinsics are scaled", plural(scaled, "picture"))
	}
}

// cameraFor returns the id of the camera of that model and size, for formats that
// have no list of cameras: views of equal size share one.
func (c *Capture) cameraFor(cam geom.Camera) int {
	for _, k := range c.Cameras {
		if k.Model == cam.Model && k.Width == cam.Width && k.Height == cam.Height {
			return k.ID
		}
	}
	id := len(c.Cameras) + 1
	c.Cameras = append(c.Cameras, CameraInfo{id, cam.Model, cam.Width, cam.Height})
	return id
}

// splitViews holds out every k-th view by name, from the first on, unless the
// capture has a split of its own.
func (d *draft) splitViews(c *Capture, every int) {
	if !d.ownSplit && every > 0 {
		for i := range c.Views {
			c.Views[i].Test = i%every == 0
		}
		d.notef("split: every %s view by name is for testing: %d of %d", ordinal(every), len(c.TestViews()), len(c.Views))
	}
	if len(c.Train()) == 0 {
		d.warnf("no view is left to train on: all %d are for testing", len(c.Views))
	}
}

// ordinal returns "1st", "2nd", "8th", "11th".
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
