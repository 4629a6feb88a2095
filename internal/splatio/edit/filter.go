// Package edit cuts and moves splats: filters by opacity and place, and similarity
// transforms that turn the SH too.
package edit

import (
	"splat/internal/gaussian"
	"splat/internal/geom"
)

// Filter says which splats stay: those that pass all that is set. The zero value
// keeps all.
type Filter struct {
	MinOpacity float64 // 0..1, as drawn, not the stored logit
	Box        *Box
	Sphere     *Sphere
}

// Box is an axis-aligned box in the splats' world, its borders included.
type Box struct{ Min, Max geom.Vec3 }

// Sphere is a ball in the splats' world, its border included.
type Sphere struct {
	Center geom.Vec3
	Radius float64
}

// Removed counts what a filter took away. A splat that fails several tests counts for
// the first of them.
type Removed struct {
	Opacity int `json:"opacity"`
	Box     int `json:"box"`
	Sphere  int `json:"sphere"`
}

// Apply returns the splats that stay.
func (f Filter) Apply(c *gaussian.Cloud) (*gaussian.Cloud, Removed) {
	var removed Removed
	keep := make([]int, 0, c.Len())
	for i := range c.Len() {
		m := c.Mean(i)
		switch {
		case c.Opacity(i) < f.MinOpacity:
			removed.Opacity++
		case f.Box != nil && !f.Box.holds(m):
			removed.Box++
		case f.Sphere != nil && !f.Sphere.holds(m):
			removed.Sphere++
		default:
			keep = append(keep, i)
		}
	}
	if len(keep) == c.Len() {
		return c, removed
	}
	return c.Select(keep), removed
}

func (b *Box) holds(m geom.Vec3) bool {
	for k, v := range m {
		if !(v >= b.Min[k] && v <= b.Max[k]) {
			return false
		}
	}
	return true
}

func (s *Sphere) holds(m geom.Vec3) bool { return m.Sub(s.Center).Norm() <= s.Radius }
