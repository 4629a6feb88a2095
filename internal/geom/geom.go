// Package geom holds the small geometry the rest is built on: vectors,
// quaternions, rigid poses and camera models.
//
// Conventions: right-handed world in the input's own frame; camera axes are
// x right, y down, z forward; a Pose maps world to camera; quaternions are
// w x y z; pixel centres lie at +0.5; intrinsics are in pixels.
package geom

import "math"

// Vec3 is a point or direction in three dimensions.
type Vec3 [3]float64

// Add returns a + b.
func (a Vec3) Add(b Vec3) Vec3 { return Vec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// Sub returns a - b.
func (a Vec3) Sub(b Vec3) Vec3 { return Vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// Scale returns s*a.
func (a Vec3) Scale(s float64) Vec3 { return Vec3{s * a[0], s * a[1], s * a[2]} }

// Dot returns the inner product of a and b.
func (a Vec3) Dot(b Vec3) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Cross returns the cross product a x b.
func (a Vec3) Cross(b Vec3) Vec3 {
	return Vec3{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// Norm returns the Euclidean length of a.
func (a Vec3) Norm() float64 { return math.Sqrt(a.Dot(a)) }

// Unit returns a scaled to length one; the zero vector stays zero.
func (a Vec3) Unit() Vec3 {
	n := a.Norm()
	if n == 0 {
		return a
	}
	return a.Scale(1 / n)
}

// IsFinite reports whether no component is NaN or infinite.
func (a Vec3) IsFinite() bool {
	for _, v := range a {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Mat3 is a 3x3 matrix in row-major order.
type Mat3 [9]float64

// Identity3 is the 3x3 identity.
var Identity3 = Mat3{1, 0, 0, 0, 1, 0, 0, 0, 1}

// MulVec returns m v.
func (m Mat3) MulVec(v Vec3) Vec3 {
	return Vec3{
		m[0]*v[0] + m[1]*v[1] + m[2]*v[2],
		m[3]*v[0] + m[4]*v[1] + m[5]*v[2],
		m[6]*v[0] + m[7]*v[1] + m[8]*v[2],
	}
}

// Mul returns the matrix product m n.
func (m Mat3) Mul(n Mat3) Mat3 {
	var r Mat3
	for i := range 3 {
		for j := range 3 {
			r[3*i+j] = m[3*i]*n[j] + m[3*i+1]*n[3+j] + m[3*i+2]*n[6+j]
		}
	}
	return r
}

// T returns the transpose of m.
func (m Mat3) T() Mat3 {
	return Mat3{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}
}

// Det returns the determinant of m.
func (m Mat3) Det() float64 {
	return m[0]*(m[4]*m[8]-m[5]*m[7]) - m[1]*(m[3]*m[8]-m[5]*m[6]) + m[2]*(m[3]*m[7]-m[4]*m[6])
}

// Quat is a quaternion w x y z.
type Quat [4]float64

// Matrix returns the rotation matrix of q, which is normalised first. The zero
// quaternion has no rotation; callers reject it before.
func (q Quat) Matrix() Mat3 {
	n := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	w, x, y, z := q[0]/n, q[1]/n, q[2]/n, q[3]/n
	return Mat3{
		1 - 2*(y*y+z*z), 2 * (x*y - w*z), 2 * (x*z + w*y),
		2 * (x*y + w*z), 1 - 2*(x*x+z*z), 2 * (y*z - w*x),
		2 * (x*z - w*y), 2 * (y*z + w*x), 1 - 2*(x*x+y*y),
	}
}

// Pose maps world to camera: x_camera = R x_world + T.
type Pose struct {
	R Mat3
	T Vec3
}

// Center returns the camera's position in the world, -R^T T.
func (p Pose) Center() Vec3 { return p.R.T().MulVec(p.T).Scale(-1) }

// Apply maps a world point into the camera frame.
func (p Pose) Apply(x Vec3) Vec3 { return p.R.MulVec(x).Add(p.T) }

// Forward returns the viewing direction in the world (camera +z).
func (p Pose) Forward() Vec3 { return Vec3{p.R[6], p.R[7], p.R[8]} }

// MaxCoordinate bounds what a capture may place in the world: training computes in
// float32, in which squares of lengths beyond some 1e19 are infinite.
const MaxCoordinate = 1e15

// InReach reports whether every coordinate is within MaxCoordinate; what is not a
// number is not.
func (a Vec3) InReach() bool {
	for _, x := range a {
		if !(math.Abs(x) <= MaxCoordinate) {
			return false
		}
	}
	return true
}
