package train

import (
	"math"

	"splat/internal/dataset"
	"splat/internal/gaussian"
	"splat/internal/geom"
	"splat/internal/kernel"
)

// frame is the similarity between the capture's world and the frame in which
// training happens: x = Center + Scale * x'. Its origin is the middle of the
// cameras and its unit their spread, so that learning rates, noise and
// regularisers mean the same in every capture, and numbers stay small in worlds
// far from the origin. Nothing outside this package sees it.
type frame struct {
	Center geom.Vec3 `json:"center"`
	Scale  float64   `json:"scale"`
}

// frameOf derives the frame from the capture's cameras, and points where all
// cameras are in one place.
func frameOf(c *dataset.Capture) frame {
	center, radius := c.Extent()
	return frame{Center: center, Scale: radius}
}

// enter brings a cloud from the world into the frame, in place.
func (f frame) enter(c *gaussian.Cloud) {
	s := 1 / f.Scale
	c.Transform(s, [3]float64(f.Center.Scale(-s)))
}

// leave brings a cloud back into the world, in place.
func (f frame) leave(c *gaussian.Cloud) { c.Transform(f.Scale, [3]float64(f.Center)) }

// view returns the device's record of a camera, posed in the frame.
func (f frame) view(v dataset.View) kernel.View {
	out := kernel.View{
		Fx: float32(v.Camera.Fx), Fy: float32(v.Camera.Fy), Cx: float32(v.Camera.Cx), Cy: float32(v.Camera.Cy),
		Width: uint32(v.Camera.Width), Height: uint32(v.Camera.Height), Resident: 1,
	}
	t := v.Pose.R.MulVec(f.Center).Add(v.Pose.T).Scale(1 / f.Scale)
	for i, r := range v.Pose.R {
		out.R[i] = float32(r)
	}
	for i := range 3 {
		out.T[i] = float32(t[i])
	}
	pixels := math.Max(float64(v.Camera.Width)*float64(v.Camera.Height), 1)
	out.LossScale = float32(1 / (3 * pixels))
	return out
}
