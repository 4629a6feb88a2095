package pipeline

import (
	"math/bits"

	"splat/internal/kernel"
)

// Scan records the exclusive scan of in, whose length is the count slot, to out;
// the total goes to the total slot. With flags set, elements count as 1 where
// they are not 0.
func (b *Buffers) Scan(rec *kernel.Recording, count, work int, in, out *kernel.Buffer, total int, flags bool) {
	f := flag(flags)
	rec.Indirect(kernel.ScanReduce, b.Args, work, kernel.Args{"counts": b.Counts, "in": in, "sums": b.Sums}, uint32(count), f)
	rec.Indirect(kernel.ScanTop, b.Args, kernel.WorkOnce, kernel.Args{"counts": b.Counts, "sums": b.Sums}, uint32(count), uint32(total))
	rec.Indirect(kernel.ScanApply, b.Args, work, kernel.Args{"counts": b.Counts, "in": in, "sums": b.Sums, "out": out}, uint32(count), f)
}

// SortJob names the counts and work entries of a list to sort.
type SortJob struct{ Count, Digits, Work, DigitWork int }

// The lists that can be sorted.
var (
	SortVisible = SortJob{kernel.CountVisible, kernel.CountVisibleDigits, kernel.WorkVisibleSort, kernel.WorkVisibleDigits}
	SortPairs   = SortJob{kernel.CountPairs, kernel.CountPairDigits, kernel.WorkPairSort, kernel.WorkPairDigits}
	SortRanked  = SortJob{kernel.CountRanked, kernel.CountRankedDigits, kernel.WorkRankedSort, kernel.WorkRankedDigits}
)

// sortBits are the bits that a pass of a sort takes.
const sortBits = 8

// depthBits are the bits of a depth.
const depthBits = 32

// sortPasses is the number of passes of a sort by so many bits.
func sortPasses(keyBits int) int { return (keyBits + sortBits - 1) / sortBits }

// sortList records the sort of a list of the step, in the plan's way.
func (b *Buffers) sortList(rec *kernel.Recording, p Plan, job SortJob, keys, values [2]*kernel.Buffer, keyBits int) int {
	if p.Sweep {
		return b.sweep(rec, job, keys, values, keyBits)
	}
	return b.Sort(rec, job, keys, values, keyBits)
}

// sweep records the sort that Sort records, with the same result, in a dispatch a pass and
// two before them.
func (b *Buffers) sweep(rec *kernel.Recording, job SortJob, keys, values [2]*kernel.Buffer, keyBits int) int {
	count, passes := uint32(job.Count), sortPasses(keyBits)
	rec.Indirect(kernel.SweepClear, b.Args, job.Work, kernel.Args{"counts": b.Counts, "sweep": b.Sweep}, count, uint32(passes))
	rec.Indirect(kernel.SweepCount, b.Args, job.Work, kernel.Args{
		"counts": b.Counts, "keys": keys[0], "sweep": b.Sweep,
	}, count, uint32(passes))
	for pass := range passes {
		from, to := pass%2, (pass+1)%2
		rec.Indirect(kernel.SweepScatter, b.Args, job.Work, kernel.Args{
			"counts": b.Counts, "keys": keys[from], "values": values[from], "sweep": b.Sweep,
			"keys_out": keys[to], "values_out": values[to],
		}, count, uint32(sortBits*pass), kernel.SweepLooks)
	}
	return passes % 2
}

// Sort records a stable sort by the low keyBits bits of keys[0], with values[0]
// alongside, and returns the index (0 or 1) of the pair that holds the result.
func (b *Buffers) Sort(rec *kernel.Recording, job SortJob, keys, values [2]*kernel.Buffer, keyBits int) int {
	at := 0
	for shift := 0; shift < keyBits; shift += sortBits {
		rec.Indirect(kernel.SortCount, b.Args, job.Work, kernel.Args{
			"counts": b.Counts, "keys": keys[at], "histogram": b.Histogram,
		}, uint32(job.Count), uint32(shift))
		b.Scan(rec, job.Digits, job.DigitWork, b.Histogram, b.Digits, kernel.CountSorted, false)
		rec.Indirect(kernel.SortScatter, b.Args, job.Work, kernel.Args{
			"counts": b.Counts, "keys": keys[at], "values": values[at], "offsets": b.Digits,
			"keys_out": keys[1-at], "values_out": values[1-at],
		}, uint32(job.Count), uint32(shift))
		at = 1 - at
	}
	return at
}

// tileBits is the number of key bits that hold any tile, and the one beyond the
// last that pads.
func tileBits(tiles int) int { return bits.Len(uint(tiles)) }

