package cpu_test

import (
	"math"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// TestNoiseAgrees compares the random walk alone, over all opacities that have any:
// within a training it is smaller than what a comparison of the means can see.
func TestNoiseAgrees(t *testing.T) {
	const n = 403
	walk := func(reference bool) []float32 {
		var geom [2][]float32
		for k, strength := range []float32{0, 4e5} {
			s := kerneltest.NewScene(31, n, 40, 30, 1)
			for i := range n {
				s.SetOpacity(i, -7+7*float32(i)/n)
			}
			s.Schedule.NoiseLR = strength
			pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{Reference: reference}), nil)
			kerneltest.Submit(t, pl, pl.StepProgram, 1)
			geom[k] = kerneltest.Reals(t, pl, pl.Geom, n*kernel.GeomRow)
		}
		for i, v := range geom[0] {
			geom[1][i] -= v
		}
		return geom[1]
	}
	want, got := walk(true), walk(false)
	moved, still := 0, 0
	for i := range n {
		for k := range 3 {
			g, w := float64(got[i*kernel.GeomRow+k]), float64(want[i*kernel.GeomRow+k])
			if d := math.Abs(g - w); !(d <= 2e-4*math.Abs(w)+2e-6) {
				t.Fatalf("splat %d of opacity logit %.2f: moved by %v, expected %v", i, -7+7*float64(i)/n, g, w)
			}
			if math.Abs(w) > 1e-2 {
				moved++
			} else if w == 0 {
				still++
			}
		}
	}
	if moved < 200 || still < 30 {
		t.Errorf("%d coordinates moved, %d stayed: the test sees nothing", moved, still)
	}
}
