//go:build !novulkan && (linux || darwin || windows) && (amd64 || arm64)

package vk

import (
	"sync"

	"github.com/ebitengine/purego"
)

// maxArgs is more than any function in use takes.
const maxArgs = 12

// argLists keeps argument lists for reuse: SyscallN lets its list escape, which would
// cost an allocation a call.
var argLists = sync.Pool{New: func() any { return new([maxArgs]uintptr) }}

// call calls the C function at address fn. Pointers among args are to memory of an
// arena. Results are read from the low bits.
func call(fn uintptr, args ...uintptr) uintptr {
	list := argLists.Get().(*[maxArgs]uintptr)
	defer argLists.Put(list)
	n := copy(list[:], args)
	r, _, _ := purego.SyscallN(fn, list[:n]...)
	return r
}
