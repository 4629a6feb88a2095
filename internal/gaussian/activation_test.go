package gaussian

import (
	"math"
	"testing"

	"splat/internal/geom"
)

// The stored form of a splat of opacity 0.9, size 0.02 and colour
// (0.25, 0.5, 0.75), as every other program writes it.
func TestStoredForm(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"logit(0.9)", Logit(0.9), 2.1972246},
		{"logit(0.5)", Logit(0.5), 0},
		{"sh0(0.25)", RGBToSH0(0.25), -0.8862269},
		{"sh0(0.5)", RGBToSH0(0.5), 0},
		{"sh0(0.75)", RGBToSH0(0.75), 0.8862269},
	} {
		if math.Abs(c.got-c.want) > 1e-7 {
			t.Errorf("%s = %.8f, want %.8f", c.name, c.got, c.want)
		}
	}
}

func TestActivationsInvert(t *testing.T) {
	for _, p := range []float64{1e-9, 0.005, 0.1, 0.5, 0.9, 0.999} {
		if got := Sigmoid(Logit(p)); math.Abs(got-p) > 1e-12 {
			t.Errorf("Sigmoid(Logit(%g)) = %g", p, got)
		}
		if got := SH0ToRGB(RGBToSH0(p)); math.Abs(got-p) > 1e-12 {
			t.Errorf("SH0ToRGB(RGBToSH0(%g)) = %g", p, got)
		}
	}
	if Sigmoid(-1e4) != 0 || Sigmoid(1e4) != 1 {
		t.Errorf("Sigmoid saturates at %g and %g, want 0 and 1", Sigmoid(-1e4), Sigmoid(1e4))
	}
}

func TestCloudAccessors(t *testing.T) {
	c := New(2, 0)
	c.Opacities[1] = float32(Logit(0.9))
	copy(c.LogScales[3:], []float32{0, float32(math.Log(2)), float32(math.Log(0.02))})
	copy(c.Means[3:], []float32{1, 2, 3})
	if got := c.Opacity(1); math.Abs(got-0.9) > 1e-7 {
		t.Errorf("Opacity = %g, want 0.9", got)
	}
	if d := c.Scale(1).Sub(geom.Vec3{1, 2, 0.02}).Norm(); d > 1e-6 {
		t.Errorf("Scale = %v, want 1, 2, 0.02", c.Scale(1))
	}
	if got := c.Mean(1); got != (geom.Vec3{1, 2, 3}) {
		t.Errorf("Mean = %v", got)
	}
}
