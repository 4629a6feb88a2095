package lab

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"splat/internal/fault"
)

// writeError says which file could not be written, why, and how many bytes it
// needs, where that is known.
func writeError(path string, need int64, err error) error {
	if need <= 0 {
		return fmt.Errorf("%s: %w", path, fault.Reason(err))
	}
	return fmt.Errorf("%s: %w (%d bytes needed)", path, fault.Reason(err), need)
}

// IsFull reports whether an error means that a disk, or a user's share of it, has
// no room left.
func IsFull(err error) bool {
	if runtime.GOOS == "windows" {
		return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112)) // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
