package gaussian

import (
	"math"
	"testing"

	"splat/internal/geom"
)

// The basis is orthonormal over the sphere. Checked with a product rule that is
// exact for polynomials of degree 6, the highest degree of a product of two
// basis functions: 4-point Gauss-Legendre in z, 8 equal angles around.
func TestBasisIsOrthonormal(t *testing.T) {
	z1 := math.Sqrt(3.0/7 - 2.0/7*math.Sqrt(6.0/5))
	z2 := math.Sqrt(3.0/7 + 2.0/7*math.Sqrt(6.0/5))
	w1, w2 := (18+math.Sqrt(30))/36, (18-math.Sqrt(30))/36
	var gram [16][16]float64
	for _, node := range [][2]float64{{z1, w1}, {-z1, w1}, {z2, w2}, {-z2, w2}} {
		z, r := node[0], math.Sqrt(1-node[0]*node[0])
		for k := range 8 {
			sin, cos := math.Sincos(2 * math.Pi * (float64(k) + 0.3) / 8)
			b := SHBasis(3, geom.Vec3{r * cos, r * sin, z})
			for i := range b {
				for j := range b {
					gram[i][j] += node[1] * 2 * math.Pi / 8 * b[i] * b[j]
				}
			}
		}
	}
	for i := range gram {
		for j := range gram {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(gram[i][j]-want) > 1e-9 {
				t.Errorf("<b%d, b%d> = %.12f, want %g", i, j, gram[i][j], want)
			}
		}
	}
}

// Orthonormality leaves signs and order open. Each row is one coefficient: its
// polynomial in the unit direction, in the order and with the sign of the
// original 3DGS code, up to a positive factor.
func TestBasisOrderAndSigns(t *testing.T) {
	for _, v := range []geom.Vec3{{0.8, 0.3, 0.6}, {-0.2, 0.9, 0.5}, {0.4, -0.5, -0.7}, {-0.6, -0.7, 0.1}} {
		d := v.Unit()
		x, y, z := d[0], d[1], d[2]
		polynomials := [16]float64{
			1,
			-y, z, -x,
			x * y, -y * z, 3*z*z - 1, -x * z, x*x - y*y,
			-y * (3*x*x - y*y), x * y * z, -y * (5*z*z - 1), z * (5*z*z - 3), -x * (5*z*z - 1), z * (x*x - y*y), -x * (x*x - 3*y*y),
		}
		for k, b := range SHBasis(3, d) {
			if ratio := b / polynomials[k]; !(ratio > 0.2 && ratio < 3) {
				t.Errorf("direction %v coefficient %d: %g for polynomial %g", v, k, b, polynomials[k])
			}
		}
	}
}

func TestEvalSHUsesTheLayout(t *testing.T) {
	d := geom.Vec3{0.8, 0.3, 0.6}.Unit()
	basis := SHBasis(3, d)
	for k := range 16 {
		for c := range 3 {
			sh := make([]float32, 48)
			sh[3*k+c] = 2
			var want geom.Vec3
			want[c] = 2 * basis[k]
			if got := EvalSH(3, sh, d); got.Sub(want).Norm() > 1e-15 {
				t.Errorf("coefficient %d channel %d: %v, want %v", k, c, got, want)
			}
		}
	}
}

func TestDegreeLimitsTheBands(t *testing.T) {
	d := geom.Vec3{0.8, 0.3, 0.6}.Unit()
	full := SHBasis(3, d)
	for degree := range 4 {
		for k, b := range SHBasis(degree, d) {
			want := full[k]
			if k >= Coefficients(degree) {
				want = 0
			}
			if b != want {
				t.Errorf("degree %d coefficient %d: %g, want %g", degree, k, b, want)
			}
		}
	}
	sh := make([]float32, 3*Coefficients(4))
	sh[0] = 1
	if got := EvalSH(4, sh, d)[0]; got != SHC0 {
		t.Errorf("degree 4: %g, want the bands up to 3", got)
	}
}

func TestColorIsClampedBelowOnly(t *testing.T) {
	sh := []float32{float32(RGBToSH0(-0.5)), float32(RGBToSH0(0.25)), float32(RGBToSH0(1.5))}
	got := Color(0, sh, geom.Vec3{0, 0, 1})
	for c, want := range []float64{0, 0.25, 1.5} {
		if math.Abs(got[c]-want) > 1e-6 {
			t.Errorf("channel %d: %g, want %g", c, got[c], want)
		}
	}
}
