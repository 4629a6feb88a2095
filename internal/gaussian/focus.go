package gaussian

import (
	"math"
	"slices"

	"splat/internal/geom"
)

const (
	// focusRounds is the number of reweighting rounds that find the focus.
	focusRounds = 20
	// minConvergence is the determinant below which optical axes count as
	// parallel; for axes within an angle a of each other it is about a^2/2.
	minConvergence = 1e-3
	// depthOfSpread guesses the depth of a capture whose axes do not meet, in
	// units of the cameras' spread: forward-facing captures and rooms.
	depthOfSpread = 4
	// minDepth is the smallest depth of a believable focus, in units of the
	// cameras' spread: cameras that look outwards meet among themselves.
	minDepth = 0.2
	// tooFar is the distance from the focus, in units of the median depth, from
	// which a camera counts as an outlier.
	tooFar = 10
)

// sourcesOf guesses a depth for each camera and leaves outliers out, unless all
// are.
func sourcesOf(cams []ViewCone) []source {
	at, depth, ok := focusOf(cams)
	var out []source
	for _, v := range cams {
		switch z := v.Pose.Apply(at)[2]; {
		case !ok:
			out = append(out, source{ViewCone: v, depth: depth})
		case v.Pose.Center().Sub(at).Norm() > tooFar*depth:
		case z > depth/5:
			out = append(out, source{ViewCone: v, depth: z})
		default: // looks elsewhere
			out = append(out, source{ViewCone: v, depth: depth})
		}
	}
	if len(out) == 0 {
		for _, v := range cams {
			out = append(out, source{ViewCone: v, depth: depth})
		}
	}
	return out
}

// focusOf returns the point closest to all optical axes and its median depth.
// ok is false where there is no such point in front of most cameras; depth is
// then the guess for all.
func focusOf(cams []ViewCone) (at geom.Vec3, depth float64, ok bool) {
	spread := spreadOf(cams)
	if spread == 0 {
		return at, 1, false
	}
	guess := depthOfSpread * spread
	if at, ok = meetingPoint(cams); !ok {
		return at, guess, false
	}
	depths := make([]float64, len(cams))
	for i, v := range cams {
		depths[i] = v.Pose.Apply(at)[2]
	}
	slices.Sort(depths)
	if depth = depths[len(depths)/2]; depth <= minDepth*spread {
		return at, guess, false
	}
	return at, depth, true
}

// spreadOf returns the median distance of the cameras from their median centre,
// and 0 where that is no more than rounding: cameras that turn on the spot.
func spreadOf(cams []ViewCone) float64 {
	var axes [3][]float64
	for _, v := range cams {
		for k, x := range v.Pose.Center() {
			axes[k] = append(axes[k], x)
		}
	}
	var middle geom.Vec3
	for k := range axes {
		slices.Sort(axes[k])
		middle[k] = axes[k][len(axes[k])/2]
	}
	dist := make([]float64, len(cams))
	for i, v := range cams {
		dist[i] = v.Pose.Center().Sub(middle).Norm()
	}
	slices.Sort(dist)
	spread := dist[len(dist)/2]
	if spread <= 1e-9*middle.Norm() {
		return 0
	}
	return spread
}

// meetingPoint returns the point with the smallest sum of distances to the
// optical axes: least squares, reweighted by the inverse distance, so that a few
// cameras elsewhere do not pull it away. ok is false for parallel axes.
func meetingPoint(cams []ViewCone) (p geom.Vec3, ok bool) {
	weights := make([]float64, len(cams))
	for i := range weights {
		weights[i] = 1
	}
	for range focusRounds {
		if p, ok = closestToAxes(cams, weights); !ok {
			return p, false
		}
		total := 0.0
		for i, v := range cams {
			weights[i] = v.axisDistance(p)
			total += weights[i]
		}
		// The floor keeps an axis through p from taking all the weight.
		floor := 1e-3 * total / float64(len(cams))
		if floor == 0 {
			return p, true
		}
		for i := range weights {
			weights[i] = 1 / max(weights[i], floor)
		}
	}
	return p, true
}

func (v *ViewCone) axisDistance(p geom.Vec3) float64 {
	q := v.Pose.Apply(p)
	return math.Hypot(q[0], q[1])
}

// closestToAxes solves sum w (I - d d^T) p = sum w (I - d d^T) c for the axes
// with origins c and directions d, relative to the first camera for accuracy.
func closestToAxes(cams []ViewCone, weights []float64) (geom.Vec3, bool) {
	var a geom.Mat3
	var b geom.Vec3
	origin := cams[0].Pose.Center()
	total := 0.0
	for i, v := range cams {
		w := weights[i]
		d := v.Pose.Forward()
		c := v.Pose.Center().Sub(origin)
		along := d.Dot(c)
		for r := range 3 {
			for k := range 3 {
				a[3*r+k] -= w * d[r] * d[k]
			}
			a[4*r] += w
			b[r] += w * (c[r] - along*d[r])
		}
		total += w
	}
	for i := range a {
		a[i] /= total
	}
	p, det := solve3(a, b.Scale(1/total))
	return p.Add(origin), det > minConvergence && p.IsFinite()
}

// solve3 solves a x = b for a symmetric matrix by Cramer's rule and returns the
// determinant of a.
func solve3(a geom.Mat3, b geom.Vec3) (x geom.Vec3, det float64) {
	r0, r1, r2 := geom.Vec3{a[0], a[1], a[2]}, geom.Vec3{a[3], a[4], a[5]}, geom.Vec3{a[6], a[7], a[8]}
	det = a.Det()
	x = geom.Vec3{b.Dot(r1.Cross(r2)), b.Dot(r2.Cross(r0)), b.Dot(r0.Cross(r1))}
	return x.Scale(1 / det), det
}
