package cpu

import (
	"math"
	"testing"

	"splat/internal/gaussian"
	"splat/internal/geom"
)

// TestExp32Accuracy sweeps the range in which the result is an ordinary number.
func TestExp32Accuracy(t *testing.T) {
	var worst float64
	var at float32
	for x := float32(-87); x < 88; x += 1.37e-3 {
		if x <= -87 {
			continue
		}
		want := math.Exp(float64(x))
		if e := math.Abs(float64(exp32(x))-want) / want; !(e <= worst) {
			worst, at = e, x
		}
	}
	if !(worst < 2e-7) {
		t.Errorf("exp(%v) is off by %.3g of itself, the comment promises 2e-7", at, worst)
	}
}

// TestExp32NearZero: the blending's exponents are mostly small.
func TestExp32NearZero(t *testing.T) {
	for e := -149; e < 3; e++ {
		for _, x := range []float32{float32(math.Ldexp(1, e)), -float32(math.Ldexp(1, e)), float32(math.Ldexp(1.7, e))} {
			want := math.Exp(float64(x))
			if d := math.Abs(float64(exp32(x)) - want); !(d < 2e-7*want) {
				t.Errorf("exp(%g) = %v, want %v", x, exp32(x), want)
			}
		}
	}
}

// TestExp2SmallAccuracy sweeps the range that the rasteriser may ask for.
func TestExp2SmallAccuracy(t *testing.T) {
	var worst float64
	var at float32
	for x := float32(-100); x <= 1; x += 7.3e-4 {
		want := math.Exp2(float64(x))
		if e := math.Abs(float64(exp2Small(x))-want) / want; !(e <= worst) {
			worst, at = e, x
		}
	}
	if !(worst < 2e-7) {
		t.Errorf("2^%v is off by %.3g of itself, the comment promises 2e-7", at, worst)
	}
	for n := -100; n <= 1; n++ {
		if got := float64(exp2Small(float32(n))); got != math.Ldexp(1, n) {
			t.Errorf("2^%d = %v", n, got)
		}
	}
}

func TestExp32IsMonotonicAcrossReductions(t *testing.T) {
	// the range reduction changes its integer at odd multiples of ln2/2
	for n := -120; n < 120; n++ {
		x := float32((float64(n) + 0.5) * math.Ln2)
		a, b := exp32(math.Nextafter32(x, -1000)), exp32(math.Nextafter32(x, 1000))
		if float64(a) > float64(b)*(1+3e-7) {
			t.Errorf("falls from %v to %v at %v", a, b, x)
		}
	}
}

