package demo

import (
	"math"

	"splat/internal/geom"
)

// Every camera sees the whole scene: a ball of radius 1.2 at distance 4 fills
// 35 of the 40 degrees.
const (
	fieldOfView    = 40 * math.Pi / 180
	cameraDistance = 4.0
)

// Heights of the cameras as sines of their elevation: from 10 to 74 degrees.
const lowest, highest = 0.17, 0.96

// camera is a square pinhole with the picture's centre as its principal point.
type camera struct {
	toWorld [4][4]float64 // camera to world: x right, y up, z towards the viewer
	size    int           // width and height in pixels
}

// lens is a camera made ready to cast rays: a ray's direction is
// corner + x*right + y*down before it is scaled to length one.
type lens struct {
	eye, corner, right, down geom.Vec3

	footprint float64 // at least half a pixel's diagonal, in world units, anywhere in the scene
}

func (c camera) lens() lens {
	half := float64(c.size) / 2
	slope := math.Tan(fieldOfView/2) / half
	l := lens{footprint: slope * (cameraDistance + 1.2)}
	for i, row := range c.toWorld[:3] {
		l.eye[i] = row[3]
		l.right[i], l.down[i] = slope*row[0], -slope*row[1]
		l.corner[i] = half*(slope*row[1]-slope*row[0]) - row[2]
	}
	return l
}

// ray returns the ray through the point (x, y) of the picture, in pixels, y
// down, pixel centres at +0.5.
func (l *lens) ray(x, y float64) ray {
	dx := l.corner[0] + x*l.right[0] + y*l.down[0]
	dy := l.corner[1] + x*l.right[1] + y*l.down[1]
	dz := l.corner[2] + x*l.right[2] + y*l.down[2]
	k := 1 / math.Sqrt(dx*dx+dy*dy+dz*dz)
	return ray{l.eye, geom.Vec3{k * dx, k * dy, k * dz}}
}

// lookAtOrigin returns the camera at position that sees the origin in its
// centre, with the world's z up.
func lookAtOrigin(position geom.Vec3, size int) camera {
	back := position.Unit()
	right := geom.Vec3{0, 0, 1}.Cross(back).Unit()
	up := back.Cross(right)
	c := camera{size: size}
	for i := range 3 {
		c.toWorld[i] = [4]float64{right[i], up[i], back[i], position[i]}
	}
	c.toWorld[3][3] = 1
	return c
}

// spiral returns the position at index t of a Fibonacci spiral of n points, which
// covers the hemisphere evenly; t need not be whole.
func spiral(t, n, turn float64) geom.Vec3 {
	z := lowest + (highest-lowest)*(t+0.5)/n
	sin, cos := math.Sincos(2 * math.Pi * (t/math.Phi + turn))
	ring := math.Sqrt(1 - z*z)
	return geom.Vec3{ring * cos, ring * sin, z}.Scale(cameraDistance)
}

// turnOf is the part of a revolution by which a seed turns the spiral.
func turnOf(seed uint64) float64 { return unitFloat(mix(seed)) }

func trainCameras(o Options) []camera {
	cams := make([]camera, o.Train)
	for i := range cams {
		cams[i] = lookAtOrigin(spiral(float64(i), float64(o.Train), turnOf(o.Seed)), o.Size)
	}
	return cams
}

// testCameras places each test view in the middle half of the gap between two
// neighbours on the training views' spiral, so that none repeats a training view.
func testCameras(o Options) []camera {
	cams := make([]camera, o.Test)
	n := float64(o.Train)
	for k := range cams {
		t := (float64(k) + 0.5) * n / float64(o.Test)
		_, within := math.Modf(t + 0.5)
		cams[k] = lookAtOrigin(spiral(math.Floor(t)+0.25+0.5*within, n, turnOf(o.Seed)), o.Size)
	}
	return cams
}
