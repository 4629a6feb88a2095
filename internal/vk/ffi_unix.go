//go:build !novulkan && (linux || darwin) && (amd64 || arm64)

package vk

import "github.com/ebitengine/purego"

// call calls the C function at address fn. Results are read from the low bits.
//
//go:uintptrescapes
func call(fn uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}

func openLibrary(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }

// newCallback returns a C function that calls f. It is never released.
func newCallback(f any) uintptr { return purego.NewCallback(f) }
