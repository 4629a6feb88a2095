package cpu_test

import (
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// What users run agrees with the readable kernels.
func TestConformanceOfTheDefault(t *testing.T) {
	kerneltest.RunAll(t, opens(cpu.Options{}))
}

// Every order of the workgroups and every number of threads gives the same bits,
// for the readable kernels and for the faster ones.
func TestConformanceIsExactInAnyOrder(t *testing.T) {
	for kind, reference := range map[string]bool{"readable": true, "default": false} {
		for name, o := range map[string]cpu.Options{
			"seven threads":            {Threads: 7},
			"checked, in random order": {Threads: 3, Checked: true, ShuffleSeed: 77},
		} {
			t.Run(kind+", "+name, func(t *testing.T) {
				o.Reference = reference
				kerneltest.RunExact(t, opens(cpu.Options{Threads: 1, Reference: reference}), opens(o))
			})
		}
	}
}

// The float64 kernels are a device whose rounding differs: the tolerances must
// hold for them.
func TestConformanceOfFloat64(t *testing.T) {
	kerneltest.RunAll(t, opens(cpu.Options{Float64: true}))
}

func opens(o cpu.Options) func() kernel.Backend {
	return func() kernel.Backend { return cpu.New(o) }
}
