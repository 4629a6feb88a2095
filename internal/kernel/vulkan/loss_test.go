package vulkan

import (
	"math"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// losses are the losses of n steps without refines and noise.
func losses(t *testing.T, be kernel.Backend, n int) []float64 {
	t.Helper()
	s := kerneltest.NewScene(51, 150, 40, 30, 1)
	s.Schedule.LROpacities, s.Schedule.SHInterval = 2e-2, 20
	pl, err := s.Build(be, nil)
	must(t, err)
	must(t, be.Submit(pl.StepProgram, n))
	must(t, be.Wait())
	ring := make([]kernel.Stats, n)
	must(t, kernel.ReadRecords(be, pl.Ring, 0, ring))
	var out []float64
	for i, s := range ring {
		if int(s.Step) != i {
			t.Fatalf("statistics %d are of step %d", i, s.Step)
		}
		out = append(out, float64(s.Loss))
	}
	return out
}

// The losses of 50 steps are those of the CPU.
func TestLossesOfCPU(t *testing.T) {
	const steps = 50
	be := cpu.New(cpu.Options{})
	defer be.Close()
	want, got := losses(t, be, steps), losses(t, openTest(t, Options{}), steps)
	worst := 0.0
	for i := range want {
		worst = max(worst, math.Abs(got[i]-want[i])/want[i])
		if !(math.Abs(got[i]-want[i]) <= 1e-4*want[i]) {
			t.Errorf("step %d: the loss is %g, on the CPU %g", i, got[i], want[i])
		}
	}
	if want[steps-1] >= want[0] {
		t.Errorf("the loss goes from %g to %g", want[0], want[steps-1])
	}
	t.Logf("the losses differ by %.2g at most", worst)
}
