//go:build !linux

package sysinfo

import "time"

// ThreadTime returns the processor time that the calling thread has used; ok is false
// where the system does not tell. It means something only while the goroutine is locked
// to its thread.
func ThreadTime() (t time.Duration, ok bool) { return 0, false }
