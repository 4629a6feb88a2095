package vk

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// held is a buffer of a test with the pattern that its bytes must keep.
type held struct {
	*Buffer
	pattern uint32
}

// Buffers of any sizes made and freed in any order keep their bytes to themselves.
func TestPoolKeepsBuffersApart(t *testing.T) {
	r := newRig(t)
	rapid.Check(t, func(t *rapid.T) {
		var live []held
		defer func() {
			for _, h := range live {
				h.Free()
			}
		}()
		steps := rapid.SliceOfN(rapid.IntRange(1, 6000), 1, 60).Draw(t, "sizes")
		for n, size := range steps {
			if size%3 == 0 && len(live) > 0 {
				i := size % len(live)
				live[i].intact(t)
				live[i].Free()
				live = slices.Delete(live, i, i+1)
				continue
			}
			kind := UploadMemory
			if size%2 == 0 {
				kind = ReadbackMemory
			}
			b, err := r.NewBuffer("b", int64(size), kind)
			if err != nil {
				t.Fatal(err)
			}
			h := held{b, uint32(n) * 2654435761}
			h.paint()
			live = append(live, h)
		}
		for _, h := range live {
			h.intact(t)
		}
	})
	if r.Used() != 0 {
		t.Errorf("%d bytes in use after all buffers are freed", r.Used())
	}
}

func (h held) paint() {
	for i := 0; i < len(h.Bytes()); i += 4 {
		putWords(h.Bytes()[i:], h.pattern)
	}
}

func (h held) intact(t *rapid.T) {
	for _, w := range getWords(h.Bytes()) {
		if w != h.pattern {
			t.Fatalf("a buffer of %d bytes was overwritten", h.Size())
		}
	}
}

// A block hands out spans that are aligned, inside and disjoint; what is free and what
// is taken adds up; all of it given back, one free span remains.
func TestBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBlock(1 << 12)
		var taken []span
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			if len(taken) > 0 && rapid.Bool().Draw(t, "give") {
				i := rapid.IntRange(0, len(taken)-1).Draw(t, "which")
				b.give(taken[i])
				taken = slices.Delete(taken, i, i+1)
			} else {
				size := rapid.Int64Range(1, 900).Draw(t, "size")
				align := int64(1) << rapid.IntRange(0, 8).Draw(t, "align")
				taken = takeSpan(t, b, taken, size, align)
			}
			checkSpans(t, b, taken)
		}
		for _, s := range taken {
			b.give(s)
		}
		if !b.empty() {
			t.Fatalf("all given back, free is %v", b.free)
		}
	})
}

func takeSpan(t *rapid.T, b *block, taken []span, size, align int64) []span {
	i, rest := b.fit(size, align)
	if i < 0 {
		return taken
	}
	for _, f := range b.free { // best fit
		if r := f.end() - alignUp(f.offset, align) - size; r >= 0 && r < rest {
			t.Fatalf("%d of %d in %v: took one that leaves %d, not %d", size, align, b.free, rest, r)
		}
	}
	s := b.take(i, size, align)
	if s.offset%align != 0 || s.size != size {
		t.Fatalf("asked for %d aligned to %d, got %v", size, align, s)
	}
	return append(taken, s)
}

func checkSpans(t *rapid.T, b *block, taken []span) {
	all := slices.Concat(taken, b.free)
	slices.SortFunc(all, func(x, y span) int { return int(x.offset - y.offset) })
	var at int64
	for _, s := range all {
		if s.offset != at || s.size <= 0 {
			t.Fatalf("taken %v, free %v: gap or overlap at %d", taken, b.free, at)
		}
		at = s.end()
	}
	if at != b.size {
		t.Fatalf("spans end at %d of %d", at, b.size)
	}
	for i, f := range b.free[1:] {
		if b.free[i].end() >= f.offset {
			t.Fatalf("free spans touch: %v", b.free)
		}
	}
}

