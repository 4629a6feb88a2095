//go:build !darwin

package sysinfo

import "runtime"

// systemCPU fills in what the Go runtime knows where the system does not tell.
func systemCPU(c *CPU) {
	if c.Logical == 0 {
		c.Logical = runtime.NumCPU()
	}
}

// systemMemory is for systems that are asked without files.
func systemMemory() uint64 { return 0 }
