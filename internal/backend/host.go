package backend

import (
	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
	"splat/internal/kernel/twin"
)

// withHost puts the CPU beside a device where kernels are to run there, or to be
// checked.
func withHost(c config.Backend, device kernel.Backend) (kernel.Backend, error) {
	if len(c.Host) == 0 && len(c.Check) == 0 && c.GPUFrom == "" {
		return device, nil
	}
	host := cpu.New(cpu.Options{Threads: c.Threads, Reference: len(c.Check) > 0})
	both, err := twin.New(device, host, twin.Options{
		Host: c.Host, From: c.GPUFrom, Check: c.Check, Compare: compare, Nearest: config.Nearest,
	})
	if err != nil {
		device.Close()
		host.Close()
		return nil, fault.Usagef("backend: %w", err)
	}
	return both, nil
}

// compare holds a dispatch against the tolerances of the kernel's conformance case.
func compare(d *kernel.Dispatch, groups int, before, want, got map[string][]uint32) error {
	_, err := kerneltest.CompareRun(&kerneltest.Run{Dispatch: d, Groups: groups, Before: before, Want: want, Got: got}, false)
	return err
}
