package gaussian

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/geom"
)

// numbered returns a cloud in which every stored value is different.
func numbered(n, degree int) *Cloud {
	c := New(n, degree)
	v := float32(0)
	for _, a := range c.arrays() {
		for i := range *a.values {
			v++
			(*a.values)[i] = v
		}
	}
	return c
}

func TestCheck(t *testing.T) {
	if err := numbered(3, 2).Check(); err != nil {
		t.Errorf("a sound cloud: %v", err)
	}
	if err := New(0, 3).Check(); err != nil {
		t.Errorf("an empty cloud: %v", err)
	}
	for name, damage := range map[string]func(c *Cloud){
		"mean":       func(c *Cloud) { c.Means = c.Means[1:] },
		"quaternion": func(c *Cloud) { c.Quats = append(c.Quats, 0) },
		"log scale":  func(c *Cloud) { c.LogScales = nil },
		"SH array":   func(c *Cloud) { c.SH = c.SH[:3] },
		"SH degree":  func(c *Cloud) { c.SHDegree = 5 },
	} {
		c := numbered(3, 2)
		damage(c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("damaged %s: error %v", name, err)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	a := numbered(2, 1)
	a.Antialiased = true
	b := a.Clone()
	if d := cmp.Diff(a, b); d != "" {
		t.Fatalf("clone differs:\n%s", d)
	}
	for _, arr := range b.arrays() {
		(*arr.values)[0] = -1
	}
	if d := cmp.Diff(func() *Cloud { c := numbered(2, 1); c.Antialiased = true; return c }(), a); d != "" {
		t.Errorf("changing the clone changed the original:\n%s", d)
	}
}

func TestAppendThenSelectGivesTheParts(t *testing.T) {
	a, b := numbered(3, 1), numbered(2, 1)
	b.Transform(2, [3]float64{1, 2, 3})
	both := a.Clone()
	if err := both.Append(b); err != nil {
		t.Fatal(err)
	}
	if err := both.Check(); err != nil || both.Len() != 5 {
		t.Fatalf("%d splats, %v", both.Len(), err)
	}
	if d := cmp.Diff(a, both.Select([]int{0, 1, 2})); d != "" {
		t.Errorf("first part:\n%s", d)
	}
	if d := cmp.Diff(b, both.Select([]int{3, 4})); d != "" {
		t.Errorf("second part:\n%s", d)
	}
	if got := both.Select([]int{4, 0, 0}); got.Means[0] != b.Means[3] || got.Means[3] != a.Means[0] || got.Len() != 3 {
		t.Errorf("selection out of order: %v", got.Means)
	}
	if err := a.Append(New(1, 2)); err == nil {
		t.Error("clouds of different degrees were appended")
	}
}

func TestSetDegree(t *testing.T) {
	c := numbered(2, 1)
	want := c.Clone()
	c.SetDegree(3)
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if c.SH[48] != want.SH[12] || c.SH[11] != want.SH[11] || c.SH[12] != 0 || c.SH[95] != 0 {
		t.Errorf("raised SH %v", c.SH)
	}
	c.SetDegree(1)
	if d := cmp.Diff(want, c); d != "" {
		t.Errorf("raised and lowered:\n%s", d)
	}
}

func TestTransform(t *testing.T) {
	c := New(2, 0)
	copy(c.Means, []float32{1, 2, 3, -1, 0, 4})
	copy(c.LogScales, []float32{0, 1, 2, 3, 4, 5})
	c.Transform(0.5, [3]float64{10, 20, 30})
	if d := cmp.Diff([]float32{10.5, 21, 31.5, 9.5, 20, 32}, c.Means); d != "" {
		t.Error(d)
	}
	for i, s := range c.LogScales {
		if want := float64(i) + math.Log(0.5); math.Abs(float64(s)-want) > 1e-6 {
			t.Errorf("log scale %d: %g, want %g", i, s, want)
		}
	}
	// Undone, a cloud far from the origin is where it was.
	c.Transform(2, [3]float64{-20, -40, -60})
	if d := cmp.Diff([]float32{1, 2, 3, -1, 0, 4}, c.Means); d != "" {
		t.Error(d)
	}
}

func TestNonFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	c := numbered(6, 3)
	c.Means[0] = math.MaxFloat32
	c.Means[1] = math.SmallestNonzeroFloat32
	if n, first := c.NonFinite(); n != 0 || first != "" {
		t.Errorf("finite cloud: %d, %q", n, first)
	}
	c.SH[2*48+47] = inf
	c.Opacities[2] = nan
	c.Quats[4*4+3] = nan
	c.Means[3*5] = inf
	n, first := c.NonFinite()
	if n != 3 || first != "splat 2: opacity NaN" {
		t.Errorf("got %d, %q", n, first)
	}
	for i, want := range []bool{true, true, false, true, false, false} {
		if c.Finite(i) != want {
			t.Errorf("Finite(%d) = %v", i, !want)
		}
	}
}

func TestBounds(t *testing.T) {
	c := New(3, 0)
	copy(c.Means, []float32{5, -2, 3, 4, 7, float32(math.Inf(1)), 6, -3, 2})
	lo, hi := c.Bounds()
	if lo != (geom.Vec3{5, -3, 2}) || hi != (geom.Vec3{6, -2, 3}) {
		t.Errorf("bounds %v %v", lo, hi)
	}
	if lo, hi = New(0, 0).Bounds(); lo != (geom.Vec3{}) || hi != (geom.Vec3{}) {
		t.Errorf("bounds of nothing %v %v", lo, hi)
	}
}
