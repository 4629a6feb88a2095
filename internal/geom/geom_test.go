package geom

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func finite(t *rapid.T, name string) float64 { return rapid.Float64Range(-100, 100).Draw(t, name) }

func vec(t *rapid.T, name string) Vec3 {
	return Vec3{finite(t, name), finite(t, name), finite(t, name)}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }

func TestQuaternionIsARotation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := Quat{finite(t, "w"), finite(t, "x"), finite(t, "y"), finite(t, "z")}
		if q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3] < 1e-6 {
			t.Skip("no direction")
		}
		m := q.Matrix()
		if !near(m.Det(), 1) {
			t.Fatalf("determinant %v", m.Det())
		}
		for i, v := range m.Mul(m.T()) {
			if !near(v, Identity3[i]) {
				t.Fatalf("not orthogonal: %v", m)
			}
		}
	})
}

func TestQuaternionTurnsTheRightWay(t *testing.T) {
	s := math.Sqrt(0.5)
	got := Quat{s, 0, 0, s}.Matrix().MulVec(Vec3{1, 0, 0}) // 90 degrees about z
	for i, want := range (Vec3{0, 1, 0}) {
		if !near(got[i], want) {
			t.Fatalf("x turned to %v, want y", got)
		}
	}
}

func TestPoseCenterMapsToOrigin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Pose{R: Quat{1, finite(t, "x"), finite(t, "y"), finite(t, "z")}.Matrix(), T: vec(t, "t")}
		if n := p.Apply(p.Center()).Norm(); n > 1e-9*(1+p.T.Norm()) {
			t.Fatalf("the camera's own position maps %v away from its origin", n)
		}
		if d := p.Apply(p.Center().Add(p.Forward())); !near(d[2], 1) || math.Abs(d[0])+math.Abs(d[1]) > 1e-6 {
			t.Fatalf("forward maps to %v", d)
		}
	})
}

func TestCrossIsOrthogonal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := vec(t, "a"), vec(t, "b")
		c := a.Cross(b)
		if limit := 1e-9 * (1 + a.Norm()*a.Norm()*b.Norm()); math.Abs(c.Dot(a)) > limit {
			t.Fatalf("%v . %v = %v", c, a, c.Dot(a))
		}
	})
	if got := (Vec3{1, 0, 0}).Cross(Vec3{0, 1, 0}); got != (Vec3{0, 0, 1}) {
		t.Errorf("x cross y = %v", got)
	}
}

func TestUnitAndFinite(t *testing.T) {
	if (Vec3{}).Unit() != (Vec3{}) || !near((Vec3{3, 0, 4}).Unit().Norm(), 1) {
		t.Error("unit")
	}
	for v, want := range map[Vec3]bool{{1, 2, 3}: true, {math.Inf(1), 0, 0}: false, {0, math.Inf(-1), 0}: false} {
		if v.IsFinite() != want {
			t.Errorf("%v: finite is not %v", v, want)
		}
	}
	if (Vec3{0, 0, math.NaN()}).IsFinite() {
		t.Error("NaN is finite")
	}
}

func TestResizedScalesEachAxis(t *testing.T) {
	c := Camera{Model: Pinhole, Width: 800, Height: 533, Fx: 826.9, Fy: 820, Cx: 400, Cy: 266.5}
	r := c.Resized(200, 133)
	if r.Width != 200 || r.Height != 133 || !near(r.Fx, 826.9/4) || !near(r.Cx, 100) ||
		!near(r.Fy, 820*133./533) || !near(r.Cy, 66.5) {
		t.Errorf("resized to %+v", r)
	}
}

func TestInReach(t *testing.T) {
	for v, want := range map[Vec3]bool{
		{}: true, {1e15, -1e15, 0}: true, {0, 1.1e15, 0}: false, {0, 0, math.Inf(-1)}: false,
	} {
		if v.InReach() != want {
			t.Errorf("%v: %v", v, !want)
		}
	}
	if (Vec3{0, math.NaN(), 0}).InReach() {
		t.Error("NaN is in reach")
	}
}
