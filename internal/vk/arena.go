package vk

import (
	"runtime"
	"sync"
	"unsafe"
)

const (
	arenaWords = 2048 // 16 KiB: more than any call needs but those with code or data
	keptArenas = 16
)

// arena holds what Vulkan sees during a call. Its memory is pinned: it does not move
// and stays reachable until the arena is dropped. Types put into it must have no Go
// pointers; addresses are kept as uintptr. Memory is 8 bytes aligned and zero.
type arena struct {
	pin    runtime.Pinner
	chunks [][]uint64 // the last one is in use
	used   int        // words of it
}

func newArena() *arena {
	a := &arena{}
	a.grow(arenaWords)
	arenas.Lock()
	defer arenas.Unlock()
	if arenas.all == nil {
		arenas.all = map[*arena]bool{}
	}
	arenas.all[a] = true
	return a
}

func (a *arena) grow(words int) {
	c := make([]uint64, words)
	a.pin.Pin(&c[0])
	a.chunks = append(a.chunks, c)
	a.used = 0
}

// alloc returns memory for n > 0 bytes.
func (a *arena) alloc(n uintptr) unsafe.Pointer {
	words := int((n + 7) / 8)
	c := a.chunks[len(a.chunks)-1]
	if a.used+words > len(c) {
		a.grow(max(words, arenaWords))
		c = a.chunks[len(a.chunks)-1]
	}
	s := c[a.used : a.used+words]
	clear(s)
	a.used += words
	return unsafe.Pointer(&s[0])
}

// reset makes the arena empty. What was in it is no longer valid.
func (a *arena) reset() {
	a.used = 0
	if len(a.chunks) == 1 {
		return
	}
	a.pin.Unpin()
	clear(a.chunks[1:])
	a.chunks = a.chunks[:1]
	a.pin.Pin(&a.chunks[0][0])
}

// drop unpins the arena for good.
func (a *arena) drop() {
	arenas.Lock()
	defer arenas.Unlock()
	delete(arenas.all, a)
	a.pin.Unpin()
	a.chunks = nil
}

// put returns a zero T in the arena.
func put[T any](a *arena) *T {
	var t T
	return (*T)(a.alloc(unsafe.Sizeof(t)))
}

// array returns n zero Ts in the arena; nil when n is 0.
func array[T any](a *arena, n int) []T {
	if n == 0 {
		return nil
	}
	var t T
	return unsafe.Slice((*T)(a.alloc(uintptr(n)*unsafe.Sizeof(t))), n)
}

// copied returns a copy of s in the arena.
func copied[T any](a *arena, s []T) []T {
	c := array[T](a, len(s))
	copy(c, s)
	return c
}

// cstring returns a copy of s with a zero behind it.
func (a *arena) cstring(s string) *byte {
	b := array[byte](a, len(s)+1)
	copy(b, s)
	return &b[0]
}

// cstrings returns the addresses of zero-terminated copies.
func (a *arena) cstrings(list []string) []uintptr {
	p := array[uintptr](a, len(list))
	for i, s := range list {
		p[i] = address(a.cstring(s))
	}
	return p
}

// address returns where p points to, which must be memory of an arena.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// first returns the address of the first element, or 0.
func first[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

// arenas has every arena, so that one which its owner forgets stays pinned, and those
// to use again.
var arenas struct {
	sync.Mutex
	all   map[*arena]bool
	spare []*arena
}

// borrow returns an empty arena; give it back with release.
func borrow() *arena {
	if a := spareArena(); a != nil {
		return a
	}
	return newArena()
}

func spareArena() *arena {
	arenas.Lock()
	defer arenas.Unlock()
	n := len(arenas.spare)
	if n == 0 {
		return nil
	}
	a := arenas.spare[n-1]
	arenas.spare = arenas.spare[:n-1]
	return a
}

func (a *arena) release() {
	a.reset()
	if !a.spare() {
		a.drop()
	}
}

func (a *arena) spare() bool {
	arenas.Lock()
	defer arenas.Unlock()
	if len(arenas.spare) >= keptArenas {
		return false
	}
	arenas.spare = append(arenas.spare, a)
	return true
}

// foreign turns an address that C handed out into a pointer. The memory there is
// not Go's.
func foreign(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// goString reads a zero-terminated C string; address 0 is "".
func goString(address uintptr) string {
	if address == 0 {
		return ""
	}
	p := foreign(address)
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}

// fixedString reads a C string in an array.
func fixedString(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
