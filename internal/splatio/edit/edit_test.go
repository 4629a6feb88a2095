package edit

import (
	"math"
	"math/rand/v2"
	"testing"

	"splat/internal/gaussian"
	"splat/internal/geom"
	"splat/internal/splatio/pack"
)

func some(n, degree int) *gaussian.Cloud {
	rng := rand.New(rand.NewPCG(11, 12))
	c := gaussian.New(n, degree)
	for _, v := range [][]float32{c.Means, c.Quats, c.LogScales, c.Opacities, c.SH} {
		for k := range v {
			v[k] = float32(2*rng.Float64() - 1)
		}
	}
	return c
}

// evaluate is the colour of band 4 too, which gaussian does not draw.
func evaluate(degree int, sh []float32, d geom.Vec3) (v geom.Vec3) {
	for l := range degree + 1 {
		for k, y := range band(l, d) {
			for c := range 3 {
				v[c] += y * float64(sh[3*(l*l+k)+c])
			}
		}
	}
	return v
}

// What a transformed cloud looks like from a turned direction is what the cloud
// looked like before.
func TestTransformTurnsColours(t *testing.T) {
	for degree := range gaussian.MaxDegree + 1 {
		c := some(3, degree)
		d := c.Clone()
		move := Transform{Rotation: Euler(30, -50, 110), Scale: 2, Offset: geom.Vec3{1, 2, 3}}
		move.Apply(d)
		r := move.Rotation.Matrix()
		stride := 3 * gaussian.Coefficients(degree)
		for i := range c.Len() {
			for _, dir := range directions(20) {
				want := evaluate(degree, c.SH[stride*i:], dir)
				got := evaluate(degree, d.SH[stride*i:], r.MulVec(dir))
				if got.Sub(want).Norm() > 1e-5 {
					t.Fatalf("degree %d: colour %v, want %v", degree, got, want)
				}
			}
		}
	}
}

func TestTransformMovesShapes(t *testing.T) {
	c := some(5, 0)
	d := c.Clone()
	move := Transform{Rotation: Euler(10, 20, 30), Scale: 3, Offset: geom.Vec3{-1, 0, 5}}
	move.Apply(d)
	r := move.Rotation.Matrix()
	for i := range c.Len() {
		if got, want := d.Mean(i), r.MulVec(c.Mean(i)).Scale(3).Add(move.Offset); got.Sub(want).Norm() > 1e-5 {
			t.Errorf("mean %v, want %v", got, want)
		}
		q := func(c *gaussian.Cloud) geom.Mat3 { return geom.Quat(pack.Unit(c.Quats[4*i : 4*i+4])).Matrix() }
		got, want := q(d), r.Mul(q(c))
		for k := range got {
			if math.Abs(got[k]-want[k]) > 1e-6 {
				t.Fatalf("rotation %v, want %v", got, want)
			}
		}
		if got, want := d.Scale(i), c.Scale(i).Scale(3); got.Sub(want).Norm() > 1e-5 {
			t.Errorf("size %v, want %v", got, want)
		}
	}
	e := c.Clone()
	Identity.Apply(e)
	for k := range c.Quats {
		if e.Quats[k] != c.Quats[k] {
			t.Fatal("the identity changes bits")
		}
	}
}

// About z by 90 degrees, x becomes y; x is turned before z.
func TestEuler(t *testing.T) {
	for _, x := range []struct{ angles, from, to geom.Vec3 }{
		{geom.Vec3{0, 0, 90}, geom.Vec3{1, 0, 0}, geom.Vec3{0, 1, 0}},
		{geom.Vec3{90, 0, 0}, geom.Vec3{0, 1, 0}, geom.Vec3{0, 0, 1}},
		{geom.Vec3{0, 90, 0}, geom.Vec3{0, 0, 1}, geom.Vec3{1, 0, 0}},
		{geom.Vec3{90, 0, 90}, geom.Vec3{0, 0, 1}, geom.Vec3{1, 0, 0}},
	} {
		if got := Euler(x.angles[0], x.angles[1], x.angles[2]).Matrix().MulVec(x.from); got.Sub(x.to).Norm() > 1e-12 {
			t.Errorf("%v takes %v to %v, want %v", x.angles, x.from, got, x.to)
		}
	}
}

func TestFilter(t *testing.T) {
	c := gaussian.New(4, 0)
	copy(c.Means, []float32{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3})
	copy(c.Opacities, []float32{-5, 0, 1, 2})
	f := Filter{MinOpacity: 0.1, Box: &Box{geom.Vec3{-1, -1, -1}, geom.Vec3{1, 1, 3}}, Sphere: &Sphere{geom.Vec3{}, 1}}
	got, removed := f.Apply(c)
	if got.Len() != 1 || got.Means[0] != 1 || removed != (Removed{1, 1, 1}) {
		t.Errorf("%v, %+v", got.Means, removed)
	}
	if all, removed := (Filter{}).Apply(c); all != c || removed != (Removed{}) {
		t.Errorf("%+v", removed)
	}
}
