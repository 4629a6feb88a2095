package cpu

import (
	"sync/atomic"

	"splat/internal/kernel"
)

var (
	_ = register(kernel.SweepClear, sweepClear, sweepClear)
	_ = register(kernel.SweepCount, sweepCount, sweepCount)
	_ = register(kernel.SweepScatter, sweepScatter, sweepScatter)
)

// The one-sweep sort (Adinets, Merrill 2022). On a device the blocks of a pass tell each
// other how many keys of each digit they have; here a block counts the keys before it,
// which says what the result is and needs no order among blocks, but takes time that grows
// with the square of the list. sortCount and its scan are what the CPU uses.

// sweepClear clears the digits' counts and tickets, and what a block will say of itself.
func sweepClear(g *Group) {
	counts, sweep := words(g, "counts"), words(g, "sweep")
	n, passes := int(counts[g.Constant("count")]), int(g.Constant("passes"))
	if g.ID == 0 {
		clear(sweep[:kernel.SweepStates])
	}
	blocks := kernel.Blocks(n, kernel.SortBlock)
	for pass := 0; pass < passes && g.ID < blocks; pass++ {
		at := kernel.SweepStates + (pass*blocks+g.ID)*kernel.Radix
		clear(sweep[at : at+kernel.Radix])
	}
}

// sweepCount adds a block's digits to the counts of every pass.
func sweepCount(g *Group) {
	counts, keys, sweep := words(g, "counts"), words(g, "keys"), words(g, "sweep")
	from, to := g.Block(counts[g.Constant("count")], kernel.SortBlock)
	for pass := range int(g.Constant("passes")) {
		bins := digitsOf(keys[from:to], 8*uint32(pass))
		for d, c := range bins {
			if c > 0 {
				atomic.AddUint32(&sweep[pass*kernel.Radix+d], c)
			}
		}
	}
}

// digitsOf counts the keys of each digit.
func digitsOf(keys []uint32, shift uint32) (bins [kernel.Radix]uint32) {
	for _, k := range keys {
		bins[k>>shift&(kernel.Radix-1)]++
	}
	return bins
}

// sweepScatter moves each key of a block and its value to its place: behind all keys of
// smaller digits, and those of the same digit before the block.
func sweepScatter(g *Group) {
	counts, keys, values, sweep := words(g, "counts"), words(g, "keys"), words(g, "values"), words(g, "sweep")
	keysOut, valuesOut := words(g, "keys_out"), words(g, "values_out")
	shift := g.Constant("shift")
	from, to := g.Block(counts[g.Constant("count")], kernel.SortBlock)
	place, start := digitsOf(keys[:from], uint32(shift)), uint32(0)
	for d, c := range sweep[shift/8*kernel.Radix : (shift/8+1)*kernel.Radix] {
		place[d] += start
		start += c
	}
	for i := from; i < to; i++ {
		d := keys[i] >> shift & (kernel.Radix - 1)
		keysOut[place[d]], valuesOut[place[d]] = keys[i], values[i]
		place[d]++
	}
}
