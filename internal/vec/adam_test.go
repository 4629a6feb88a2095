package vec

import (
	"math/rand/v2"
	"testing"

	"splat/internal/kernel"
)

func testAdam() *Adam {
	a := &Adam{C1: 0.1, C2: 0.001, IB2: 1.7, Eps: 1e-15}
	for i := range a.Geom {
		a.Geom[i] = 0.01 * float32(i+1)
	}
	a.SetSH(0.025, 0.00125)
	return a
}

// moments are random parameters and moments; some are untouched zeros.
func moments(rng *rand.Rand, n int) (p, m, v []float32) {
	p, m, v = make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range p {
		p[i] = float32(rng.NormFloat64())
		if rng.IntN(4) > 0 {
			m[i], v[i] = float32(rng.NormFloat64()), rng.Float32()
		}
	}
	return p, m, v
}

// withoutAVX2 runs f as on a processor without it.
func withoutAVX2(f func()) {
	was := useAVX2
	useAVX2 = false
	defer func() { useAVX2 = was }()
	f()
}

func TestAdamAgreesWithPlainGo(t *testing.T) {
	needAVX2(t)
	a := testAdam()
	for seed := range uint64(20) {
		var gradient [kernel.GeomRow]float32
		var basis [16]float32
		var color [3]float32
		rng := rand.New(rand.NewPCG(seed, 2))
		for _, s := range [][]float32{gradient[:], basis[:], color[:]} {
			for i := range s {
				if rng.IntN(5) > 0 {
					s[i] = float32(rng.NormFloat64())
				}
			}
		}
		// One value more than the row: it must stay.
		for _, n := range []int{kernel.GeomRow, 3, 12, 24, 27, 48} {
			step := func() [3][]float32 {
				p, m, v := moments(rand.New(rand.NewPCG(seed, 9)), n+1)
				if n == kernel.GeomRow {
					a.StepGeom(p[:n], m[:n], v[:n], &gradient)
				} else {
					a.StepSH(p[:n], m[:n], v[:n], &basis, &color)
				}
				return [3][]float32{p, m, v}
			}
			got := step()
			var want [3][]float32
			withoutAVX2(func() { want = step() })
			for k, what := range []string{"parameter", "first moment", "second moment"} {
				for i := range want[k] {
					closeTo(t, what, i, float64(got[k][i]), float64(want[k][i]), 2e-6, 1e-7)
				}
			}
		}
	}
}

// The last value of a row of geom is no parameter.
func TestAdamLeavesTheUnusedValue(t *testing.T) {
	a := testAdam()
	run := func() {
		p, m, v := moments(rand.New(rand.NewPCG(1, 1)), kernel.GeomRow)
		before := [3]float32{p[11], m[11], v[11]}
		a.StepGeom(p, m, v, &[kernel.GeomRow]float32{11: 5})
		if after := [3]float32{p[11], m[11], v[11]}; after != before {
			t.Errorf("%v, want %v", after, before)
		}
	}
	run()
	withoutAVX2(run)
}
