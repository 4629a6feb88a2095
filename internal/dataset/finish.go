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
	if err := d.findMasks(o); err != nil {
		return err
	}
	sizes, masks, err := d.measure()
	if err != nil {
		return err
	}
	if err := d.addViews(c, sizes, sizing{o.Downscale, o.MaxSize}); err != nil {
		return err
	}
	if err := d.addMasks(c, sizes, masks, o); err != nil {
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

// measure reads the headers of the pictures and of their masks. One that cannot be
// read is an error: leaving views out would change what is trained and measured.
func (d *draft) measure() (headers, masks []imageio.Header, err error) {
	headers, masks = make([]imageio.Header, len(d.views)), make([]imageio.Header, len(d.views))
	errs := make([]error, len(d.views))
	var g errgroup.Group
	g.SetLimit(headerReaders)
	for i, v := range d.views {
		g.Go(func() error {
			if headers[i], errs[i] = imageio.ReadHeader(v.picture); errs[i] == nil && v.mask != "" {
				masks[i], errs[i] = imageio.ReadHeader(v.mask)
			}
			return nil
		})
	}
	_ = g.Wait() // errors are kept by view
	bad := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err == nil })
	switch len(bad) {
	case 0:
		return headers, masks, nil
	case 1:
		return nil, nil, bad[0]
	}
	return nil, nil, fault.Dataf("%w (and %s more of %d)", bad[0], plural(len(bad)-1, "picture"), len(d.views))
}

// sizeCounts is how often what was decided for a view is worth a note.
type sizeCounts struct {
	small, limited, scaled int
	turned, unturned       int // by EXIF orientation, or not although there is one
}

// addViews decides each view's size and camera.
func (d *draft) addViews(c *Capture, headers []imageio.Header, s sizing) error {
	var n sizeCounts
	ids, plain := cameraIDs{}, plainCameras{}
	for i, v := range d.views {
		w, h, cam, turn, err := v.camera(headers[i])
		if err != nil {
			return err
		}
		n.countTurn(headers[i].Orientation, turn)
		tw, th, isSmall := s.target(w, h, v.reduction, cam.Width, cam.Height)
		if isSmall {
			n.small++
		}
		if max(w, h) > max(tw, th) && max(tw, th) == s.maxSize {
			n.limited++
		}
		if v.reduction == 1 && (cam.Width != w || cam.Height != h) {
			n.scaled++
		}
		from := cam.Resized(tw, th)
		if cam, err = plain.of(&v, cam); err != nil {
			return err
		}
		view := View{Name: v.name, Label: v.label, Image: v.picture, Turn: turn, CameraID: v.cameraID, Camera: cam.Resized(tw, th), Pose: v.pose, Test: v.test}
		if v.bend.Model != "" {
			view.Bend = &Bend{v.bend, from}
		}
		if view.Label == "" {
			view.Label = v.name
		}
		if d.cameras == nil {
			view.CameraID = ids.of(c, v.lens, cam)
		}
		c.Views = append(c.Views, view)
	}
	d.noteSizes(n, s)
	plain.note(d)
	return nil
}

// camera returns the view's size before any reduction and the camera that the
// capture declares. Poses come from programs of which some turn pictures by their
// EXIF orientation and others do not; the declared size tells which. Where it
// fits the pixels as stored they stay, where it fits only the turned picture that
// is turned.
func (v *draftView) camera(p imageio.Header) (w, h int, cam geom.Camera, turn imageio.Orientation, err error) {
	w, h = p.Width, p.Height
	cam = v.lens.At(w, h)
	if fits(w, h, cam.Width, cam.Height) {
		return w, h, cam, 0, nil
	}
	if p.Orientation.Swaps() {
		if c := v.lens.At(h, w); fits(h, w, c.Width, c.Height) {
			return h, w, c, p.Orientation, nil
		}
	}
	return 0, 0, cam, 0, fault.Dataf("%s: the picture is %dx%d, but its camera%s is for %dx%d, another shape", v.picture, w, h, idOf(*v), cam.Width, cam.Height)
}

func (n *sizeCounts) countTurn(o, turn imageio.Orientation) {
	switch {
	case turn != 0:
		n.turned++
	case o.Turns():
		n.unturned++
	}
}

func idOf(v draftView) string {
	if v.cameraID == 0 {
		return ""
	}
	return fmt.Sprintf(" %d", v.cameraID)
}

func (d *draft) noteSizes(n sizeCounts, s sizing) {
	if n.small > 0 {
		d.notef("%s smaller than 1/%d of full size, used as found", plural(n.small, "picture"), max(s.downscale, 1))
	}
	if n.limited > 0 {
		d.notef("%s reduced to a longest side of %d pixels (--max-size)", plural(n.limited, "picture"), s.maxSize)
	}
	if n.scaled > 0 {
		d.notef("%s of another size than the camera declares: intrinsics are scaled", plural(n.scaled, "picture"))
	}
	if n.turned > 0 {
		d.notef("%s turned by EXIF orientation: the cameras are for the turned size", plural(n.turned, "picture"))
	}
	if n.unturned > 0 {
		d.notef("%s used as stored, EXIF orientation not applied: the cameras are for the stored size", plural(n.unturned, "picture"))
	}
}

// cameraIDs numbers distinct cameras, for formats that have no list of them.
type cameraIDs map[cameraKey]int

// cameraKey is a lens and the size that it gets, which follows from the picture
// where the capture declares none.
type cameraKey struct {
	lens lens
	w, h int
}

// of returns the id of a camera and adds it to the capture when it is new.
func (ids cameraIDs) of(c *Capture, l lens, cam geom.Camera) int {
	k := cameraKey{l, cam.Width, cam.Height}
	if ids[k] == 0 {
		ids[k] = len(c.Cameras) + 1
		c.Cameras = append(c.Cameras, CameraInfo{ids[k], l.Declared(), cam.Width, cam.Height})
	}
	return ids[k]
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
		remedy := ""
		if !d.ownSplit {
			remedy = "; --test-every 0 holds out none"
		}
		d.warnf("no view is left to train on: all %d are for testing%s", len(c.Views), remedy)
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
