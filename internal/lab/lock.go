package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"splat/internal/fault"
)

// lockFile is held by the process that writes the folder. The system lets go of it
// however the process ends, so the file itself means nothing.
const lockFile = ".lock"

// lock keeps other processes out of a run folder.
type lock struct{ file *os.File }

// takeLock locks a folder, or reports that another process has it. Where the file
// system knows no locks there is none.
func takeLock(dir string) (*lock, error) {
	path := filepath.Join(dir, lockFile)
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return nil, fmt.Errorf("run folder %s: cannot write there: %w", dir, fault.Reason(err))
		}
		if tryLock(f) == errBusy {
			f.Close()
			return nil, fault.Usagef("run folder %s is being written by another splat process; wait for it, or stop it", dir)
		}
		if isNamed(f, path) {
			return &lock{f}, nil
		}
		f.Close() // the former holder removed it meanwhile
	}
}

// isNamed reports whether an open file is still the one of that name.
func isNamed(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(held, named)
}

// release gives the folder free and removes the file. Whoever opened it meanwhile
// notices that it lost its name.
func (l *lock) release() {
	if l == nil || l.file == nil {
		return
	}
	name := l.file.Name()
	if runtime.GOOS == "windows" { // open files cannot be removed there
		l.file.Close()
		os.Remove(name)
	} else {
		os.Remove(name)
		l.file.Close()
	}
	l.file = nil
}
