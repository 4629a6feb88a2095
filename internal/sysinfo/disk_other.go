//go:build !linux && !darwin && !windows

package sysinfo

// DiskFree would return the free space for dir; this system is not asked.
func DiskFree(dir string) (bytes uint64, ok bool) { return 0, false }
