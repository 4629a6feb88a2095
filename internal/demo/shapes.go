package demo

import (
	"math"

	"splat/internal/geom"
)

// ray is a half line with a direction of length one.
type ray struct{ origin, dir geom.Vec3 }

// at returns the point at distance t.
func (r ray) at(t float64) geom.Vec3 { return r.origin.Add(r.dir.Scale(t)) }

// shape is a closed surface.
type shape interface {
	// intersect returns the distance to the first crossing in front of the origin
	// and nearer than limit, +Inf for none.
	intersect(r ray, limit float64) float64
	// normal returns the outward normal at a point of the surface.
	normal(p geom.Vec3) geom.Vec3
}

var miss = math.Inf(1)

// sphere is a ball given by centre and radius.
type sphere struct {
	centre geom.Vec3
	radius float64
}

// span returns the distances at which r enters and leaves the ball; ok is false
// when it passes by or the ball lies behind.
func (s *sphere) span(r ray) (in, out float64, ok bool) {
	x, y, z := s.centre[0]-r.origin[0], s.centre[1]-r.origin[1], s.centre[2]-r.origin[2]
	along := x*r.dir[0] + y*r.dir[1] + z*r.dir[2]
	disc := along*along - (x*x + y*y + z*z) + s.radius*s.radius
	if disc <= 0 {
		return 0, 0, false
	}
	h := math.Sqrt(disc)
	return along - h, along + h, along+h > 0
}

func (s *sphere) intersect(r ray, limit float64) float64 {
	in, out, ok := s.span(r)
	if !ok {
		return miss
	}
	return firstOf(in, out, limit)
}

func (s *sphere) normal(p geom.Vec3) geom.Vec3 { return p.Sub(s.centre).Scale(1 / s.radius) }

// puck is an upright round plate with its axis on the z axis. Its normals are
// bent near the upper rim, which makes the edge look rounded.
type puck struct{ radius, bottom, top, bevel float64 }

func (c puck) intersect(r ray, limit float64) float64 {
	in, out := c.slab(r)
	a := r.dir[0]*r.dir[0] + r.dir[1]*r.dir[1]
	b := r.origin[0]*r.dir[0] + r.origin[1]*r.dir[1]
	k := r.origin[0]*r.origin[0] + r.origin[1]*r.origin[1] - c.radius*c.radius
	if a > 1e-12 {
		disc := b*b - a*k
		if disc <= 0 {
			return miss
		}
		h := math.Sqrt(disc)
		in, out = max(in, (-b-h)/a), min(out, (-b+h)/a)
	} else if k > 0 {
		return miss
	}
	return firstOf(in, out, limit)
}

// slab returns where r is between the plate's two planes.
func (c puck) slab(r ray) (in, out float64) {
	if r.dir[2] == 0 {
		if r.origin[2] < c.bottom || r.origin[2] > c.top {
			return miss, -miss
		}
		return -miss, miss
	}
	t0, t1 := (c.bottom-r.origin[2])/r.dir[2], (c.top-r.origin[2])/r.dir[2]
	return min(t0, t1), max(t0, t1)
}

// firstOf returns the first crossing, in front and nearer than limit, of a convex
// body that a ray enters at in and leaves at out.
func firstOf(in, out, limit float64) float64 {
	t := in
	if in <= 0 {
		t = out
	}
	if in >= out || t <= 0 || t >= limit {
		return miss
	}
	return t
}

func (c puck) normal(p geom.Vec3) geom.Vec3 {
	rho := math.Hypot(p[0], p[1])
	outward := geom.Vec3{p[0], p[1], 0}.Unit()
	up := geom.Vec3{0, 0, 1}
	switch {
	case p[2] < c.bottom+1e-6:
		return up.Scale(-1)
	case p[2] > c.top-1e-6:
		return bend(up, outward, 1-(c.radius-rho)/c.bevel)
	}
	return bend(outward, up, 1-(c.top-p[2])/c.bevel)
}

// bend tilts n towards m, by 45 degrees at amount 1 and not at all below 0.
func bend(n, m geom.Vec3, amount float64) geom.Vec3 {
	return n.Add(m.Scale(clamp01(amount))).Unit()
}

// solid is a body given by a signed distance in its own frame.
type solid struct {
	frame
	bound    sphere // holds the body
	distance distance
}

// distance is the signed distance of a point to a body, negative inside.
type distance func(x, y, z float64) float64

// frame is a local coordinate system.
type frame struct {
	origin geom.Vec3
	axes   geom.Mat3 // local to world
}

// local maps a world point into the frame.
func (f *frame) local(p geom.Vec3) geom.Vec3 { return f.axes.T().MulVec(p.Sub(f.origin)) }

// Marching stops this near to a surface; the scene's unit is about 55 pixels of
// the default size.
const (
	nearEnough = 5e-4
	maxMarch   = 96
)

func (s *solid) intersect(r ray, limit float64) float64 {
	t, out, ok := s.bound.span(r)
	if !ok || t >= limit {
		return miss
	}
	t = max(t, 0)
	from, dir := s.local(r.origin), s.axes.T().MulVec(r.dir)
	for range maxMarch {
		d := s.distance(from[0]+t*dir[0], from[1]+t*dir[1], from[2]+t*dir[2])
		if d < nearEnough {
			return t
		}
		if t += d; t >= min(out, limit) {
			return miss
		}
	}
	return miss
}

// normal is the gradient of the distance, from differences along the four
// corners of a tetrahedron.
func (s *solid) normal(p geom.Vec3) geom.Vec3 {
	const h = 1e-4
	q := s.local(p)
	a := s.distance(q[0]+h, q[1]-h, q[2]-h)
	b := s.distance(q[0]-h, q[1]+h, q[2]-h)
	c := s.distance(q[0]-h, q[1]-h, q[2]+h)
	d := s.distance(q[0]+h, q[1]+h, q[2]+h)
	return s.axes.MulVec(geom.Vec3{a - b - c + d, b - a - c + d, c - a - b + d}).Unit()
}

// roundedBox is a box with the given half sides, edges rounded by radius.
func roundedBox(half geom.Vec3, radius float64) distance {
	return func(x, y, z float64) float64 {
		x = math.Abs(x) - half[0] + radius
		y = math.Abs(y) - half[1] + radius
		z = math.Abs(z) - half[2] + radius
		ox, oy, oz := max(x, 0), max(y, 0), max(z, 0)
		return math.Sqrt(ox*ox+oy*oy+oz*oz) + min(max(x, y, z), 0) - radius
	}
}

// roundedCylinder is an upright cylinder, its two edges rounded by radius.
func roundedCylinder(r, halfHeight, radius float64) distance {
	return func(x, y, z float64) float64 {
		rho := math.Sqrt(x*x+y*y) - r + radius
		z = math.Abs(z) - halfHeight + radius
		out, oz := max(rho, 0), max(z, 0)
		return math.Sqrt(out*out+oz*oz) + min(max(rho, z), 0) - radius
	}
}

// torus is a ring of radius r and thickness 2*tube around the local z axis.
func torus(r, tube float64) distance {
	return func(x, y, z float64) float64 {
		rho := math.Sqrt(x*x+y*y) - r
		return math.Sqrt(rho*rho+z*z) - tube
	}
}

// yaw is the rotation by degrees around the z axis.
func yaw(degrees float64) geom.Mat3 {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return geom.Mat3{cos, -sin, 0, sin, cos, 0, 0, 0, 1}
}
