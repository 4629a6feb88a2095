//go:build unix

package sysinfo

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// PeakBytes returns the process's peak resident memory, 0 where unknown.
func PeakBytes() uint64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(u.Maxrss) // bytes there, KiB elsewhere
	}
	return uint64(u.Maxrss) * 1024
}
