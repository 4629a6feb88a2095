package vulkan

import (
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/kerneltest"
)

// Every kernel does what its CPU function does, whatever the subgroups are.
func TestConformance(t *testing.T) {
	for name, o := range map[string]Options{
		"native": {}, "emulated 32": {Emulate: 32}, "emulated 64": {Emulate: 64},
	} {
		t.Run(name, func(t *testing.T) {
			kerneltest.RunAll(t, func() kernel.Backend { return openTest(t, o) })
		})
	}
}
