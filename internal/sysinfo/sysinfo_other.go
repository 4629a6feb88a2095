//go:build !linux && !darwin

package sysinfo

// Processor would return the processor's name and physical cores; this system is
// not asked.
func Processor() (name string, cores int) { return "", 0 }

// Memory would return the size of the main memory; 0 is unknown.
func Memory() uint64 { return 0 }