func TestBlocksAreSharedAndReleased(t *testing.T) {
	r := newRig(t)
	var small []*Buffer
	for range 10 {
		small = append(small, r.buffer("small", 1000, DeviceMemory))
	}
	if n := r.Counters().Allocations; n != 1 {
		t.Errorf("%d allocations for ten small buffers, expected 1", n)
	}
	block := small[0].region.block.size
	big := r.buffer("big", block, DeviceMemory) // has no room beside the small ones
	if got := r.Used(); got < 2*block || got > 2*block+4096 || r.Counters().Allocations != 2 {
		t.Errorf("%d bytes in use in %d allocations, expected two of %d", got, r.Counters().Allocations, block)
	}
	big.Free()
	for _, b := range small {
		b.Free()
	}
	if c := r.Counters(); c.Releases != c.Allocations || r.Used() != 0 {
		t.Errorf("%d of %d allocations released, %d bytes in use", c.Releases, c.Allocations, r.Used())
	}
}

func TestBufferSizes(t *testing.T) {
	r := newRig(t)
	for asked, want := range map[int64]int64{0: 4, 1: 4, 4: 4, 5: 8, 1022: 1024} {
		b := r.buffer("b", asked, UploadMemory)
		if b.Size() != want || int64(len(b.Bytes())) != want || b.Name() != "b" {
			t.Errorf("asked for %d: size %d, %d bytes, name %q", asked, b.Size(), len(b.Bytes()), b.Name())
		}
		b.Free()
	}
	if b := r.buffer("hidden", 64, DeviceMemory); b.Bytes() != nil {
		t.Error("the host sees device memory")
	}
	if _, err := r.NewBuffer("negative", -1, DeviceMemory); err == nil || !strings.Contains(err.Error(), `buffer "negative": -1 bytes`) {
		t.Error(err)
	}
}

func TestBufferOverLimit(t *testing.T) {
	r := newRig(t)
	max := int64(min(r.Info().Limits.StorageBufferRange, r.Info().Limits.AllocationSize))
	_, err := r.NewBuffer("pairs", max+1, DeviceMemory)
	var limit *BufferLimit
	if !errors.As(err, &limit) || limit.Asked <= max || limit.Max != max || !strings.HasPrefix(err.Error(), `buffer "pairs": `) {
		t.Errorf("%v", err)
	}
	if r.Counters().Allocations != 0 {
		t.Error("the driver was asked for it")
	}
}

// Buffers are refused by name before the driver is asked for more than the budget. One
// that fits gets memory also where a whole block does not.
func TestOutOfMemory(t *testing.T) {
	r := newRig(t)
	block := r.buffer("first", 4<<20, DeviceMemory).region.block.size
	rest := r.buffer("rest", block-4<<20, DeviceMemory)
	if rest.region.block.size != block {
		t.Fatalf("the rest of a block of %d bytes did not fit into it", block)
	}
	pretendBudget(r, r.Used()+1<<20)
	used, free := r.Used(), r.Budget()
	if free > 1<<20 || free < 1<<20-8 {
		t.Fatalf("%d bytes are free, expected about 1 MiB", free)
	}
	r.buffer("fits", 512<<10, DeviceMemory)
	if got := r.Used() - used; got < 512<<10 || got > 520<<10 {
		t.Errorf("%d bytes allocated for 512 KiB", got)
	}
	used, free = r.Used(), r.Budget()
	asked := r.Counters().Allocations
	_, err := r.NewBuffer("slots", 1<<20, DeviceMemory)
	var oom *OutOfMemory
	if !errors.As(err, &oom) || !errors.Is(err, ErrOutOfDeviceMemory) {
		t.Fatalf("%v", err)
	}
	if oom.Buffer != "slots" || oom.Asked != 1<<20 || oom.Used != used || oom.Free != free || oom.Cause != nil {
		t.Errorf("%+v, expected %d used, %d free", oom, used, free)
	}
	if r.Counters().Allocations != asked {
		t.Error("the driver was asked for it")
	}
}

