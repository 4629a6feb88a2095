// Package undistort turns pictures of lenses with distortion into those of pinhole
// cameras.
package undistort

import (
	"fmt"
	"math"
	"slices"

	"splat/internal/geom"
)

// Lens is the distortion of a camera: COLMAP's model and its parameters after focal
// lengths and principal point, in COLMAP's order, the others 0. OPENCV may have k3 and k4
// behind p2. Equal lenses compare equal.
type Lens struct {
	Model string
	P     [8]float64
}

// models maps COLMAP's models to their formulas: from the ray (x, y, 1) to the place
// where a camera of focal length 1 sees it.
var models = map[string]func(p *[8]float64, x, y float64) (float64, float64){
	"SIMPLE_RADIAL":         radial,
	"RADIAL":                radial,
	"OPENCV":                openCV,
	"FULL_OPENCV":           fullOpenCV,
	"OPENCV_FISHEYE":        fisheye,
	"SIMPLE_RADIAL_FISHEYE": fisheye,
	"RADIAL_FISHEYE":        fisheye,
	"FOV":                   fov,
	"THIN_PRISM_FISHEYE":    thinPrism,
}

// Known reports whether the model can be undistorted.
func (l Lens) Known() bool { return models[l.Model] != nil }

// New returns the lens of a model of COLMAP.
func New(model string, params []float64) Lens {
	l := Lens{Model: model}
	copy(l.P[:], params)
	return l
}

func radial(p *[8]float64, x, y float64) (float64, float64) {
	r2 := x*x + y*y
	s := 1 + r2*(p[0]+r2*p[1])
	return x * s, y * s
}

func openCV(p *[8]float64, x, y float64) (float64, float64) {
	r2 := x*x + y*y
	s := 1 + r2*(p[0]+r2*(p[1]+r2*(p[4]+r2*p[5])))
	return tangential(p[2], p[3], s, r2, x, y)
}

func fullOpenCV(p *[8]float64, x, y float64) (float64, float64) {
	r2 := x*x + y*y
	s := (1 + r2*(p[0]+r2*(p[1]+r2*p[4]))) / (1 + r2*(p[5]+r2*(p[6]+r2*p[7])))
	return tangential(p[2], p[3], s, r2, x, y)
}

func tangential(p1, p2, s, r2, x, y float64) (float64, float64) {
	return x*s + 2*p1*x*y + p2*(r2+2*x*x), y*s + 2*p2*x*y + p1*(r2+2*y*y)
}

// angle scales a ray to its angle from the axis, in radians.
func angle(x, y float64) (float64, float64) {
	r := math.Hypot(x, y)
	if r < 1e-12 {
		return x, y
	}
	s := math.Atan(r) / r
	return x * s, y * s
}

func fisheye(p *[8]float64, x, y float64) (float64, float64) {
	x, y = angle(x, y)
	t2 := x*x + y*y
	s := 1 + t2*(p[0]+t2*(p[1]+t2*(p[2]+t2*p[3])))
	return x * s, y * s
}

func fov(p *[8]float64, x, y float64) (float64, float64) {
	r, w := math.Hypot(x, y), p[0]
	if w*w < 1e-10 {
		return x, y
	}
	s := 2 * math.Tan(w/2) / w
	if r > 1e-6 {
		s = math.Atan(2*r*math.Tan(w/2)) / (r * w)
	}
	return x * s, y * s
}

func thinPrism(p *[8]float64, x, y float64) (float64, float64) {
	x, y = angle(x, y)
	r2 := x*x + y*y
	s := 1 + r2*(p[0]+r2*(p[1]+r2*(p[4]+r2*p[5])))
	u, v := tangential(p[2], p[3], s, r2, x, y)
	return u + p[6]*r2, v + p[7]*r2
}

// widest is the largest tangent of the angle from the axis that a pinhole camera made of
// a fisheye reaches: beyond it the borders would be all stretch.
const widest = 2

// Plain returns the pinhole camera with the widest view for which every pixel of a
// picture of the same size has a source: same principal point, focal lengths longer by
// one factor.
func Plain(l Lens, c geom.Camera) (geom.Camera, error) {
	if !l.Known() {
		return c, fmt.Errorf("camera model %s cannot be undistorted, expected one of %s", l.Model, Models())
	}
	reach := max(c.Cx/c.Fx, (float64(c.Width)-c.Cx)/c.Fx, c.Cy/c.Fy, (float64(c.Height)-c.Cy)/c.Fy)
	lo, hi := min(reach/widest, 0.5), 16.0
	if !l.fills(c, hi) {
		return c, fmt.Errorf("camera model %s: its distortion bends even the middle of the picture, expected a lens", l.Model)
	}
	if lo = max(lo, reach/widest); l.fills(c, lo) {
		hi = lo
	}
	for range 40 {
		if mid := (lo + hi) / 2; l.fills(c, mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	c.Model, c.Fx, c.Fy = geom.Pinhole, c.Fx*hi, c.Fy*hi
	return c, nil
}

// Models lists the models that can be undistorted.
func Models() string {
	var names []string
	for n := range models {
		names = append(names, n)
	}
	slices.Sort(names)
	return fmt.Sprint(names)
}

// fills reports whether the border of a pinhole picture with focal lengths longer by a
// factor lies in the source, and the lens bends no ray back on the way there.
func (l Lens) fills(c geom.Camera, factor float64) bool {
	const n = 48
	w, h := float64(c.Width), float64(c.Height)
	for i := range n + 1 {
		s := float64(i) / n
		for _, at := range [][2]float64{{s * w, 0}, {s * w, h}, {0, s * h}, {w, s * h}} {
			if !l.reaches(c, (at[0]-c.Cx)/(c.Fx*factor), (at[1]-c.Cy)/(c.Fy*factor)) {
				return false
			}
		}
	}
	return true
}

func (l Lens) reaches(c geom.Camera, x, y float64) bool {
	const steps = 12
	before := 0.0
	for i := range steps {
		t := float64(i+1) / steps
		u, v := l.Distort(x*t, y*t)
		r := math.Hypot(u, v)
		if !(r >= before) {
			return false
		}
		before = r
		if px, py := c.Fx*u+c.Cx, c.Fy*v+c.Cy; !(px >= -1e-6 && py >= -1e-6 && px <= float64(c.Width)+1e-6 && py <= float64(c.Height)+1e-6) {
			return false
		}
	}
	return true
}

// Distort returns where a camera of focal length 1 sees the ray (x, y, 1). The model must
// be known.
func (l *Lens) Distort(x, y float64) (u, v float64) { return models[l.Model](&l.P, x, y) }
