//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package lab

import (
	"errors"
	"os"
)

var errBusy = errors.New("locked")

// tryLock does nothing: this system has no lock that ends with its process.
func tryLock(*os.File) error { return nil }
