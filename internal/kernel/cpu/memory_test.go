package cpu

import (
	"strings"
	"testing"

	"splat/internal/kernel"
)

// TestMemoryLimit fills a small limit, frees, and fills it again.
func TestMemoryLimit(t *testing.T) {
	b := New(Options{Threads: 1, MaxBytes: 1000})
	defer b.Close()
	first := &kernel.Buffer{Name: "first", Elem: kernel.U32, Len: 200}
	second := &kernel.Buffer{Name: "second", Elem: kernel.Real, Len: 51}
	if err := b.Alloc(first); err != nil {
		t.Fatal(err)
	}
	err := b.Alloc(second)
	if err == nil || !strings.Contains(err.Error(), "second needs 204 bytes, and 800 of 1000") {
		t.Errorf("got %v", err)
	}
	b.Free(first)
	b.Free(first) // freeing twice does nothing
	if err := b.Alloc(second); err != nil {
		t.Error(err)
	}
	huge := &kernel.Buffer{Name: "huge", Elem: kernel.Real, Len: 1 << 60}
	if b.Alloc(huge) == nil {
		t.Error("an absurd size was granted")
	}
}
