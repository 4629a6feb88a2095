//go:build !unix && !windows

package sysinfo

// ProcessTimes returns what this process has used of the processor, with all its
// threads; ok is false where the system does not tell.
func ProcessTimes() (t Times, ok bool) { return t, false }
