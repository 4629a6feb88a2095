package vk

import (
	"bytes"
	"runtime"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// Pieces of an arena are zero, aligned, apart, and stay where they are when it grows.
func TestArena(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := borrow()
		defer a.release()
		var pieces [][]byte
		var at []uintptr
		for i, n := range rapid.SliceOfN(rapid.IntRange(1, 40000), 1, 20).Draw(t, "sizes") {
			p := array[byte](a, n)
			if !bytes.Equal(p, make([]byte, n)) {
				t.Fatal("not zero")
			}
			for j := range p {
				p[j] = byte(i + 1)
			}
			pieces, at = append(pieces, p), append(at, first(p))
		}
		for i, p := range pieces {
			if at[i]%8 != 0 || first(p) != at[i] {
				t.Fatalf("piece %d at %x, was at %x", i, first(p), at[i])
			}
			if bytes.Count(p, []byte{byte(i + 1)}) != len(p) {
				t.Fatalf("piece %d was overwritten", i)
			}
		}
	})
}

func TestArenaText(t *testing.T) {
	a := borrow()
	defer a.release()
	list := a.cstrings([]string{"", "one", "Grüße"})
	for i, want := range []string{"", "one", "Grüße"} {
		if got := goString(list[i]); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
	if goString(0) != "" || first[uint32](nil) != 0 || a.cstrings(nil) != nil {
		t.Error("nothing is not null")
	}
	if fixedString([]byte{'a', 'b', 0, 'c'}) != "ab" || fixedString([]byte{'a', 'b'}) != "ab" {
		t.Error("text in arrays")
	}
	p := put[submitInfo](a)
	if address(p) != uintptr(unsafe.Pointer(p)) || *p != (submitInfo{}) {
		t.Error("put")
	}
}

// The memory of arenas stays reachable through its address alone, even when the arena
// itself is forgotten.
func TestArenaIsPinned(t *testing.T) {
	var at uintptr
	func() {
		a := newArena()
		s := array[byte](a, 100000)
		for i := range s {
			s[i] = 7
		}
		at = first(s)
	}()
	for range 3 {
		runtime.GC()
		for range 100 {
			_ = bytes.Repeat([]byte{9}, 100000)
		}
	}
	if got := unsafe.Slice((*byte)(foreign(at)), 100000); bytes.Count(got, []byte{7}) != len(got) {
		t.Error("the collector took an arena's memory")
	}
}

// More arenas at once than are kept are dropped without harm.
func TestManyArenas(t *testing.T) {
	var list []*arena
	for range 3 * keptArenas {
		list = append(list, borrow())
	}
	for _, a := range list {
		a.release()
	}
	if n := len(arenas.spare); n != keptArenas {
		t.Errorf("%d are kept, expected %d", n, keptArenas)
	}
}
