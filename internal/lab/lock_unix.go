//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package lab

import (
	"os"

	"golang.org/x/sys/unix"
)

var errBusy error = unix.EWOULDBLOCK

// tryLock takes the file's lock, or returns errBusy.
func tryLock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EINTR {
			return err
		}
	}
}
