// Package dataset turns a capture on disk into views with cameras, initial
// points and a train/test split. Each format has its own reader in a
// sub-package; this package finds out which one a folder needs, resolves images
// and sizes, and loads pixels.
package dataset

import (
	"splat/internal/dataset/undistort"
	"splat/internal/geom"
	"splat/internal/imageio"
)

// View is one picture with its camera.
type View struct {
	Name     string              // unique in the capture, the sort key: "cam0/0001.jpg" (COLMAP), "train/r_0" (Blender)
	Label    string              // shown to users, unique within the split: "r_0"; equal to Name where that has no folder to drop
	Image    string              // path of the picture that will be decoded
	Turn     imageio.Orientation // how Load turns the picture; 0 leaves it as stored
	Mask     string              // path of a picture that tells which pixels count; "" for none
	MaskTurn imageio.Orientation // how Load turns the mask
	Inverted bool                // the mask tells which pixels do not count
	CameraID int                 // id of the entry in Capture.Cameras
	Bend     *Bend               // the lens that Load undoes; nil for none
	Camera   geom.Camera         // intrinsics for the size that Load delivers
	Pose     geom.Pose           // world to camera
	Test     bool                // held out from training
}

// Bend is a lens with distortion and the camera that has it, for the size that Load
// delivers.
type Bend struct {
	Lens undistort.Lens
	From geom.Camera
}

// CameraInfo is one camera as the capture declares it, before any scaling.
type CameraInfo struct {
	ID     int        `json:"id"`
	Model  geom.Model `json:"model"`
	Width  int        `json:"width"`
	Height int        `json:"height"`
}

// Points is the initial cloud of a capture; RGB may be nil.
type Points struct {
	XYZ []float32 // 3n, world frame
	RGB []uint8   // 3n
}

// Len returns the number of points.
func (p *Points) Len() int {
	if p == nil {
		return 0
	}
	return len(p.XYZ) / 3
}

// Capture is everything a training needs to know about its input except the
// pixels. Views are sorted by Name, byte by byte.
type Capture struct {
	Path     string // as given by the user
	Root     string // the folder that holds the capture
	Name     string // short name for run folders, from the folder's name
	Format   string // "blender", "nerfstudio", "colmap-binary", "colmap-text", "polycam", "record3d", "realitycapture", "metashape"
	Cameras  []CameraInfo
	Views    []View
	Points   *Points  // nil where the capture has none
	Warnings []string // what was odd but could be handled, one line each
	Notes    []string // choices made for the user (which folder, which split), one line each
}

// Train returns the views to train on, by name.
func (c *Capture) Train() []View { return c.split(false) }

// TestViews returns the views held out from training, by name.
func (c *Capture) TestViews() []View { return c.split(true) }

func (c *Capture) split(test bool) []View {
	var views []View
	for _, v := range c.Views {
		if v.Test == test {
			views = append(views, v)
		}
	}
	return views
}

// Match returns the views that a user means by name: the one of that Name, else
// all of that Label (a label may occur in each split).
func (c *Capture) Match(name string) []View {
	var views []View
	for _, v := range c.Views {
		if v.Name == name {
			return []View{v}
		}
		if v.Label == name {
			views = append(views, v)
		}
	}
	return views
}

// Info is what `splat info` prints of a capture.
type Info struct {
	Kind     string       `json:"kind"` // always "capture"
	Format   string       `json:"format"`
	Views    int          `json:"views"`
	Train    int          `json:"train"`
	Test     int          `json:"test"`
	Points   int          `json:"points"`
	Cameras  []CameraInfo `json:"cameras"`
	Warnings []string     `json:"warnings"`
}

// Info summarises the capture; its lists are never nil.
func (c *Capture) Info() Info {
	return Info{
		Kind: "capture", Format: c.Format,
		Views: len(c.Views), Train: len(c.Train()), Test: len(c.TestViews()), Points: c.Points.Len(),
		Cameras:  append([]CameraInfo{}, c.Cameras...),
		Warnings: append([]string{}, c.Warnings...),
	}
}
