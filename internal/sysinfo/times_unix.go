//go:build unix

package sysinfo

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessTimes returns what this process has used of the processor, with all its
// threads; ok is false where the system does not tell.
func ProcessTimes() (t Times, ok bool) {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return t, false
	}
	return Times{
		User: time.Duration(u.Utime.Nano()), System: time.Duration(u.Stime.Nano()),
		Yields: int64(u.Nvcsw), Preempted: int64(u.Nivcsw),
	}, true
}
