package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Obstacle returns the innermost part of dir that is there without being a folder,
// so that no folder dir can be made, and what it is; "" where there is none. Whether
// files may be made in it is for the writing to find out: a part that permissions
// hide is no obstacle.
func Obstacle(dir string) (at, found string) {
	for dir = filepath.Clean(dir); ; {
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
			return dir, "what cannot be one (" + cause(err).Error() + ")"
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

// cause is an error without the operation and the path.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
