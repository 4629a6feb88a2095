//go:build !linux && !darwin

package cli

// cpuModel would return the processor's name and physical cores; this system is
// not asked.
func cpuModel() (name string, cores int) { return "", 0 }

// memoryBytes would return the size of the main memory; 0 is unknown.
func memoryBytes() uint64 { return 0 }
