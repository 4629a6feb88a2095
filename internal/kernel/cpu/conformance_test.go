package cpu_test

import (
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// Every order of the workgroups and every number of threads gives the same bits.
func TestConformanceIsExactInAnyOrder(t *testing.T) {
	for name, o := range map[string]cpu.Options{
		"seven threads":            {Threads: 7},
		"checked, in random order": {Threads: 3, Checked: true, ShuffleSeed: 77},
	} {
		t.Run(name, func(t *testing.T) {
			kerneltest.RunExact(t, func() kernel.Backend { return cpu.New(o) })
		})
	}
}

// The float64 kernels are a device whose rounding differs: the tolerances must
// hold for them.
func TestConformanceOfFloat64(t *testing.T) {
	kerneltest.RunAll(t, func() kernel.Backend { return cpu.New(cpu.Options{Float64: true}) })
}
