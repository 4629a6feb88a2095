package pack

import (
	"math"
	"testing"

	"splat/internal/gaussian"
	"splat/internal/geom"
)

func TestBytesComeBack(t *testing.T) {
	for b := range 256 {
		if got := AlphaByte(Alpha(byte(b))); int(got) != b {
			t.Errorf("opacity byte %d came back as %d", b, got)
		}
		if got := ColorByte(Color(byte(b))); int(got) != b {
			t.Errorf("colour byte %d came back as %d", b, got)
		}
		if a := Alpha(byte(b)); math.IsInf(float64(a), 0) || math.IsNaN(float64(a)) {
			t.Errorf("opacity byte %d is %v", b, a)
		}
	}
	if Byte(math.NaN()) != 0 || Byte(-1) != 0 || Byte(1e9) != 255 || Byte(2.5) != 3 {
		t.Error("Byte clamps or rounds wrongly")
	}
}

func TestHalf(t *testing.T) {
	for bits, want := range map[uint16]float32{0: 0, 0x3c00: 1, 0xc000: -2, 0x3555: 0.33325195, 1: 5.9604645e-08, 0x7bff: 65504, 0x03ff: 6.097555e-05} {
		if got := Half(bits); got != want {
			t.Errorf("%#x is %v, want %v", bits, got, want)
		}
	}
	if !math.IsInf(float64(Half(0x7c00)), 1) || !math.IsInf(float64(Half(0xfc00)), -1) || !math.IsNaN(float64(Half(0x7e00))) {
		t.Error("infinities or NaN of 16 bits are lost")
	}
}

// What a turned cloud looks like from a turned direction is what the cloud looked
// like from the direction.
func TestFlipYZTurnsColours(t *testing.T) {
	c := gaussian.New(1, 3)
	for k := range c.SH {
		c.SH[k] = float32(k%7) - 2.5
	}
	copy(c.Quats, []float32{0.1, 0.7, -0.3, 0.5})
	copy(c.Means, []float32{1, 2, 3})
	turned := c.Clone()
	FlipYZ(turned)
	for _, d := range []geom.Vec3{{1, 2, 3}, {-3, 1, 0.5}, {0, 0, 1}, {0.2, -1, 0.1}} {
		d = d.Unit()
		want := gaussian.EvalSH(3, c.SH, d)
		got := gaussian.EvalSH(3, turned.SH, geom.Vec3{d[0], -d[1], -d[2]})
		if got.Sub(want).Norm() > 1e-5 {
			t.Errorf("direction %v: colour %v, want %v", d, got, want)
		}
	}
	d := geom.Mat3{1, 0, 0, 0, -1, 0, 0, 0, -1}
	q := func(v []float32) geom.Mat3 { return geom.Quat(Unit(v)).Matrix() }
	got, want := q(turned.Quats), d.Mul(q(c.Quats)).Mul(d)
	for k := range got {
		if math.Abs(got[k]-want[k]) > 1e-6 {
			t.Fatalf("rotation %v, want %v", got, want)
		}
	}
	FlipYZ(turned)
	for k := range c.SH {
		if c.SH[k] != turned.SH[k] {
			t.Fatal("two half turns are no identity")
		}
	}
}

func TestMortonKeepsNeighboursTogether(t *testing.T) {
	c := gaussian.New(8, 0)
	copy(c.Means, []float32{0, 0, 0, 9, 9, 9, 0.1, 0, 0, 9, 9, 8.9, 0, 0.1, 0, 9, 8.9, 9, 0, 0, 0.1, 8.9, 9, 9})
	order := Morton(c)
	for k, i := range order[:4] {
		if i%2 != 0 {
			t.Fatalf("place %d of %v is in the other corner", k, order)
		}
	}
}

func TestSound(t *testing.T) {
	c := gaussian.New(3, 0)
	if got, n := Sound(c); got != c || n != 0 {
		t.Error("a sound cloud was copied")
	}
	c.Opacities[1] = float32(math.NaN())
	if got, n := Sound(c); got.Len() != 2 || n != 1 {
		t.Errorf("%d splats left, %d dropped", got.Len(), n)
	}
}
