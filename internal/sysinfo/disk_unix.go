//go:build linux || darwin

package sysinfo

import "golang.org/x/sys/unix"

// DiskFree returns how many bytes this process may still write in the file system
// that holds dir; ok is false where that is unknown.
func DiskFree(dir string) (bytes uint64, ok bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
