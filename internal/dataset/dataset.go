// Package dataset turns a capture on disk into views with cameras, initial
// points and a train/test split. Each format has its own reader in a
// sub-package; this package finds out which one a folder needs, resolves images
// and sizes, and loads pixels.
package dataset

import "splat/internal/geom"

// View is one picture with its camera.
type View struct {
	Name     string      // the name in the capture, e.g. "r_0" or "cam0/0001.jpg"; unique, the sort key
	Image    string      // path of the picture that will be decoded
	CameraID int         // id of the entry in Capture.Cameras
	Camera   geom.Camera // intrinsics for the size that LoadImages delivers
	Pose     geom.Pose   // world to camera
	Test     bool        // held out from training
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
// pixels. Views are sorted by Name.
type Capture struct {
	Path     string // as given by the user
	Root     string // the folder that holds the capture
	Name     string // short name for run folders, from the folder's name
	Format   string // "blender", "colmap-binary", "colmap-text"
	Cameras  []CameraInfo
	Views    []View
	Points   *Points  // nil where the capture has none
	Warnings []string // what was odd but could be handled, one line each
	Notes    []string // choices made for the user (which folder, which split), one line each
}
