package cpu

import (
	"math"

	"splat/internal/kernel"
)

var (
	_ = register(kernel.ScanReduce, scanReduce, scanReduce)
	_ = register(kernel.ScanTop, scanTop, scanTop)
	_ = register(kernel.ScanApply, scanApply, scanApply)
	_ = register(kernel.ListFlags, listFlags, listFlags)
)

// A scan is three dispatches: sums of blocks, an exclusive scan of the sums by
// one workgroup, and the exclusive scan inside each block on top. With the
// constant flags set, elements count as 1 where they are not 0. Sums saturate at
// the largest u32; the scan is then meaningless and the total says so.

// scanReduce writes the sum of each block of ScanBlock elements.
func scanReduce(g *Group) {
	in, sums, flags := words(g, "in"), words(g, "sums"), g.Constant("flags") != 0
	from, to := g.Block(words(g, "counts")[g.Constant("count")], kernel.ScanBlock)
	var sum uint32
	for _, v := range in[from:to] {
		sum = addSaturating(sum, element(v, flags))
	}
	sums[g.ID] = sum
}

// scanTop turns the block sums into offsets and stores the total in counts.
func scanTop(g *Group) {
	counts, sums := words(g, "counts"), words(g, "sums")
	blocks := kernel.Blocks(int(counts[g.Constant("count")]), kernel.ScanBlock)
	var sum uint32
	for i, v := range sums[:blocks] {
		sums[i] = sum
		sum = addSaturating(sum, v)
	}
	counts[g.Constant("total")] = sum
}

// scanApply writes the exclusive scan of the elements.
func scanApply(g *Group) {
	in, sums, out, flags := words(g, "in"), words(g, "sums"), words(g, "out"), g.Constant("flags") != 0
	from, to := g.Block(words(g, "counts")[g.Constant("count")], kernel.ScanBlock)
	sum := sums[g.ID]
	for i := from; i < to; i++ {
		v := element(in[i], flags)
		out[i] = sum
		sum = addSaturating(sum, v)
	}
}

func element(v uint32, flags bool) uint32 {
	if flags {
		return min(v, 1)
	}
	return v
}

func addSaturating(a, b uint32) uint32 {
	if s := a + b; s >= a {
		return s
	}
	return math.MaxUint32
}

// listFlags writes the indices of the set flags, in order, given their scan.
func listFlags(g *Group) {
	flags, offsets, list := words(g, "flags"), words(g, "offsets"), words(g, "list")
	from, to := g.Span(words(g, "counts")[kernel.CountSplats])
	for i := from; i < to; i++ {
		if flags[i] != 0 {
			list[offsets[i]] = uint32(i)
		}
	}
}
