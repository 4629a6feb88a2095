package sysinfo

import (
	"time"

	"golang.org/x/sys/windows"
)

// ProcessTimes returns what this process has used of the processor, with all its
// threads; ok is false where the system does not tell.
func ProcessTimes() (t Times, ok bool) {
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user) != nil {
		return t, false
	}
	return Times{User: ticks(user), System: ticks(kernel)}, true
}

// ticks is a length of time in units of 100 ns.
func ticks(f windows.Filetime) time.Duration {
	return 100 * time.Duration(uint64(f.HighDateTime)<<32|uint64(f.LowDateTime))
}
