package nerfstudio

import (
	"fmt"
	"math"
	"slices"

	"splat/internal/dataset/undistort"
	"splat/internal/geom"
)

// Lens is what a file says about a camera: a focal length in pixels or a field of
// view, the rest optional; the zero value of a field means absent. Equal lenses
// compare equal.
type Lens struct {
	Model          string  // COLMAP's spelling: camera_model, else what the other keys imply
	AngleX, AngleY float64 // radians; 0 where there is a focal length
	Fx, Fy         float64 // pixels of a picture of Width x Height
	Cx, Cy         float64
	HasCentre      [2]bool // whether Cx, Cy were given
	Width, Height  int
	K              [6]float64 // radial: of r^2, r^4, ... or, for fisheyes, of theta^3, theta^5, ...
	Focal35        float64    // mm, as on film whose long side is 36 mm; 0 where the others say it
	Shift35        [2]float64 // mm on that film from the picture's centre to Cx, Cy
	P              [2]float64 // tangential, in OpenCV's order
}

// Declared returns the model's name.
func (l Lens) Declared() geom.Model { return geom.Model(l.Model) }

// At returns the camera for a picture of width x height pixels. Where the file
// declares a size the camera is for that size, and it is for the caller to
// compare the two. The camera is a pinhole unless Refusal says otherwise; then
// its model is the declared one and its distortion is left out.
func (l Lens) At(width, height int) geom.Camera {
	if l.Width > 0 {
		width = l.Width
	}
	if l.Height > 0 {
		height = l.Height
	}
	c := geom.Camera{Model: geom.Pinhole, Width: width, Height: height}
	if l.Refusal() != nil {
		c.Model = l.Declared()
	}
	if l.Focal35 > 0 {
		mm := float64(max(width, height)) / 36
		c.Fx, c.Fy = l.Focal35*mm, l.Focal35*mm
		c.Cx, c.Cy = float64(width)/2+l.Shift35[0]*mm, float64(height)/2+l.Shift35[1]*mm
		return c
	}
	c.Fx, c.Fy = l.focals(width, height)
	c.Cx, c.Cy = float64(width)/2, float64(height)/2
	if l.HasCentre[0] {
		c.Cx = l.Cx
	}
	if l.HasCentre[1] {
		c.Cy = l.Cy
	}
	return c
}

// focals returns both focal lengths; pixels are square unless the file says
// otherwise.
func (l Lens) focals(width, height int) (fx, fy float64) {
	fx, fy = l.Fx, l.Fy
	if fx == 0 && fy == 0 {
		fx, fy = focal(width, l.AngleX), focal(height, l.AngleY)
	}
	if fx == 0 {
		fx = fy
	}
	if fy == 0 {
		fy = fx
	}
	return fx, fy
}

// focal returns the focal length at which n pixels span an angle, 0 for none.
func focal(n int, angle float64) float64 {
	if angle == 0 {
		return 0
	}
	return 0.5 * float64(n) / math.Tan(angle/2)
}

// straight lists the models that are a pinhole when all coefficients are zero.
var straight = []string{"PINHOLE", "SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL", "OPENCV", "FULL_OPENCV"}

// Refusal returns why the camera is no pinhole, or nil if it is one.
func (l Lens) Refusal() error {
	if !slices.Contains(straight, l.Model) {
		return fmt.Errorf("camera model %s is not supported yet, expected a pinhole camera", l.Model)
	}
	for i, c := range append(l.K[:], l.P[:]...) {
		if c != 0 {
			return fmt.Errorf("camera model %s with lens distortion (%s is %.4g) is not supported yet, "+
				"expected undistorted pictures and no distortion keys (--undistort makes such)", l.Model, coefficients[i], c)
		}
	}
	return nil
}

// Bend returns the distortion for package undistort, whose models it has to be one of;
// false where there is none.
func (l Lens) Bend() (undistort.Lens, bool) {
	if l.Refusal() == nil {
		return undistort.Lens{}, false
	}
	k, p := l.K, l.P
	switch l.Model {
	case "OPENCV":
		return undistort.New(l.Model, []float64{k[0], k[1], p[0], p[1], k[2], k[3]}), k[4] == 0 && k[5] == 0
	case "FULL_OPENCV":
		return undistort.New(l.Model, []float64{k[0], k[1], p[0], p[1], k[2], k[3], k[4], k[5]}), true
	case "OPENCV_FISHEYE":
		return undistort.New(l.Model, k[:4]), p == [2]float64{}
	case "SIMPLE_RADIAL", "RADIAL":
		return undistort.New("OPENCV", []float64{k[0], k[1], p[0], p[1], k[2], k[3]}), k[4] == 0 && k[5] == 0
	}
	return undistort.Lens{}, false
}

// coefficients names K and then P.
var coefficients = []string{"k1", "k2", "k3", "k4", "k5", "k6", "p1", "p2"}
