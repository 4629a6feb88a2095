package atomicfile

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// SyncDir makes the names in a folder durable: files created, renamed or removed
// there. On Windows, where folders cannot be synced and the file system keeps
// names in a journal, it does nothing; neither does it on file systems that
// refuse.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
