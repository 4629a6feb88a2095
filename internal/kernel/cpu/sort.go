package cpu

import "splat/internal/kernel"

var (
	_ = register(kernel.SortCount, sortCount, sortCount)
	_ = register(kernel.SortScatter, sortScatter, sortScatter)
)

// One pass of a stable least-significant-digit radix sort: count the digits of
// each block, scan the counts with the digit as the major index, scatter each
// block in order.

// sortCount writes the histogram of each block of SortBlock keys.
func sortCount(g *Group) {
	counts, keys, histogram := words(g, "counts"), words(g, "keys"), words(g, "histogram")
	n, shift := counts[g.Constant("count")], g.Constant("shift")
	from, to := g.Block(n, kernel.SortBlock)
	var bins [kernel.Radix]uint32
	for _, k := range keys[from:to] {
		bins[k>>shift&(kernel.Radix-1)]++
	}
	blocks := kernel.Blocks(int(n), kernel.SortBlock)
	for d, c := range bins {
		histogram[d*blocks+g.ID] = c
	}
}

// sortScatter moves each key and its value to its place.
func sortScatter(g *Group) {
	counts, keys, values, offsets := words(g, "counts"), words(g, "keys"), words(g, "values"), words(g, "offsets")
	keysOut, valuesOut := words(g, "keys_out"), words(g, "values_out")
	n, shift := counts[g.Constant("count")], g.Constant("shift")
	from, to := g.Block(n, kernel.SortBlock)
	blocks := kernel.Blocks(int(n), kernel.SortBlock)
	var place [kernel.Radix]uint32
	for d := range place {
		place[d] = offsets[d*blocks+g.ID]
	}
	for i := from; i < to; i++ {
		d := keys[i] >> shift & (kernel.Radix - 1)
		keysOut[place[d]], valuesOut[place[d]] = keys[i], values[i]
		place[d]++
	}
}
