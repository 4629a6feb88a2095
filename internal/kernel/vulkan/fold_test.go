package vulkan

import (
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/kerneltest"
)

// More workgroups than fit in a row do their work, direct and indirect.
func TestMoreGroupsThanARow(t *testing.T) {
	b := openTest(t, Options{})
	const n = 256*(kernel.MaxGroups+10) + 77
	buffer := func(name string, n int) *kernel.Buffer {
		buf := &kernel.Buffer{Name: name, Elem: kernel.U32, Len: n, Persistent: true}
		must(t, b.Alloc(buf))
		return buf
	}
	counts, args := buffer("counts", kernel.NumCounts), buffer("args", 3*kernel.NumWork)
	flags, offsets, list := buffer("flags", n), buffer("offsets", n), buffer("list", n/1000+1)
	hostCounts, hostArgs := make([]uint32, kernel.NumCounts), make([]uint32, 3*kernel.NumWork)
	kernel.SetCount(hostCounts, hostArgs, kernel.CountSplats, n)
	if y := hostArgs[3*kernel.WorkSplats+1]; y != 2 {
		t.Fatalf("%d rows, expected 2", y)
	}
	hostFlags, hostOffsets := make([]uint32, n), make([]uint32, n)
	for i := 0; i < n; i += 1000 {
		hostFlags[i], hostOffsets[i] = 1, uint32(i/1000)
	}
	must(t, kernel.WriteSlice(b, counts, 0, hostCounts))
	must(t, kernel.WriteSlice(b, args, 0, hostArgs))
	must(t, kernel.WriteSlice(b, flags, 0, hostFlags))
	must(t, kernel.WriteSlice(b, offsets, 0, hostOffsets))
	bound := kernel.Args{"counts": counts, "flags": flags, "offsets": offsets, "list": list}
	direct, indirect := &kernel.Recording{Name: "direct"}, &kernel.Recording{Name: "indirect"}
	direct.Direct(kernel.ListFlags, kernel.Blocks(n, 256), bound)
	indirect.Indirect(kernel.ListFlags, args, kernel.WorkSplats, bound)
	for _, r := range []*kernel.Recording{direct, indirect} {
		must(t, kernel.WriteSlice(b, list, 0, make([]uint32, list.Len)))
		p, err := b.Compile(r)
		must(t, err)
		must(t, b.Submit(p, 1))
		got := make([]uint32, list.Len)
		must(t, kernel.ReadSlice(b, list, 0, got))
		for i, v := range got {
			if v != uint32(1000*i) {
				t.Fatalf("%s: entry %d is %d, expected %d", r.Name, i, v, 1000*i)
			}
		}
	}
}

// A hundred thousand splats in one tile are one list, sorted and walked whole. llvmpipe
// leaves a shader's loops after 65535 iterations without a word, so there the list is
// shorter.
func TestCrowdedTile(t *testing.T) {
	n := 100_000
	if b := openTest(t, Options{}); b.Info().Kind == Software {
		n = 30_000
		t.Logf("%s: %d splats instead of 100000: a software device may end long loops early", b.Device(), n)
	}
	for _, checkpoints := range []bool{false, true} {
		sc := kerneltest.CrowdedScenario(n)
		sc.Scene.Plan.Checkpoints = checkpoints
		check(t, openTest(t, Options{}), []kerneltest.Scenario{sc})
	}
}
