package nerfstudio

import (
	"errors"
	"fmt"
	"math"

	"splat/internal/geom"
)

// poseOf turns a camera-to-world matrix of 3 or 4 rows, OpenGL axes, into our
// world-to-camera pose. A uniform scale of the rotation is dropped: it moves no
// viewing ray. The rotation is made exactly orthonormal, since files round.
func poseOf(m [][]number) (geom.Pose, error) {
	if len(m) == 0 {
		return geom.Pose{}, errors.New("no transform_matrix")
	}
	if len(m) != 3 && len(m) != 4 {
		return geom.Pose{}, fmt.Errorf("transform_matrix has %d rows, expected 3 or 4", len(m))
	}
	for i, row := range m {
		if len(row) != 4 {
			return geom.Pose{}, fmt.Errorf("row %d of transform_matrix has %d numbers, expected 4", i, len(row))
		}
		for _, n := range row {
			if n.odd != "" {
				return geom.Pose{}, fmt.Errorf("row %d of transform_matrix: found %s, expected a number", i, n.odd)
			}
			if !n.finite() {
				return geom.Pose{}, errors.New("transform_matrix holds a number that is not finite")
			}
		}
	}
	if len(m) == 4 && (m[3][0].v != 0 || m[3][1].v != 0 || m[3][2].v != 0 || m[3][3].v != 1) {
		return geom.Pose{}, errors.New("the last row of transform_matrix is not 0 0 0 1")
	}
	var r geom.Mat3
	var t geom.Vec3
	for i := range 3 {
		// y up, z backward -> y down, z forward
		r[3*i], r[3*i+1], r[3*i+2] = m[i][0].v, -m[i][1].v, -m[i][2].v
		t[i] = m[i][3].v
	}
	if !t.InReach() {
		return geom.Pose{}, fmt.Errorf("transform_matrix places the camera beyond %g", geom.MaxCoordinate)
	}
	r, err := orthonormal(r)
	if err != nil {
		return geom.Pose{}, err
	}
	return geom.Pose{R: r.T(), T: r.T().MulVec(t).Scale(-1)}, nil
}

// orthonormal returns the rotation nearest to m/s, where s is m's uniform scale,
// by Newton's iteration for the polar decomposition; m must be a rotation to
// within 1 %.
func orthonormal(m geom.Mat3) (geom.Mat3, error) {
	det := m.Det()
	if !(det > 0) || math.IsInf(det, 0) {
		return m, fmt.Errorf("transform_matrix is not a rotation: its determinant is %.3g, expected 1", det)
	}
	m = scaled(m, 1/math.Cbrt(det))
	if e := deviation(m); !(e < 0.01) {
		return m, fmt.Errorf("transform_matrix is not a rotation: its axes are off by %.2g, expected right angles and equal lengths", e)
	}
	for range 4 {
		c, det := cofactors(m), m.Det()
		for i := range m {
			m[i] = 0.5 * (m[i] + c[i]/det)
		}
	}
	return m, nil
}

func scaled(m geom.Mat3, s float64) geom.Mat3 {
	for i := range m {
		m[i] *= s
	}
	return m
}

// deviation returns the largest entry of |m^T m - 1|.
func deviation(m geom.Mat3) float64 {
	e := 0.0
	for i, v := range m.T().Mul(m) {
		e = math.Max(e, math.Abs(v-geom.Identity3[i]))
	}
	return e
}

// cofactors returns det(m) times the inverse transpose of m.
func cofactors(m geom.Mat3) geom.Mat3 {
	a, b, c := geom.Vec3(m[0:3]), geom.Vec3(m[3:6]), geom.Vec3(m[6:9])
	x, y, z := b.Cross(c), c.Cross(a), a.Cross(b)
	return geom.Mat3{x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]}
}
