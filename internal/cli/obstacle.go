package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"splat/internal/atomicfile"
	"splat/internal/fault"
)

// checkFolder reports what keeps files from being written below dir: something on
// the way that is no folder. what begins the message. A folder that is not there
// yet is fine, and whether files may be made in it is for the writing to find out.
func checkFolder(what, dir string) error {
	at, found := atomicfile.Obstacle(dir)
	switch {
	case at == "":
		return nil
	case at == filepath.Clean(dir):
		return fault.Usagef("%s: found %s, expected a folder", what, found)
	}
	return fault.Usagef("%s: found %s at %s, expected a folder", what, found, at)
}

// checkFile reports what keeps a file from being written at path: something of
// that name that is no file, or what is in the way of its folder.
func checkFile(path string) error {
	if at, found := atomicfile.Obstacle(filepath.Dir(path)); at != "" {
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
