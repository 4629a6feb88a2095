package geom

// Model names a camera model in COLMAP's spelling.
type Model string

// The camera models that can be trained on directly.
const (
	SimplePinhole Model = "SIMPLE_PINHOLE"
	Pinhole       Model = "PINHOLE"
)

// Camera is a projection from the camera frame to pixels. Intrinsics are in
// pixels of an image of Width x Height; pixel centres lie at +0.5, so an image
// seen straight on has its principal point at (Width/2, Height/2).
type Camera struct {
	Model          Model
	Width, Height  int
	Fx, Fy, Cx, Cy float64
}

// Resized returns the camera of the same view at width x height pixels, each
// axis scaled by its own ratio.
func (c Camera) Resized(width, height int) Camera {
	sx := float64(width) / float64(c.Width)
	sy := float64(height) / float64(c.Height)
	c.Fx, c.Cx = c.Fx*sx, c.Cx*sx
	c.Fy, c.Cy = c.Fy*sy, c.Cy*sy
	c.Width, c.Height = width, height
	return c
}
