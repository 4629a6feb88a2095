package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/pipeline"
)

// lists is the buffers of the pipeline's scan and sort, for lists of up to n.
func (r *rig) lists(n int) *pipeline.Buffers {
	digits := kernel.Radix * max(kernel.Blocks(n, kernel.SortBlock), 1)
	return &pipeline.Buffers{
		Counts:    r.buffer("counts", kernel.U32, kernel.NumCounts),
		Args:      r.buffer("args", kernel.U32, 3*kernel.NumWork),
		Histogram: r.buffer("histogram", kernel.U32, digits),
		Digits:    r.buffer("digits", kernel.U32, digits),
		Sums:      r.buffer("sums", kernel.U32, max(kernel.Blocks(digits, kernel.ScanBlock), kernel.Blocks(n, kernel.ScanBlock))),
	}
}

// setCounts stores counts and what follows from them.
func (r *rig) setCounts(b *pipeline.Buffers, slots map[int]uint32) {
	counts, args := make([]uint32, kernel.NumCounts), make([]uint32, 3*kernel.NumWork)
	for slot, n := range slots {
		kernel.SetCount(counts, args, slot, n)
	}
	r.must(kernel.WriteSlice(r.be, b.Counts, 0, counts))
	r.must(kernel.WriteSlice(r.be, b.Args, 0, args))
}

// sorted sorts keys on the device; the values are the places the keys had.
func (r *rig) sorted(keys []uint32, bits int) (out, values []uint32) {
	n := len(keys)
	b := r.lists(n)
	k := [2]*kernel.Buffer{r.words("keys", append(keys, 0)...), r.buffer("keys alternate", kernel.U32, n+1)}
	v := [2]*kernel.Buffer{r.words("values", append(iota(n), 0)...), r.buffer("values alternate", kernel.U32, n+1)}
	r.setCounts(b, map[int]uint32{
		kernel.CountVisible: uint32(n), kernel.CountVisibleDigits: uint32(kernel.Radix * kernel.Blocks(n, kernel.SortBlock)),
		kernel.CountTiles: 1,
	})
	at := 0
	r.run(func(rec *kernel.Recording) { at = b.Sort(rec, pipeline.SortVisible, k, v, bits) })
	return r.readWords(k[at], n), r.readWords(v[at], n)
}

func iota(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}

// stable is what a stable sort by key gives.
func stable(keys []uint32) (out, values []uint32) {
	values = iota(len(keys))
	slices.SortStableFunc(values, func(a, b uint32) int { return int(int64(keys[a]) - int64(keys[b])) })
	for _, v := range values {
		out = append(out, keys[v])
	}
	return out, values
}

func keysOf(n int, key func(i int) uint32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = key(i)
	}
	return out
}

func TestSortIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		name string
		bits int
		keys []uint32
	}{
		{"100 000 random keys", 32, keysOf(100_000, func(int) uint32 { return rng.Uint32() })},
		{"500 000 packed keys, few values", 12, keysOf(500_000, func(int) uint32 { return uint32(rng.IntN(37)) * 111 })},
		{"12 bits", 12, keysOf(10_000, func(int) uint32 { return rng.Uint32() & 0xFFF })},
		{"all equal", 32, keysOf(9000, func(int) uint32 { return 0xDEADBEEF })},
		{"all zero", 12, keysOf(5000, func(int) uint32 { return 0 })},
		{"all ones", 32, keysOf(5000, func(int) uint32 { return math.MaxUint32 })},
		{"sorted", 32, keysOf(20_000, func(i int) uint32 { return uint32(i) * 3 })},
		{"reversed", 32, keysOf(20_000, func(i int) uint32 { return math.MaxUint32 - uint32(i)/2 })},
		{"one", 32, []uint32{9}},
		{"two", 32, []uint32{9, 8}},
		{"empty", 32, nil},
		{"a block less one", 12, keysOf(kernel.SortBlock-1, func(i int) uint32 { return uint32(i*7) & 0xFFF })},
		{"a block", 12, keysOf(kernel.SortBlock, func(i int) uint32 { return uint32(i*7) & 0xFFF })},
		{"a block and one", 12, keysOf(kernel.SortBlock+1, func(i int) uint32 { return uint32(i*7) & 0xFFF })},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantKeys, wantValues := stable(c.keys)
			keys, values := newRig(t, cpu.Options{Threads: 3}).sorted(c.keys, c.bits)
			if !slices.Equal(keys, wantKeys) {
				t.Error("the keys differ")
			}
			if !slices.Equal(values, wantValues) {
				t.Error("the values differ: not stable, or not moved with their keys")
			}
		})
	}
}

