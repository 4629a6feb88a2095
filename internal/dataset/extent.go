package dataset

import (
	"fmt"
	"math"
	"slices"

	"splat/internal/geom"
)

// Extent returns the robust centre and radius of the cameras to train on (of all
// where there are none): the median of their positions along each axis, and the
// median of their distances from it, which one stray camera does not move.
// Learning rates and thresholds scale with the radius. Where the cameras share
// one place the radius is the median distance of the points, else 1.
func (c *Capture) Extent() (center geom.Vec3, radius float64) {
	views := c.Train()
	if len(views) == 0 {
		views = c.Views
	}
	if len(views) == 0 {
		return geom.Vec3{}, 1
	}
	center, dist := spread(views)
	if r := median(dist); r > tiny(center) {
		return center, r
	}
	if r := c.pointRadius(center); r > tiny(center) {
		return center, r
	}
	return center, 1
}

// tiny is a length that rounding alone may make at a place so far from the origin.
func tiny(at geom.Vec3) float64 { return 1e-9 * (1 + at.Norm()) }

// spread returns the median camera position and each camera's distance from it.
func spread(views []View) (center geom.Vec3, dist []float64) {
	pos := make([]geom.Vec3, len(views))
	for i, v := range views {
		pos[i] = v.Pose.Center()
	}
	for axis := range 3 {
		x := make([]float64, len(pos))
		for i, p := range pos {
			x[i] = p[axis]
		}
		center[axis] = median(x)
	}
	dist = make([]float64, len(pos))
	for i, p := range pos {
		dist[i] = p.Sub(center).Norm()
	}
	return center, dist
}

func (c *Capture) pointRadius(center geom.Vec3) float64 {
	if c.Points.Len() == 0 {
		return 0
	}
	dist := make([]float64, c.Points.Len())
	for i := range dist {
		p := c.Points.XYZ[3*i:]
		dist[i] = geom.Vec3{float64(p[0]), float64(p[1]), float64(p[2])}.Sub(center).Norm()
	}
	return median(dist)
}

// median returns the middle of x, or the mean of the two middle ones; x is left
// alone.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return s[n/2-1]/2 + s[n/2]/2
}

// outlierRadii is how many times the median distance a camera may be away from
// the centre before it is worth a warning. A straight flight reaches 2.
const outlierRadii = 20

// warnOutliers names cameras far outside the others.
func (d *draft) warnOutliers(c *Capture) {
	center, dist := spread(c.Views)
	r := median(dist)
	if r <= tiny(center) {
		return
	}
	var far []string
	for i, v := range c.Views {
		if dist[i] > outlierRadii*r {
			far = append(far, fmt.Sprintf("%s (%.3g times)", v.Name, math.Round(dist[i]/r)))
		}
	}
	if len(far) > 0 {
		d.warnf("%s far outside: more than %d times the median distance from the centre: %s", plural(len(far), "camera"), outlierRadii, firstOf(far))
	}
}
