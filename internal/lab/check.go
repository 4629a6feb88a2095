package lab

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"splat/internal/atomicfile"
	"splat/internal/fault"
)

// Check reports whether dir can take a new run: it must be absent or a folder,
// hold nothing that is in the way of a run's files, and no run unless overwrite is
// set. It changes nothing. What stands there is the user's choice of a name (exit
// code 2); a folder that permissions close is not: that fails like any writing
// does (exit code 1), here or where the first file is made.
func Check(dir string, overwrite bool) error {
	if err := clearWay(dir); err != nil || overwrite {
		return err
	}
	return vacant(dir, func(string) bool { return false })
}

// clearWay reports what is in the way of the folder dir, or in it in the way of a
// file or folder that a run makes there.
func clearWay(dir string) error {
	switch at, found := atomicfile.Obstacle(dir); {
	case at == "":
	case at == filepath.Clean(dir):
		return fault.Usagef("run folder %s: found %s, expected a folder or nothing", dir, found)
	default:
		return fault.Usagef("run folder %s: found %s at %s, expected a folder or nothing", dir, found, at)
	}
	if _, err := os.Stat(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return folderError(dir, err)
	}
	for _, name := range append([]string{lockFile}, runFiles...) {
		if err := clearFile(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, CheckpointDir)
	if at, found := atomicfile.Obstacle(path); at == path {
		return fault.Usagef("%s: found %s, expected a folder or nothing", path, found)
	}
	return nil
}

// clearFile reports what is no file at the path of one.
func clearFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil || info.Mode().IsRegular(): // other errors show when the file is opened
		return nil
	case info.IsDir():
		return fault.Usagef("%s: found a folder, expected a file or nothing", path)
	}
	return fault.Usagef("%s: found a pipe or a device, expected a file or nothing", path)
}

// vacant reports whether a folder holds no run, apart from files that are ours.
func vacant(dir string, ours func(name string) bool) error {
	for _, name := range guarded {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil && !ours(name) {
			return holdsRun(dir, name)
		}
	}
	if steps := checkpointsIn(dir); len(steps) > 0 {
		return holdsRun(dir, checkpointName(steps[0]))
	}
	return nil
}

func holdsRun(dir, name string) error {
	return fault.Usagef("run folder %s already holds a run (%s); go on with it by train --resume, choose another --out, or replace it with --overwrite", dir, name)
}
