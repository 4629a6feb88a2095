//go:build !novulkan && windows && (amd64 || arm64)

package vk

import (
	"github.com/ebitengine/purego"
	"golang.org/x/sys/windows"
)

// openLibrary does not look into the working folder.
func openLibrary(path string) (uintptr, error) {
	h, err := windows.LoadLibraryEx(path, 0, windows.LOAD_LIBRARY_SEARCH_DEFAULT_DIRS)
	return uintptr(h), err
}

func symbol(library uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(library), name)
}

// newCallback returns a C function that calls f. It is never released.
func newCallback(f any) uintptr { return purego.NewCallback(f) }
