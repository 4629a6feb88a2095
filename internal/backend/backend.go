// Package backend opens the device that a configuration asks for.
package backend

import (
	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
)

// Open returns the backend for c: auto is the best GPU, never a software
// rasteriser, else the CPU.
func Open(c config.Backend) (kernel.Backend, error) {
	kind, _, err := config.ParseDevice(c.Device)
	if err != nil {
		return nil, fault.Usagef("backend.device: %w", err)
	}
	if kind == "vulkan" {
		return nil, fault.Devicef("device %s: this build has no Vulkan backend; use --device cpu", c.Device)
	}
	return cpu.New(cpu.Options{Threads: c.Threads, Profile: c.Profile}), nil
}
