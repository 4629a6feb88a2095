package vec

import (
	"math"

	"splat/internal/kernel"
)

// Adam is one step of the optimiser (Kingma and Ba 2015, bias-corrected) for the
// rows of a splat's parameters:
//
//	m += C1 (g - m);  v += C2 (g^2 - v);  p -= rate m / (sqrt(v) IB2 + Eps)
//
// C1 and C2 are 1-beta, rates include the first moment's correction, IB2 is that
// of the second under the root.
type Adam struct {
	Geom     [kernel.GeomRow]float32 // rates of a row of geom
	First    [8]float32              // rates of the first eight values of a row of SH
	Rest     [8]float32              // rate of the others, eight times
	C1, C2   float32
	IB2, Eps float32
}

// SetSH sets the rates of the constant SH coefficient and of the others.
func (a *Adam) SetSH(constant, rest float32) {
	for i := range a.First {
		a.First[i], a.Rest[i] = rest, rest
		if i < 3 {
			a.First[i] = constant
		}
	}
}

// StepGeom updates a row of geom, given its gradient. All slices are GeomRow long;
// the unused value of a row stays.
func (a *Adam) StepGeom(p, m, v []float32, g *[kernel.GeomRow]float32) {
	_, _, _ = p[kernel.GeomRow-1], m[kernel.GeomRow-1], v[kernel.GeomRow-1]
	if useAVX2 {
		adamGeomAVX2(a, &p[0], &m[0], &v[0], g)
		return
	}
	for k, gk := range g[:kernel.GeomRow-1] {
		a.step(p, m, v, k, gk, a.Geom[k])
	}
}

// StepSH updates a row of SH coefficients, coefficient-major, whose gradient is the
// outer product of basis and color. All slices have the same length.
func (a *Adam) StepSH(p, m, v []float32, basis *[16]float32, color *[3]float32) {
	const block = 24
	if blocks := len(p) / block; useAVX2 && blocks > 0 && len(p)%block == 0 {
		_, _ = m[len(p)-1], v[len(p)-1]
		adamSHAVX2(a, &p[0], &m[0], &v[0], blocks, basis, color)
		return
	}
	rate := a.First[0]
	for k := 0; k+2 < len(p); k += 3 {
		for c := range 3 {
			a.step(p, m, v, k+c, basis[k/3]*color[c], rate)
		}
		rate = a.Rest[0]
	}
}

// step updates value k.
func (a *Adam) step(p, m, v []float32, k int, g, rate float32) {
	m[k] += a.C1 * (g - m[k])
	v[k] += a.C2 * (g*g - v[k])
	p[k] -= rate * m[k] / (float32(math.Sqrt(float64(v[k])))*a.IB2 + a.Eps)
}
