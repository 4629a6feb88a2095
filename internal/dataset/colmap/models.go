package colmap

import (
	"fmt"
	"strings"

	"splat/internal/dataset/undistort"
	"splat/internal/geom"
)

// lens describes a camera model of COLMAP.
type lens struct {
	name     string
	params   int
	focals   int  // 1: f cx cy ...; 2: fx fy cx cy ...; 0: neither
	straight bool // all further parameters zero makes it a pinhole camera
}

// lenses are COLMAP's models, indexed by id.
var lenses = []lens{
	{"SIMPLE_PINHOLE", 3, 1, true},
	{"PINHOLE", 4, 2, true},
	{"SIMPLE_RADIAL", 4, 1, true},
	{"RADIAL", 5, 1, true},
	{"OPENCV", 8, 2, true},
	{"OPENCV_FISHEYE", 8, 2, false},
	{"FULL_OPENCV", 12, 2, true},
	{"FOV", 5, 2, true},
	{"SIMPLE_RADIAL_FISHEYE", 4, 1, false},
	{"RADIAL_FISHEYE", 5, 1, false},
	{"THIN_PRISM_FISHEYE", 12, 2, false},
	{"RAD_TAN_THIN_PRISM_FISHEYE", 16, 2, false},
	{"SIMPLE_DIVISION", 4, 1, true},
	{"DIVISION", 5, 2, true},
	{"SIMPLE_FISHEYE", 3, 1, false},
	{"FISHEYE", 4, 2, false},
	{"EUCM", 6, 2, false},
	{"EQUIRECTANGULAR", 2, 0, false},
}

func lensByName(name string) *lens {
	for i := range lenses {
		if lenses[i].name == name {
			return &lenses[i]
		}
	}
	return nil
}

func lensByID(id int32) *lens {
	if id < 0 || int(id) >= len(lenses) {
		return nil
	}
	return &lenses[id]
}

func lensNames() string {
	names := make([]string, len(lenses))
	for i := range lenses {
		names[i] = lenses[i].name
	}
	return strings.Join(names, ", ")
}

// maxPixels bounds focal lengths and principal points.
const maxPixels = 1e9

// Pinhole returns the camera as a pinhole projection; a model with distortion
// counts as one if all its coefficients are exactly zero. The error names the
// camera and its model.
func (c *Camera) Pinhole() (geom.Camera, error) {
	l := lensByName(c.Model)
	if l == nil {
		return geom.Camera{}, fmt.Errorf("camera %d: unknown model %q", c.ID, c.Model)
	}
	if l.params != len(c.Params) {
		return geom.Camera{}, fmt.Errorf("camera %d (%s): %d parameters, expected %d", c.ID, c.Model, len(c.Params), l.params)
	}
	if !l.straight {
		return geom.Camera{}, fmt.Errorf("camera %d: model %s is not supported yet, expected PINHOLE or SIMPLE_PINHOLE "+
			"(--undistort makes such pictures and cameras of most models, so does colmap image_undistorter)", c.ID, c.Model)
	}
	g := geom.Camera{Model: geom.Pinhole, Width: c.Width, Height: c.Height}
	p := c.Params
	g.Fx, g.Fy = p[0], p[l.focals-1]
	p = p[l.focals:]
	g.Cx, g.Cy = p[0], p[1]
	for i, k := range p[2:] {
		if k != 0 {
			return geom.Camera{}, fmt.Errorf("camera %d: model %s with lens distortion (coefficient %d is %.4g) is not supported yet, "+
				"expected PINHOLE or SIMPLE_PINHOLE (--undistort makes such pictures and cameras, so does colmap image_undistorter)", c.ID, c.Model, i+1, k)
		}
	}
	if err := c.check(g); err != nil {
		return geom.Camera{}, err
	}
	if l.name == string(geom.SimplePinhole) {
		g.Model = geom.SimplePinhole
	}
	return g, nil
}

// check judges focal lengths and principal point.
func (c *Camera) check(g geom.Camera) error {
	if g.Fx <= 0 || g.Fy <= 0 || max(g.Fx, g.Fy) > maxPixels {
		return fmt.Errorf("camera %d (%s): focal length %g, %g, expected positive numbers up to %g", c.ID, c.Model, g.Fx, g.Fy, maxPixels)
	}
	if max(g.Cx, g.Cy, -g.Cx, -g.Cy) > maxPixels {
		return fmt.Errorf("camera %d (%s): principal point %g, %g, expected numbers up to %g", c.ID, c.Model, g.Cx, g.Cy, maxPixels)
	}
	return nil
}

// Bent returns the camera and its distortion where package undistort can undo it.
func (c *Camera) Bent() (g geom.Camera, bend undistort.Lens, ok bool) {
	l := lensByName(c.Model)
	if l == nil || l.params != len(c.Params) || l.focals == 0 {
		return g, bend, false
	}
	p := c.Params
	g = geom.Camera{Model: geom.Model(c.Model), Width: c.Width, Height: c.Height, Fx: p[0], Fy: p[l.focals-1], Cx: p[l.focals], Cy: p[l.focals+1]}
	bend = undistort.New(c.Model, p[l.focals+2:])
	return g, bend, bend.Known() && c.check(g) == nil
}
