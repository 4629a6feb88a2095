package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"splat/internal/fault"
)

// checkFolder reports what keeps files from being written below dir: something on
// the way that is no folder. what begins the message. A folder that is not there
// yet is fine, and whether files may be made in it is for the writing to find out.
func checkFolder(what, dir string) error {
	dir = filepath.Clean(dir)
	at, found := obstacle(dir)
	switch {
	case at == "":
		return nil
	case at == dir:
		return fault.Usagef("%s: found %s, expected a folder", what, found)
	}
	return fault.Usagef("%s: found %s at %s, expected a folder", what, found, at)
}

// checkFile reports what keeps a file from being written at path: something of
// that name that is no file, or what is in the way of its folder.
func checkFile(path string) error {
	if at, found := obstacle(filepath.Dir(path)); at != "" {
		return fault.Usagef("%s: found %s at %s, expected a folder", path, found, at)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fault.Usagef("%s: found a folder, expected the name of a file", path)
	case err == nil && !info.Mode().IsRegular():
		return fault.Usagef("%s: found a pipe or a device, expected the name of a file", path)
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil
	}
	return fault.Usagef("%s: %w", path, fault.Reason(err))
}

// obstacle returns the innermost part of dir that is there without being a folder,
// and what it is; "" where there is none.
func obstacle(dir string) (at, found string) {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.IsDir(), errors.Is(err, fs.ErrPermission):
			return "", ""
		case err == nil:
			return dir, "a file"
		case isLink(dir):
			return dir, "a link that leads nowhere"
		case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, fs.ErrNotExist):
		default:
			return dir, "what cannot be one (" + fault.Reason(err).Error() + ")"
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ""
		}
		dir = parent
	}
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
