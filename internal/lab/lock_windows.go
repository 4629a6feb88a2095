package lab

import (
	"os"

	"golang.org/x/sys/windows"
)

var errBusy error = windows.ERROR_LOCK_VIOLATION

// tryLock takes the file's lock, or returns errBusy.
func tryLock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
}
