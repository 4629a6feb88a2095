package cpu

import (
	"sort"

	"splat/internal/kernel"
)

var (
	_ = register(kernel.GatherTiles, gatherTiles, gatherTiles)
	_ = register(kernel.SetPairs, setPairs, setPairs)
	_ = register(kernel.Emit, emit[float32], emit[float64])
	_ = register(kernel.Ranges, ranges, ranges)
)

// gatherTiles brings the tile counts into depth order.
func gatherTiles(g *Group) {
	counts, ids, tiles, ordered := words(g, "counts"), words(g, "ids"), words(g, "tiles"), words(g, "ordered")
	from, to := g.Span(counts[kernel.CountVisible])
	for r := from; r < to; r++ {
		ordered[r] = tiles[ids[r]]
	}
}

// setPairs turns the number of pairs, left by the scan, into the work that
// follows. More pairs than the buffers hold turn the rest of the step into a
// no-op and leave word for the host.
func setPairs(g *Group) {
	control, step := record[kernel.Control](g, "control"), record[kernel.Step](g, "step")
	counts, args := words(g, "counts"), words(g, "args")
	n := counts[kernel.CountPairs]
	if step.Noop != kernel.NoopNone || counts[kernel.CountVisible] == 0 {
		n = 0
	}
	control.PeakPairs = max(control.PeakPairs, n)
	if n > uint32(g.Constant("capacity")) {
		control.Overflow |= kernel.OverflowPairs
		control.NeedPairs = n
		step.Noop = kernel.NoopOverflow
		for slot := range kernel.NumCounts {
			kernel.SetCount(counts, args, slot, 0)
		}
		return
	}
	kernel.SetCount(counts, args, kernel.CountPairs, n)
	kernel.SetCount(counts, args, kernel.CountPairDigits, digits(n))
	kernel.SetCount(counts, args, kernel.CountBuckets, uint32(kernel.BucketPlaces(int(n), int(counts[kernel.CountTiles]))))
}

// emit lists the (tile, splat) pairs of each visible splat, nearest splat first.
// The payload is the place in this list, which is also the pair's gradient slot:
// the pairs of one splat are contiguous. Should the tile test find fewer tiles
// than project counted, the rest is padded with a tile that does not exist.
func emit[F Float](g *Group) {
	step, counts, ids := record[kernel.Step](g, "step"), words(g, "counts"), words(g, "ids")
	proj, ordered, offsets := reals[F](g, "proj"), words(g, "ordered"), words(g, "offsets")
	keys, pairs, owners, base := words(g, "keys"), words(g, "pairs"), words(g, "owners"), words(g, "base")
	from, to := g.Span(counts[kernel.CountVisible])
	for r := from; r < to; r++ {
		id := ids[r]
		at, end := offsets[r], offsets[r]+ordered[r]
		base[id] = at
		for j := at; j < end; j++ {
			pairs[j], owners[j] = j, id
		}
		e := ellipseOf(proj[id*kernel.ProjRow : (id+1)*kernel.ProjRow])
		first, last := e.tileRows(step)
		for row := first; row < last; row++ {
			left, right := e.tileSpan(step, row)
			for tile := left; tile < right && at < end; tile++ {
				keys[at] = uint32(row)*step.TilesX + uint32(tile)
				at++
			}
		}
		for ; at < end; at++ {
			keys[at] = step.TilesX * step.TilesY
		}
	}
}

// ranges finds each tile's pairs in the sorted keys by binary search: ranges[2t]
// is the first, ranges[2t+1] one beyond the last.
func ranges(g *Group) {
	counts, keys, out := words(g, "counts"), words(g, "keys"), words(g, "ranges")
	sorted := keys[:counts[kernel.CountPairs]]
	from, to := g.Span(counts[kernel.CountTiles])
	for t := from; t < to; t++ {
		out[2*t] = lowerBound(sorted, uint32(t))
		out[2*t+1] = lowerBound(sorted, uint32(t)+1)
	}
}

func lowerBound(sorted []uint32, key uint32) uint32 {
	return uint32(sort.Search(len(sorted), func(i int) bool { return sorted[i] >= key }))
}