func TestExp32Edges(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	denormal := math.Float32frombits(1)
	for _, c := range []struct{ x, want float32 }{
		{0, 1}, {denormal, 1}, {-denormal, 1}, {float32(math.Copysign(0, -1)), 1},
		{inf, inf}, {-inf, 0}, {88.1, inf}, {1000, inf}, {math.MaxFloat32, inf}, {-87, 0}, {-87.1, 0}, {-103, 0}, {-math.MaxFloat32, 0},
	} {
		if got := exp32(c.x); got != c.want {
			t.Errorf("exp(%v) = %v, want %v", c.x, got, c.want)
		}
	}
	if got := exp32(nan); got == got {
		t.Errorf("exp(NaN) = %v", got)
	}
	for _, x := range []float32{88, math.Nextafter32(-87, 0)} {
		want := math.Exp(float64(x))
		if got := float64(exp32(x)); !(math.Abs(got-want) < 2e-7*want) {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestSmallFunctions(t *testing.T) {
	nan := math.NaN()
	if isFinite(nan) || isFinite(math.Inf(1)) || isFinite(float32(math.Inf(-1))) || !isFinite(float32(3)) || !isFinite(math.MaxFloat64) {
		t.Error("isFinite")
	}
	for _, o := range []float64{1e-6, 0.005, 0.5, 0.999} {
		if got := sigmoid(logit(o)); math.Abs(got-o) > 1e-12 {
			t.Errorf("sigmoid(logit(%v)) = %v", o, got)
		}
	}
	if got := sigmoid(float32(-200)); got != 0 {
		t.Errorf("sigmoid(-200) = %v", got)
	}
}

func TestIntegersWithinARange(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, x := range []float32{nan, -inf, inf, -1e30, 1e30, -0.5, 0, 0.5, 1.999, 2, 2.0001, 5, 5.5, 8.999, 9, 9.5, 4e9} {
		ceil, beyond := 2, 2
		if x == x {
			ceil = int(min(max(math.Ceil(float64(x)), 2), 9))
			beyond = int(min(max(math.Floor(float64(x))+1, 2), 9))
		}
		if got := ceilWithin(x, 2, 9); got != ceil {
			t.Errorf("ceilWithin(%v) = %d, want %d", x, got, ceil)
		}
		if got := beyondWithin(x, 2, 9); got != beyond {
			t.Errorf("beyondWithin(%v) = %d, want %d", x, got, beyond)
		}
	}
}

// directions spread over the sphere.
func directions(n int) (out []geom.Vec3) {
	for i := range n {
		z := 1 - 2*(float64(i)+0.5)/float64(n)
		phi, r := float64(i)*2.399963229728653, math.Sqrt(1-z*z)
		out = append(out, geom.Vec3{r * math.Cos(phi), r * math.Sin(phi), z})
	}
	return append(out, geom.Vec3{1, 0, 0}, geom.Vec3{0, -1, 0}, geom.Vec3{0, 0, 1}, geom.Vec3{0, 0, -1})
}

func TestSHBasisIsTheModels(t *testing.T) {
	for _, d := range directions(200) {
		for degree := range 4 {
			want := gaussian.SHBasis(degree, d)
			var got [16]float64
			shBasis(&got, degree, d[0], d[1], d[2])
			var got32 [16]float32
			shBasis(&got32, degree, float32(d[0]), float32(d[1]), float32(d[2]))
			for k := range want {
				if math.Abs(got[k]-want[k]) > 1e-15 || math.Abs(float64(got32[k])-want[k]) > 2e-6 {
					t.Fatalf("degree %d, %v: function %d is %v (float32 %v), want %v", degree, d, k, got[k], got32[k], want[k])
				}
			}
		}
	}
}

// TestSHBasisIsOrthonormal integrates products of functions over the sphere.
func TestSHBasisIsOrthonormal(t *testing.T) {
	const n = 20_000
	var gram [16][16]float64
	for _, d := range directions(n)[:n] {
		var y [16]float64
		shBasis(&y, 3, d[0], d[1], d[2])
		for a := range 16 {
			for b := range 16 {
				gram[a][b] += y[a] * y[b] * 4 * math.Pi / n
			}
		}
	}
	for a := range 16 {
		for b := range 16 {
			want := 0.0
			if a == b {
				want = 1
			}
			if math.Abs(gram[a][b]-want) > 1e-3 {
				t.Errorf("functions %d and %d: %v", a, b, gram[a][b])
			}
		}
	}
}

// TestSHBasisGradient differentiates each function as a polynomial of independent
// x, y and z.
func TestSHBasisGradient(t *testing.T) {
	const eps = 1e-6
	for _, d := range directions(40) {
		for degree := range 4 {
			for k := range 16 {
				var w [16]float64
				w[k] = 1
				var got [3]float64
				shBasisGradient(&got, &w, degree, d[0], d[1], d[2])
				for axis := range 3 {
					value := func(step float64) float64 {
						var y [16]float64
						p := d
						p[axis] += step
						shBasis(&y, degree, p[0], p[1], p[2])
						return y[k]
					}
					want := (value(eps) - value(-eps)) / (2 * eps)
					if math.Abs(got[axis]-want) > 1e-8 {
						t.Fatalf("degree %d, function %d, axis %d at %v: %v, want %v", degree, k, axis, d, got[axis], want)
					}
				}
			}
		}
	}
}

// TestNormalsAreNormal checks the moments of the noise.
func TestNormalsAreNormal(t *testing.T) {
	const n = 20_000
	var sum, square, fourth [3]float64
	var cross float64
	for i := range uint32(n) {
		v := normal3[float64](42, i)
		for k := range 3 {
			sum[k] += v[k] / n
			square[k] += v[k] * v[k] / n
			fourth[k] += v[k] * v[k] * v[k] * v[k] / n
		}
		cross += (v[0]*v[1] + v[1]*v[2] + v[0]*v[2]) / n
		if !isFinite(v[0] + v[1] + v[2]) {
			t.Fatalf("number %d is %v", i, v)
		}
	}
	for k := range 3 {
		if math.Abs(sum[k]) > 0.03 || math.Abs(square[k]-1) > 0.05 || math.Abs(fourth[k]-3) > 0.35 {
			t.Errorf("axis %d: mean %.3f, variance %.3f, fourth moment %.3f", k, sum[k], square[k], fourth[k])
		}
	}
	if math.Abs(cross) > 0.05 {
		t.Errorf("axes are correlated: %.3f", cross)
	}
	if a, b := normal3[float64](42, 7), normal3[float64](43, 7); a == b {
		t.Error("the seed does not matter")
	}
}
