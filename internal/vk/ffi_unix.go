//go:build !novulkan && (linux || darwin) && (amd64 || arm64)

package vk

import "github.com/ebitengine/purego"

func openLibrary(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }

// newCallback returns a C function that calls f. It is never released.
func newCallback(f any) uintptr { return purego.NewCallback(f) }
