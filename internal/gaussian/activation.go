package gaussian

import (
	"math"

	"splat/internal/geom"
)

// Sigmoid maps a stored opacity logit to an opacity in 0..1.
func Sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Logit is the inverse of Sigmoid: the stored form of an opacity p in (0, 1).
// It is infinite at 0 and 1 and NaN outside.
func Logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

// Opacity returns the opacity of splat i, 0..1.
func (c *Cloud) Opacity(i int) float64 { return Sigmoid(float64(c.Opacities[i])) }

// Scale returns the standard deviations of splat i along its own axes, in world
// units.
func (c *Cloud) Scale(i int) geom.Vec3 {
	s := c.LogScales[3*i : 3*i+3]
	return geom.Vec3{math.Exp(float64(s[0])), math.Exp(float64(s[1])), math.Exp(float64(s[2]))}
}

// Mean returns the world position of splat i.
func (c *Cloud) Mean(i int) geom.Vec3 {
	m := c.Means[3*i : 3*i+3]
	return geom.Vec3{float64(m[0]), float64(m[1]), float64(m[2])}
}
