package demo

import (
	"math"

	"splat/internal/geom"
)

// Light, linear RGB.
var (
	sunAt     = geom.Vec3{2.6, -2.2, 3.6}
	sunSize   = 0.85 // side of the square light
	sunColour = geom.Vec3{1.0, 0.93, 0.82}.Scale(1.1)
	skyColour = geom.Vec3{0.80, 0.90, 1.0}.Scale(0.55)
	floorGlow = geom.Vec3{1.0, 0.95, 0.88}.Scale(0.28) // light that comes back from below
	fillFrom  = geom.Vec3{-0.7, 0.5, 0.35}.Unit()
	fillGlow  = geom.Vec3{0.75, 0.82, 1.0}.Scale(0.16)
)

// sunAxes span the light, across the direction to the origin.
var sunAxes = func() [2]geom.Vec3 {
	u := geom.Vec3{0, 0, 1}.Cross(sunAt).Unit()
	return [2]geom.Vec3{u, sunAt.Unit().Cross(u)}
}()

// leave is how far from a surface its secondary rays start, which is more than
// the marching's tolerance.
const leave = 2e-3

// shade returns the light that comes back along the ray of h, which met an
// object. sample, 0..15, chooses the point on the light.
func (s *scene) shade(h *hit, sample int) geom.Vec3 {
	o, view := h.object, h.ray.dir
	p := h.ray.at(h.distance)
	n := o.normal(p)
	light := s.diffuse(o, p, n, view, sample)
	if o.mirror > 0 {
		light = s.reflect(light, o, p, n, view, sample)
	}
	return light
}

// nearest returns the first of objects along r and its distance, nil for none.
func nearest(objects []*object, r ray) (first *object, distance float64) {
	distance = miss
	for _, o := range objects {
		if t := o.intersect(r, distance); t < distance {
			first, distance = o, t
		}
	}
	return first, distance
}

// blocked reports whether anything lies between the origin of r and the light.
func (s *scene) blocked(r ray) bool {
	for _, o := range s.objects {
		if o.intersect(r, miss) < miss {
			return true
		}
	}
	return false
}

// diffuse is everything but the reflection: the sun with its highlight, the
// ambient light, and a weak fill light that casts no shadow.
func (s *scene) diffuse(o *object, p, n, view geom.Vec3, sample int) geom.Vec3 {
	sun, gloss := s.sun(o, p, n, view, sample)
	open := s.openness(o, p, n)
	ambient := lerp(floorGlow, skyColour, 0.5+0.5*n[2]).Scale(open)
	fill := fillGlow.Scale(max(n.Dot(fillFrom), 0) * (0.4 + 0.6*open))
	light := sunColour.Scale(sun).Add(ambient).Add(fill)
	albedo := o.albedo(o.local(p))
	for i := range light {
		light[i] = light[i]*albedo[i] + gloss*sunColour[i]
	}
	return light
}

// sun returns the cosine at which the sun's light falls in and the strength of
// its highlight, both 0 in shadow.
func (s *scene) sun(o *object, p, n, view geom.Vec3, sample int) (cosine, highlight float64) {
	at := subpixels[sample]
	to := sunAt.
		Add(sunAxes[0].Scale((at[0] - 0.5) * sunSize)).
		Add(sunAxes[1].Scale((at[1] - 0.5) * sunSize)).
		Sub(p).Unit()
	cosine = n.Dot(to)
	if cosine <= 0 || s.blocked(ray{p.Add(n.Scale(leave)), to}) {
		return 0, 0
	}
	half := to.Sub(view).Unit()
	highlight = max(n.Dot(half), 0)
	for range o.doublings {
		highlight *= highlight
	}
	return cosine, o.specular * highlight
}

// openness is the share of the ambient light at p that other objects let through.
func (s *scene) openness(o *object, p, n geom.Vec3) float64 {
	open := 1.0
	for i := range s.objects {
		if s.objects[i] == o {
			continue
		}
		proxies := s.objects[i].proxies
		for j := range proxies {
			open *= 1 - proxies[j].cover(&p, &n)
		}
	}
	return open
}

// cover is the share of the cosine-weighted hemisphere around n that the ball
// hides from p: (sine of its angular radius)^2 times the cosine of its centre's
// angle, with a smooth end where the ball sinks below the horizon.
func (s *sphere) cover(p, n *geom.Vec3) float64 {
	x, y, z := s.centre[0]-p[0], s.centre[1]-p[1], s.centre[2]-p[2]
	height := x*n[0] + y*n[1] + z*n[2]
	if height <= -s.radius {
		return 0
	}
	distance := max(math.Sqrt(x*x+y*y+z*z), s.radius)
	sine, cosine := s.radius/distance, height/distance
	if cosine < sine {
		cosine = (cosine + sine) * (cosine + sine) / (4 * sine)
	}
	return sine * sine * cosine
}

// reflect adds the mirror image of the scene and its surroundings to light.
func (s *scene) reflect(light geom.Vec3, o *object, p, n, view geom.Vec3, sample int) geom.Vec3 {
	cosine := min(max(-n.Dot(view), 0), 1)
	grazing := (1 - cosine) * (1 - cosine)
	share := o.mirror * (1 + 2*grazing*grazing)
	r := ray{p.Add(n.Scale(leave)), view.Sub(n.Scale(2 * n.Dot(view))).Unit()}
	seen := surroundings(r.dir)
	if other, t := nearest(s.objects, r); other != nil {
		q := r.at(t)
		seen = s.diffuse(other, q, other.normal(q), r.dir, sample)
	}
	return lerp(light, seen, share)
}

// surroundings is the room that mirrors show and pictures do not: a floor, a
// bright horizon, a blue sky and one wide window.
func surroundings(d geom.Vec3) geom.Vec3 {
	sky := lerp(geom.Vec3{1.0, 0.97, 0.92}, geom.Vec3{0.30, 0.50, 0.85}, clamp01(d[2]*1.4))
	c := lerp(geom.Vec3{0.16, 0.14, 0.13}, sky, edge(d[2], 0.12))
	window := edge(0.45-math.Abs(d[0]+0.6), 0.08) * edge(0.28-math.Abs(d[2]-0.55), 0.08) * edge(d[1], 0.1)
	return c.Add(geom.Vec3{1.6, 1.6, 1.5}.Scale(window))
}
