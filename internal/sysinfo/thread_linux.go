package sysinfo

import (
	"time"

	"golang.org/x/sys/unix"
)

// ThreadTime returns the processor time that the calling thread has used; ok is false
// where the system does not tell. It means something only while the goroutine is locked
// to its thread.
func ThreadTime() (t time.Duration, ok bool) {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}
