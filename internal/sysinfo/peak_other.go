//go:build !unix

package sysinfo

// PeakBytes returns the process's peak resident memory, 0 where unknown.
func PeakBytes() uint64 { return 0 }