// pretendBudget makes the heap of device memory look as if the process may have so
// many bytes of it.
func pretendBudget(r *rig, n int64) {
	r.physical.info.Features.MemoryBudget = false
	r.physical.types.memoryHeaps[r.deviceHeap()].size = uint64(n) / 4 * 5
}

// Without an allocation to spare the buffer is refused by name too.
func TestAllocationCount(t *testing.T) {
	r := newRig(t)
	r.physical.info.Limits.Allocations = 1
	first := r.buffer("first", 100, DeviceMemory)
	_, err := r.NewBuffer("second", first.region.block.size, DeviceMemory)
	if err == nil || err.Error() != `buffer "second": all of the device's 1 allocations are in use` {
		t.Errorf("%v", err)
	}
}

func TestOutOfMemoryText(t *testing.T) {
	e := &OutOfMemory{Buffer: "pairs", Asked: 5 << 30, Used: 3 << 30, Heap: 8 << 30, Free: 1 << 30}
	want := `out of device memory: buffer "pairs" needs 5.0 GiB; 3.0 GiB are in use here, 1.0 GiB of 8.0 GiB are free`
	if e.Error() != want {
		t.Errorf("%s\nexpected %s", e, want)
	}
	e.Cause = check("vkAllocateMemory", errorOutOfDeviceMemory)
	if want += ": vkAllocateMemory: out of device memory (VK_ERROR_OUT_OF_DEVICE_MEMORY)"; e.Error() != want {
		t.Errorf("%s\nexpected %s", e, want)
	}
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1536: "1.5 KiB", 1 << 50: "1024.0 TiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s, expected %s", n, got, want)
		}
	}
}

// Which memory type is chosen on the usual kinds of machines.
func TestCandidates(t *testing.T) {
	const local, cached = memoryPropertyDeviceLocalBit, memoryPropertyHostCachedBit
	const protected = 0x20
	for name, c := range map[string]struct {
		flags                    []uint32
		device, upload, readback []uint32
	}{
		"discrete": {[]uint32{0, local, hostVisible, hostVisible | cached, local | hostVisible},
			[]uint32{1}, []uint32{2, 3, 4}, []uint32{3, 2, 4}},
		"unified": {[]uint32{local | hostVisible, local | hostVisible | cached},
			[]uint32{0}, []uint32{0, 1}, []uint32{1, 0}},
		"one type":  {[]uint32{local | hostVisible | cached}, []uint32{0}, []uint32{0}, []uint32{0}},
		"protected": {[]uint32{local | protected, local, hostVisible | protected, hostVisible}, []uint32{1}, []uint32{3}, []uint32{3}},
	} {
		p := &Physical{}
		p.types.memoryTypeCount = uint32(len(c.flags))
		for i, f := range c.flags {
			p.types.memoryTypes[i].propertyFlags = f
		}
		for kind, want := range map[MemoryKind][]uint32{DeviceMemory: c.device, UploadMemory: c.upload, ReadbackMemory: c.readback} {
			if got := p.candidates(kind, ^uint32(0)); !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, expected %v", name, kind, got, want)
			}
		}
		if got := p.candidates(UploadMemory, 1); len(got) > 1 {
			t.Errorf("%s: types %v, only 0 is allowed", name, got)
		}
	}
}

func TestHeapFree(t *testing.T) {
	for _, c := range []struct{ budget, used, want uint64 }{{10, 4, 6}, {10, 12, 0}} {
		if got := (Heap{Budget: c.budget, Used: c.used}).Free(); got != c.want {
			t.Errorf("%v: %d", c, got)
		}
	}
	if s := fmt.Sprint(DeviceMemory, ", ", UploadMemory, ", ", ReadbackMemory); s != "device memory, upload memory, readback memory" {
		t.Error(s)
	}
}
