package blender

import (
	"fmt"
	"math"
	"strings"

	"splat/internal/geom"
)

// Intrinsics is what a file says about a lens: a focal length in pixels or a
// field of view, the rest optional. The zero value of a field means absent.
type Intrinsics struct {
	AngleX, AngleY float64 // radians
	Fx, Fy         float64 // pixels of a picture of Width x Height
	Cx, Cy         float64
	HasCentre      [2]bool // whether Cx, Cy were given
	Width, Height  int
}

// At returns the camera for a picture of width x height pixels. Where the file
// declares a size the camera is for that size, and it is for the caller to
// compare the two.
func (in Intrinsics) At(width, height int) geom.Camera {
	if in.Width > 0 {
		width = in.Width
	}
	if in.Height > 0 {
		height = in.Height
	}
	c := geom.Camera{Model: geom.Pinhole, Width: width, Height: height, Fx: in.Fx, Fy: in.Fy}
	if c.Fx == 0 {
		c.Fx = focal(width, in.AngleX)
		if in.AngleY > 0 && c.Fy == 0 {
			c.Fy = focal(height, in.AngleY)
		}
	}
	if c.Fy == 0 {
		c.Fy = c.Fx
	}
	c.Cx, c.Cy = float64(width)/2, float64(height)/2
	if in.HasCentre[0] {
		c.Cx = in.Cx
	}
	if in.HasCentre[1] {
		c.Cy = in.Cy
	}
	return c
}

// focal returns the focal length at which n pixels span an angle.
func focal(n int, angle float64) float64 { return 0.5 * float64(n) / math.Tan(angle/2) }

// keys are the members that describe a lens, at the root or in a frame.
type keys struct {
	AngleX  number `json:"camera_angle_x"`
	AngleY  number `json:"camera_angle_y"`
	Fx      number `json:"fl_x"`
	Fy      number `json:"fl_y"`
	Cx      number `json:"cx"`
	Cy      number `json:"cy"`
	Width   number `json:"w"`
	Height  number `json:"h"`
	K1      number `json:"k1"`
	K2      number `json:"k2"`
	K3      number `json:"k3"`
	K4      number `json:"k4"`
	K5      number `json:"k5"`
	K6      number `json:"k6"`
	P1      number `json:"p1"`
	P2      number `json:"p2"`
	Model   string `json:"camera_model"`
	Fisheye bool   `json:"is_fisheye"`
}

// named is a member with its name.
type named struct {
	name string
	*number
}

func (k *keys) angles() []named {
	return []named{{"camera_angle_x", &k.AngleX}, {"camera_angle_y", &k.AngleY}}
}

func (k *keys) lengths() []named {
	return []named{{"fl_x", &k.Fx}, {"fl_y", &k.Fy}, {"w", &k.Width}, {"h", &k.Height}}
}

func (k *keys) centre() []named { return []named{{"cx", &k.Cx}, {"cy", &k.Cy}} }

func (k *keys) distortion() []named {
	return []named{{"k1", &k.K1}, {"k2", &k.K2}, {"k3", &k.K3}, {"k4", &k.K4},
		{"k5", &k.K5}, {"k6", &k.K6}, {"p1", &k.P1}, {"p2", &k.P2}}
}

func (k *keys) all() []named {
	return append(append(append(k.angles(), k.lengths()...), k.centre()...), k.distortion()...)
}

// inherit fills what a frame leaves out from the root.
func (k *keys) inherit(root *keys) {
	from := root.all()
	for i, n := range k.all() {
		if !n.set {
			*n.number = *from[i].number
		}
	}
	if k.Model == "" {
		k.Model = root.Model
	}
	k.Fisheye = k.Fisheye || root.Fisheye
}

// lensError is a lens that this program cannot use yet; it concerns the capture,
// not one frame.
type lensError struct{ msg string }

func (e *lensError) Error() string { return e.msg }

// check judges the members that are present, and with focal also that there is a
// focal length at all.
func (k *keys) check(focal bool) error {
	for _, n := range k.all() {
		if n.set && !n.finite() {
			return fmt.Errorf("%s is not a finite number", n.name)
		}
	}
	if err := k.checkLens(); err != nil {
		return err
	}
	for _, n := range k.angles() {
		if n.set && (n.v < 1e-6 || n.v >= math.Pi) {
			return fmt.Errorf("%s is %g, expected an angle between 0 and pi (radians)", n.name, n.v)
		}
	}
	for _, n := range k.lengths() {
		if n.set && (n.v <= 0 || n.v > 1e9) {
			return fmt.Errorf("%s is %g, expected a positive number of pixels", n.name, n.v)
		}
	}
	if focal && !k.AngleX.set && !k.Fx.set {
		return fmt.Errorf("neither camera_angle_x nor fl_x is given")
	}
	return nil
}

func (k *keys) checkLens() error {
	switch strings.ToUpper(k.Model) {
	case "", "PINHOLE", "SIMPLE_PINHOLE", "PERSPECTIVE", "SIMPLE_RADIAL", "RADIAL", "OPENCV", "FULL_OPENCV":
	default:
		return &lensError{fmt.Sprintf("camera_model %q is not supported yet, expected a pinhole camera", k.Model)}
	}
	if k.Fisheye {
		return &lensError{"is_fisheye: fisheye cameras are not supported yet, expected a pinhole camera"}
	}
	for _, n := range k.distortion() {
		if n.set && n.v != 0 {
			return &lensError{fmt.Sprintf("%s is %.4g: cameras with lens distortion are not supported yet, "+
				"expected undistorted pictures and no distortion keys", n.name, n.v)}
		}
	}
	return nil
}

func (k *keys) intrinsics() Intrinsics {
	return Intrinsics{
		AngleX: k.AngleX.v, AngleY: k.AngleY.v,
		Fx: k.Fx.v, Fy: k.Fy.v, Cx: k.Cx.v, Cy: k.Cy.v,
		HasCentre: [2]bool{k.Cx.set, k.Cy.set},
		Width:     int(math.Round(k.Width.v)), Height: int(math.Round(k.Height.v)),
	}
}
