package pipeline_test

import (
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// BenchmarkStep is a training step of 50 000 small splats on a 200x200 view, the
// size of the first real benchmark.
func BenchmarkStep(b *testing.B) {
	s := kerneltest.NewScene(1, 50_000, 200, 200, 3)
	for i := range s.Splats {
		for k := range 3 {
			s.Geom[i*kernel.GeomRow+kernel.GeomScale+k] -= 2
		}
	}
	s.Plan.Pairs = 1 << 19
	pl := s.Load(b, kerneltest.NewCPU(b, cpu.Options{}), nil)
	b.ReportAllocs()
	for b.Loop() {
		kerneltest.Submit(b, pl, pl.StepProgram, 1)
	}
	c := kerneltest.Control(b, pl)
	if c.Step == 0 {
		b.Fatalf("no step ran: %+v", c)
	}
	b.ReportMetric(float64(c.PeakPairs), "pairs")
}