// recordProject records everything from splats to sorted pairs and tile ranges, and
// returns the index of the sorted pair list.
func (b *Buffers) recordProject(rec *kernel.Recording, p Plan) int {
	rec.Stage("project")
	rec.Indirect(kernel.Project, b.Args, kernel.WorkSplats, kernel.Args{
		"step": b.Step, "counts": b.Counts, "geom": b.Geom, "sh": b.SH, "proj": b.Proj, "tiles": b.Tiles,
	}, uint32(kernel.Coefficients(p.SHDegree)))
	rec.Stage("compact")
	b.Scan(rec, kernel.CountSplats, kernel.WorkSplatScan, b.Tiles, b.Offsets, kernel.CountVisible, true)
	rec.Direct(kernel.SetVisible, 1, kernel.Args{"step": b.Step, "counts": b.Counts, "args": b.Args})
	rec.Indirect(kernel.Compact, b.Args, kernel.WorkSplats, kernel.Args{
		"counts": b.Counts, "proj": b.Proj, "tiles": b.Tiles, "offsets": b.Offsets, "keys": b.Keys[0], "ids": b.IDs[0],
	})
	rec.Stage("depth-sort")
	at := b.sortList(rec, p, SortVisible, b.Keys, b.IDs, depthBits)
	rec.Stage("emit")
	rec.Indirect(kernel.GatherTiles, b.Args, kernel.WorkVisible, kernel.Args{
		"counts": b.Counts, "ids": b.IDs[at], "tiles": b.Tiles, "ordered": b.Ordered,
	})
	b.Scan(rec, kernel.CountVisible, kernel.WorkVisibleScan, b.Ordered, b.Offsets, kernel.CountPairs, false)
	rec.Direct(kernel.SetPairs, 1, kernel.Args{
		"control": b.Control, "step": b.Step, "counts": b.Counts, "args": b.Args,
	}, uint32(p.Pairs))
	rec.Indirect(kernel.Emit, b.Args, kernel.WorkVisible, kernel.Args{
		"step": b.Step, "counts": b.Counts, "ids": b.IDs[at], "proj": b.Proj, "ordered": b.Ordered, "offsets": b.Offsets,
		"keys": b.PairKeys[0], "pairs": b.PairIDs[0], "owners": b.Owners, "base": b.Base,
	})
	rec.Stage("tile-sort")
	at = b.sortList(rec, p, SortPairs, b.PairKeys, b.PairIDs, tileBits(p.Tiles))
	rec.Stage("ranges")
	rec.Indirect(kernel.Ranges, b.Args, kernel.WorkTileLoop, kernel.Args{
		"counts": b.Counts, "keys": b.PairKeys[at], "ranges": b.Ranges,
	})
	return at
}

// flag is a boolean as a kernel constant.
func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// recordRasterize records the blending of the sorted pairs.
func (b *Buffers) recordRasterize(rec *kernel.Recording, p Plan, sorted int) {
	rec.Stage("rasterize")
	rec.Indirect(kernel.Rasterize, b.Args, kernel.WorkTiles, kernel.Args{
		"step": b.Step, "ranges": b.Ranges, "pairs": b.PairIDs[sorted], "owners": b.Owners, "proj": b.Proj,
		"image": b.Image, "last": b.Last,
	}, flag(p.Smooth))
}

// recordRasterizeSaving records the blending for a training step: with
// checkpoints, where the plan has them.
func (b *Buffers) recordRasterizeSaving(rec *kernel.Recording, p Plan, sorted int) {
	if !p.Checkpoints {
		b.recordRasterize(rec, p, sorted)
		return
	}
	rec.Stage("rasterize")
	rec.Indirect(kernel.RasterizeSaving, b.Args, kernel.WorkTiles, kernel.Args{
		"step": b.Step, "ranges": b.Ranges, "pairs": b.PairIDs[sorted], "owners": b.Owners, "proj": b.Proj,
		"image": b.Image, "last": b.Last, "checkpoints": b.Checkpoints, "bucket_tiles": b.BucketTiles,
	}, flag(p.Smooth))
}

// recordLoss records the loss and its sums.
func (b *Buffers) recordLoss(rec *kernel.Recording, p Plan) {
	rec.Stage("loss")
	rec.Indirect(kernel.Loss, b.Args, kernel.WorkTiles, kernel.Args{
		"step": b.Step, "image": b.Image, "targets": b.Targets, "window": b.Window, "maps": b.Maps, "partials": b.Partials,
	}, uint32(p.Window))
}

// recordBackward records the gradient of the loss down to the pairs' slots.
func (b *Buffers) recordBackward(rec *kernel.Recording, p Plan, sorted int) {
	rec.Indirect(kernel.LossGradient, b.Args, kernel.WorkTiles, kernel.Args{
		"step": b.Step, "image": b.Image, "targets": b.Targets, "window": b.Window, "maps": b.Maps, "gradient": b.Gradient,
	}, uint32(p.Window))
	rec.Stage("rasterize-backward")
	args := kernel.Args{
		"step": b.Step, "counts": b.Counts, "ranges": b.Ranges, "pairs": b.PairIDs[sorted], "owners": b.Owners, "proj": b.Proj,
		"image": b.Image, "last": b.Last, "gradient": b.Gradient, "slots": b.Slots,
	}
	if !p.Checkpoints {
		rec.Indirect(kernel.RasterizeBackward, b.Args, kernel.WorkTiles, args, flag(p.Smooth), flag(p.AbsGrad))
		return
	}
	args["checkpoints"], args["bucket_tiles"] = b.Checkpoints, b.BucketTiles
	rec.Indirect(kernel.RasterizeBackwardBuckets, b.Args, kernel.WorkBuckets, args, flag(p.Smooth), flag(p.AbsGrad))
}

// recordUpdate records the chain rule to the parameters and the optimiser.
func (b *Buffers) recordUpdate(rec *kernel.Recording, p Plan) {
	rec.Stage("update")
	rec.Indirect(kernel.Update, b.Args, kernel.WorkSplats, kernel.Args{
		"step": b.Step, "counts": b.Counts, "geom": b.Geom, "sh": b.SH,
		"geom_m": b.GeomM, "geom_v": b.GeomV, "sh_m": b.SHM, "sh_v": b.SHV,
		"tiles": b.Tiles, "base": b.Base, "slots": b.Slots, "stats": b.Stats,
	}, uint32(kernel.Coefficients(p.SHDegree)), flag(p.AbsGrad))
}

// recordCommit records the end of a step.
func (b *Buffers) recordCommit(rec *kernel.Recording) {
	rec.Stage("commit")
	rec.Indirect(kernel.Commit, b.Args, kernel.WorkOnce, kernel.Args{
		"control": b.Control, "step": b.Step, "counts": b.Counts, "partials": b.Partials, "ring": b.Ring,
	}, RingSize)
}
