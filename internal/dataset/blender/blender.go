// Package blender finds the camera files of NeRF-synthetic captures, which come
// in a trio: transforms_train.json, transforms_val.json and transforms_test.json.
// What is in them is the format of package nerfstudio, which reads it.
package blender

import (
	"strings"

	"splat/internal/archive"
	"splat/internal/dataset/nerfstudio"
	"splat/internal/fault"
)

// Files names the camera files of a capture inside Dir; "" where absent.
type Files struct {
	Dir              string
	Train, Val, Test string
}

// Names lists the files that are there.
func (f Files) Names() []string {
	var names []string
	for _, n := range []string{f.Train, f.Val, f.Test} {
		if n != "" {
			names = append(names, n)
		}
	}
	return names
}

// Find looks for camera files in dir, without regard to case.
func Find(dir string) (Files, error) {
	entries, err := archive.ReadDir(dir)
	if err != nil {
		return Files{}, fault.Unreadable(dir, err)
	}
	f := Files{Dir: dir}
	for _, e := range entries {
		switch strings.ToLower(e.Name()) {
		case "transforms_train.json":
			f.Train = e.Name()
		case "transforms_val.json":
			f.Val = e.Name()
		case "transforms_test.json":
			f.Test = e.Name()
		}
	}
	return f, nil
}

// IsName reports whether a file's name is that of a camera file of the trio.
func IsName(name string) bool {
	switch strings.ToLower(name) {
	case "transforms_train.json", "transforms_val.json", "transforms_test.json":
		return true
	}
	return false
}

// Read reads one camera file of the trio.
func Read(path string) (*nerfstudio.File, error) { return nerfstudio.Read(path) }
