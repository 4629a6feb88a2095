package vulkan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"splat/internal/kernel"
)

// sweepRig is a list of pairs and what sorts it.
type sweepRig struct {
	counts, sweep *kernel.Buffer
	keys, values  [2]*kernel.Buffer
}

func newSweepRig(t testing.TB, be kernel.Backend, n, passes int) *sweepRig {
	t.Helper()
	make := func(name string, n int) *kernel.Buffer {
		b := &kernel.Buffer{Name: name, Elem: kernel.U32, Len: max(n, 1), Persistent: true}
		if err := be.Alloc(b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	r := &sweepRig{counts: make("counts", kernel.NumCounts), sweep: make("sweep", kernel.SweepWords(n, passes))}
	for i := range 2 {
		r.keys[i], r.values[i] = make(fmt.Sprint("keys ", i), n), make(fmt.Sprint("values ", i), n)
	}
	return r
}

// sort runs a sort by bytes; looks is how often a block looks for what others say.
func (r *sweepRig) sort(t testing.TB, be kernel.Backend, keys []uint32, passes int, looks uint32) (sorted, values []uint32) {
	t.Helper()
	n := len(keys)
	counts := make([]uint32, kernel.NumCounts)
	counts[kernel.CountPairs] = uint32(n)
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	garbage := slices.Repeat([]uint32{0xFFFFFFFF}, r.sweep.Len)
	for _, err := range []error{
		kernel.WriteSlice(be, r.counts, 0, counts), kernel.WriteSlice(be, r.sweep, 0, garbage),
		kernel.WriteSlice(be, r.keys[0], 0, keys), kernel.WriteSlice(be, r.values[0], 0, order),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	program, err := be.Compile(r.record(n, passes, looks))
	if err != nil {
		t.Fatal(err)
	}
	if err := be.Submit(program, 1); err != nil {
		t.Fatal(err)
	}
	sorted, values = make([]uint32, n), make([]uint32, n)
	if err := kernel.ReadSlice(be, r.keys[passes%2], 0, sorted); err != nil {
		t.Fatal(err)
	}
	if err := kernel.ReadSlice(be, r.values[passes%2], 0, values); err != nil {
		t.Fatal(err)
	}
	return sorted, values
}

// record has more workgroups than blocks, as a dispatch of several rows may have.
func (r *sweepRig) record(n, passes int, looks uint32) *kernel.Recording {
	const count = kernel.CountPairs
	rec := &kernel.Recording{Name: "sweep"}
	groups := kernel.Blocks(n, kernel.SortBlock) + 3
	rec.Direct(kernel.SweepClear, groups, kernel.Args{"counts": r.counts, "sweep": r.sweep}, count, uint32(passes))
	rec.Direct(kernel.SweepCount, groups, kernel.Args{"counts": r.counts, "keys": r.keys[0], "sweep": r.sweep}, count, uint32(passes))
	for pass := range passes {
		from, to := pass%2, (pass+1)%2
		rec.Direct(kernel.SweepScatter, groups, kernel.Args{
			"counts": r.counts, "keys": r.keys[from], "values": r.values[from], "sweep": r.sweep,
			"keys_out": r.keys[to], "values_out": r.values[to],
		}, count, uint32(8*pass), looks)
	}
	return rec
}

// One-sweep sorts stably, however many blocks there are and whether or not they hear of
// each other: with no look allowed, a block counts by itself whenever others are not ready.
func TestSweepSorts(t *testing.T) {
	be := openTest(t, Options{})
	rng := rand.New(rand.NewPCG(5, 6))
	const block = kernel.SortBlock
	for _, n := range []int{0, 1, block - 1, block, block + 1, 9 * block, 70*block + 77} {
		for _, c := range []struct {
			name  string
			bits  uint
			looks uint32
		}{{"random", 32, kernel.SweepLooks}, {"few digits", 3, kernel.SweepLooks}, {"equal", 0, kernel.SweepLooks}, {"no looks", 32, 0}} {
			keys := make([]uint32, n)
			for i := range keys {
				keys[i] = uint32(rng.Uint64() & (1<<c.bits - 1))
			}
			t.Run(fmt.Sprint(n, " ", c.name), func(t *testing.T) {
				r := newSweepRig(t, be, n, 4)
				sorted, values := r.sort(t, be, keys, 4, c.looks)
				want := make([]uint32, n)
				for i := range want {
					want[i] = uint32(i)
				}
				slices.SortStableFunc(want, func(a, b uint32) int { return int(int64(keys[a]) - int64(keys[b])) })
				for i, w := range want {
					if values[i] != w || sorted[i] != keys[w] {
						t.Fatalf("place %d: found key %#x of %d, expected %#x of %d", i, sorted[i], values[i], keys[w], w)
					}
				}
			})
		}
	}
}
