package nerfstudio

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

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
	Fisheye *bool  `json:"is_fisheye"`
}

// named is a member with its name.
type named struct {
	name string
	*number
}

func (k *keys) angles() []named {
	return []named{{"camera_angle_x", &k.AngleX}, {"camera_angle_y", &k.AngleY}}
}

func (k *keys) focals() []named { return []named{{"fl_x", &k.Fx}, {"fl_y", &k.Fy}} }

func (k *keys) sizes() []named { return []named{{"w", &k.Width}, {"h", &k.Height}} }

func (k *keys) centre() []named { return []named{{"cx", &k.Cx}, {"cy", &k.Cy}} }

// distortion is in the order of coefficients.
func (k *keys) distortion() []named {
	values := []*number{&k.K1, &k.K2, &k.K3, &k.K4, &k.K5, &k.K6, &k.P1, &k.P2}
	out := make([]named, len(values))
	for i, v := range values {
		out[i] = named{coefficients[i], v}
	}
	return out
}

// scale is what fixes the focal length.
func (k *keys) scale() []named { return append(k.angles(), k.focals()...) }

func (k *keys) rest() []named {
	return append(append(k.sizes(), k.centre()...), k.distortion()...)
}

func (k *keys) all() []named { return append(k.scale(), k.rest()...) }

// inherit fills what a frame leaves out from the root. A frame that has a focal
// length or an angle of its own takes none of the root's: fl_x at the root is
// stronger than an angle, but not than the frame's own.
func (k *keys) inherit(root *keys) {
	if !anySet(k.scale()) {
		fill(k.scale(), root.scale())
	}
	fill(k.rest(), root.rest())
	if k.Model == "" {
		k.Model = root.Model
	}
	if k.Fisheye == nil {
		k.Fisheye = root.Fisheye
	}
}

func anySet(list []named) bool {
	for _, n := range list {
		if n.set {
			return true
		}
	}
	return false
}

func fill(list, from []named) {
	for i, n := range list {
		if !n.set {
			*n.number = *from[i].number
		}
	}
}

// Limits of what a lens may say, in pixels.
const (
	maxPixels = 1e9
	maxSide   = 1 << 20
)

// check judges the members that are present.
func (k *keys) check() error {
	for _, n := range k.all() {
		if n.odd != "" {
			return fmt.Errorf("%s: found %s, expected a number", n.name, n.odd)
		}
		if n.set && !n.finite() {
			return fmt.Errorf("%s is not a finite number", n.name)
		}
	}
	for _, n := range k.focals() {
		if n.set && (n.v <= 0 || n.v > maxPixels) {
			return fmt.Errorf("%s is %g, expected a positive number of pixels", n.name, n.v)
		}
	}
	for _, n := range k.sizes() {
		if n.set && (n.v < 1 || n.v > maxSide) {
			return fmt.Errorf("%s is %g, expected 1 to %d pixels", n.name, n.v, maxSide)
		}
	}
	for _, n := range k.centre() {
		if n.set && math.Abs(n.v) > maxPixels {
			return fmt.Errorf("%s is %g, expected at most %g pixels", n.name, n.v, maxPixels)
		}
	}
	if anySet(k.focals()) {
		return nil // angles are not used
	}
	for _, n := range k.angles() {
		if n.set && (n.v < 1e-6 || n.v >= math.Pi) {
			return fmt.Errorf("%s is %g, expected an angle between 0 and pi (radians)", n.name, n.v)
		}
	}
	return nil
}

// checkFrame is check for a frame that has inherited: there must be a focal length
// then.
func (k *keys) checkFrame() error {
	if err := k.check(); err != nil {
		return err
	}
	if !anySet(k.scale()) {
		return errors.New("neither fl_x nor camera_angle_x is given")
	}
	return nil
}

func (k *keys) lens() Lens {
	l := Lens{
		Model: k.model(), Fx: k.Fx.v, Fy: k.Fy.v, Cx: k.Cx.v, Cy: k.Cy.v,
		HasCentre: [2]bool{k.Cx.set, k.Cy.set},
		Width:     int(math.Round(k.Width.v)), Height: int(math.Round(k.Height.v)),
		K: [6]float64{k.K1.v, k.K2.v, k.K3.v, k.K4.v, k.K5.v, k.K6.v},
		P: [2]float64{k.P1.v, k.P2.v},
	}
	if !anySet(k.focals()) {
		l.AngleX, l.AngleY = k.AngleX.v, k.AngleY.v
	}
	return l
}

// model returns camera_model in COLMAP's spelling. instant-ngp says is_fisheye
// instead, and a file without either that has coefficients means OpenCV's lens.
func (k *keys) model() string {
	fisheye := k.Fisheye != nil && *k.Fisheye
	model := strings.ToUpper(strings.TrimSpace(k.Model))
	switch {
	case fisheye && !strings.Contains(model, "FISHEYE"):
		return "OPENCV_FISHEYE"
	case model != "" && model != "PERSPECTIVE":
		return model
	}
	for _, n := range k.distortion() {
		if n.v != 0 {
			return "OPENCV"
		}
	}
	return "PINHOLE"
}