// TestSortLooksAtLowBitsOnly sorts by 16 bits: what is above does not matter and
// comes along.
func TestSortLooksAtLowBitsOnly(t *testing.T) {
	keys, values := newRig(t, cpu.Options{}).sorted([]uint32{0xFFFF0002, 1, 0xAAAA0001, 0}, 16)
	if d := cmp.Diff([]uint32{0, 1, 0xAAAA0001, 0xFFFF0002}, keys); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]uint32{3, 1, 2, 0}, values); d != "" {
		t.Error(d)
	}
}

// TestSortIsCheckedInAnyOrder shuffles the workgroups of every pass.
func TestSortIsCheckedInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	keys := keysOf(3*kernel.SortBlock+5, func(int) uint32 { return rng.Uint32() & 0xFFF })
	want, wantValues := stable(keys)
	got, values := newRig(t, cpu.Options{Threads: 2, Checked: true, ShuffleSeed: 4}).sorted(keys, 12)
	if !slices.Equal(got, want) || !slices.Equal(values, wantValues) {
		t.Error("a random order of workgroups sorts differently")
	}
}

// scanned scans on the device.
func (r *rig) scanned(in []uint32, flags bool) (out []uint32, total uint32) {
	n := len(in)
	b := r.lists(n)
	from, to := r.words("in", append(in, 0)...), r.buffer("out", kernel.U32, n+1)
	r.setCounts(b, map[int]uint32{kernel.CountSplats: uint32(n), kernel.CountTiles: 1})
	r.run(func(rec *kernel.Recording) {
		b.Scan(rec, kernel.CountSplats, kernel.WorkSplatScan, from, to, kernel.CountPairs, flags)
	})
	if after := r.readWords(to, n+1); after[n] != 0 {
		r.t.Errorf("wrote beyond the list: %d", after[n])
	}
	return r.readWords(to, n), r.readWords(b.Counts, kernel.NumCounts)[kernel.CountPairs]
}

// naiveScan is the exclusive sum in 64 bits.
func naiveScan(in []uint32, flags bool) (out []uint32, total uint64) {
	for _, v := range in {
		out = append(out, uint32(total))
		if flags {
			v = min(v, 1)
		}
		total += uint64(v)
	}
	return out, total
}

func TestScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{0, 1, 2, 255, 256, 257, 2047, 2048, 2049, 4096, 4097, 100_000} {
		for _, flags := range []bool{false, true} {
			t.Run(fmt.Sprint(n, flags), func(t *testing.T) {
				in := keysOf(n, func(int) uint32 { return uint32(rng.IntN(4)) * uint32(rng.IntN(1000)) })
				want, wantTotal := naiveScan(in, flags)
				got, total := newRig(t, cpu.Options{Threads: 3}).scanned(in, flags)
				if !slices.Equal(got, want) || uint64(total) != wantTotal {
					t.Errorf("total %d, want %d; the elements are equal: %v", total, wantTotal, slices.Equal(got, want))
				}
			})
		}
	}
}

// TestScanSaturates adds up to 2^32 and more: the total may not wrap around.
func TestScanSaturates(t *testing.T) {
	for name, c := range map[string]struct {
		in   []uint32
		want uint32
	}{
		"just below":        {[]uint32{1 << 31, 1<<31 - 1}, math.MaxUint32},
		"in a block":        {[]uint32{1 << 31, 1 << 31, 5}, math.MaxUint32},
		"across blocks":     {keysOf(5000, func(int) uint32 { return 1 << 20 }), math.MaxUint32},
		"far above":         {keysOf(4100, func(int) uint32 { return math.MaxUint32 }), math.MaxUint32},
		"wraps to a little": {append(keysOf(2048, func(int) uint32 { return 1 << 21 }), keysOf(2048, func(i int) uint32 { return 1 })...), math.MaxUint32},
	} {
		t.Run(name, func(t *testing.T) {
			if _, total := newRig(t, cpu.Options{}).scanned(c.in, false); total != c.want {
				t.Errorf("total %d, want %d", total, c.want)
			}
		})
	}
	in := keysOf(3000, func(int) uint32 { return math.MaxUint32 })
	if _, total := newRig(t, cpu.Options{}).scanned(in, true); total != 3000 {
		t.Errorf("3000 flags count %d", total)
	}
}

func TestListFlags(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	flags := keysOf(3000, func(int) uint32 { return uint32(rng.IntN(3)) })
	var want []uint32
	for i, f := range flags {
		if f != 0 {
			want = append(want, uint32(i))
		}
	}
	r := newRig(t, cpu.Options{Threads: 3})
	offsets, _ := naiveScan(flags, true)
	list := r.buffer("list", kernel.U32, len(flags))
	r.kernel(kernel.ListFlags, kernel.Blocks(len(flags), 256), kernel.Args{
		"counts": r.counts(map[int]uint32{kernel.CountSplats: 3000}), "flags": r.words("flags", flags...),
		"offsets": r.words("offsets", offsets...), "list": list,
	})
	if got := r.readWords(list, len(want)); !slices.Equal(got, want) {
		t.Error("the list differs")
	}
}
