package cpu

import (
	"math"

	"splat/internal/kernel"
)

var (
	_ = register(kernel.AdcMark, adcMark[float32], adcMark[float64])
	_ = register(kernel.AdcLimit, adcLimit, adcLimit)
	_ = register(kernel.AdcTrim, adcTrim, adcTrim)
	_ = register(kernel.AdcPlan, adcPlan, adcPlan)
	_ = register(kernel.AdcApply, adcApply[float32], adcApply[float64])
	_ = register(kernel.AdcMove, adcMove[float32], adcMove[float64])
)

// Adaptive density control (Kerbl et al. 2023): prune what is transparent or too
// large, clone small splats and split large ones whose screen gradient is high.
// Rows are edited in place: new rows fill the freed ones in order, then the end;
// rows freed beyond that are filled from the end. Everything follows from scans.

// What adcMark says about a splat in add.
const (
	addNone = iota
	addClone
	addSplit
)

// adcMark decides for every splat. keys orders those to add by falling gradient,
// for the case that the limit does not hold all of them.
func adcMark[F Float](g *Group) {
	schedule, refine := record[kernel.Schedule](g, "schedule"), record[kernel.Refine](g, "refine")
	geom, stats := reals[F](g, "geom"), reals[F](g, "stats")
	dead, add, keys, ids := words(g, "dead"), words(g, "add"), words(g, "keys"), words(g, "ids")
	from, to := g.Span(words(g, "counts")[kernel.CountSplats])
	for i := from; i < to; i++ {
		row := geom[i*kernel.GeomRow : (i+1)*kernel.GeomRow]
		largest := exp(max(row[kernel.GeomScale], row[kernel.GeomScale+1], row[kernel.GeomScale+2]))
		dead[i], add[i], keys[i], ids[i] = 0, addNone, math.MaxUint32, uint32(i)
		big := refine.PruneBig != 0 && schedule.PruneScale > 0 && largest > F(schedule.PruneScale)
		if !(sigmoid(row[kernel.GeomOpacity]) > F(schedule.PruneOpacity)) || big {
			dead[i] = 1
			continue
		}
		grad := stats[i*kernel.StatRow] / max(stats[i*kernel.StatRow+1], 1)
		if !(grad > F(schedule.GrowGrad)) {
			continue
		}
		add[i] = addClone
		if largest > F(schedule.GrowScale) {
			add[i] = addSplit
		}
		keys[i] = math.MaxUint32 - math.Float32bits(float32(grad))
	}
}

// adcLimit asks for a ranking where the limit on splats is below what adding
// would give; growth is then cut to the highest gradients, and the rest reported.
func adcLimit(g *Group) {
	schedule, refine := record[kernel.Schedule](g, "schedule"), record[kernel.Refine](g, "refine")
	counts, args := words(g, "counts"), words(g, "args")
	if refine.Due == 0 {
		return
	}
	refine.Holes, refine.Adds = counts[kernel.CountHoles], counts[kernel.CountAdds]
	room := max(schedule.MaxSplats, refine.Before-refine.Holes) - (refine.Before - refine.Holes)
	if refine.Adds > room {
		refine.Capped = refine.Adds - room
		refine.Adds = room
		kernel.SetCount(counts, args, kernel.CountRanked, refine.Before)
		kernel.SetCount(counts, args, kernel.CountRankedDigits, digits(refine.Before))
	}
}

// adcTrim takes back what the limit does not hold; ids is in ranking order.
func adcTrim(g *Group) {
	refine, ids, add := record[kernel.Refine](g, "refine"), words(g, "ids"), words(g, "add")
	from, to := g.Span(words(g, "counts")[kernel.CountRanked])
	for r := max(from, int(refine.Adds)); r < to; r++ {
		add[ids[r]] = addNone
	}
}

// adcPlan computes the new number of splats and checks the capacity before
// anything is changed.
func adcPlan(g *Group) {
	refine, counts, args := record[kernel.Refine](g, "refine"), words(g, "counts"), words(g, "args")
	if refine.Due == 0 {
		return
	}
	refine.Adds = counts[kernel.CountAdds]
	refine.After = refine.Before - refine.Holes + refine.Adds
	if int(refine.After) > g.Constant("capacity") {
		stopRefine(g, refine.After)
		return
	}
	kernel.SetCount(counts, args, kernel.CountAfter, max(refine.Before, refine.After))
}

// adcApply adds the clones and children. A clone is an exact copy. A split
// replaces the splat by two of 1/1.6 its size, placed by sampling the splat.
func adcApply[F Float](g *Group) {
	schedule, refine := record[kernel.Schedule](g, "schedule"), record[kernel.Refine](g, "refine")
	add, offsets, holes, r := words(g, "add"), words(g, "offsets"), words(g, "holes"), rowsOf[F](g)
	from, to := g.Span(words(g, "counts")[kernel.CountSplats])
	for i := from; i < to; i++ {
		if add[i] == addNone {
			continue
		}
		j := offsets[i]
		child := refine.Before + j - refine.Holes
		if j < refine.Holes {
			child = holes[j]
		}
		row := r.geom[i*kernel.GeomRow : (i+1)*kernel.GeomRow]
		if schedule.RevisedOpacity != 0 {
			o := 1 - sqrt(1-sigmoid(row[kernel.GeomOpacity]))
			row[kernel.GeomOpacity] = logit(clamp(o, 1e-6, 1-1e-6))
		}
		r.copyParameters(int(child), i)
		r.clearMoments(int(child))
		if add[i] == addSplit {
			splitPair(row, r.geom[child*kernel.GeomRow:(child+1)*kernel.GeomRow], refine.Seed, uint32(i))
			r.clearMoments(i)
		}
	}
}

// splitPair moves both rows, equal before, to samples of their Gaussian and
// shrinks them.
func splitPair[F Float](a, b []F, seed, i uint32) {
	var p splatView[F]
	ok := worldCovariance(&p, a)
	for k, row := range [2][]F{a, b} {
		n := normal3[F](kernel.Hash(seed, kernel.StreamSplit, uint32(k)), i)
		for c := range 3 {
			if ok {
				for axis := range 3 {
					row[kernel.GeomMean+c] += p.rot[3*c+axis] * p.scale[axis] * n[axis]
				}
			}
			row[kernel.GeomScale+c] -= F(math.Log(1.6))
		}
	}
}

// adcMove fills the freed rows that no addition took with live rows from the end.
func adcMove[F Float](g *Group) {
	refine, dead, offsets := record[kernel.Refine](g, "refine"), words(g, "dead"), words(g, "offsets")
	holes, r := words(g, "holes"), rowsOf[F](g)
	if refine.Adds >= refine.Holes {
		return
	}
	after := int(refine.After)
	from, to := g.Span(words(g, "counts")[kernel.CountSplats])
	for i := max(from, after); i < to; i++ {
		if dead[i] != 0 {
			continue
		}
		rank := uint32(i-after) - (offsets[i] - offsets[after])
		target := int(holes[refine.Adds+rank])
		r.copyParameters(target, i)
		copyRow(r.geomM, target, i, kernel.GeomRow)
		copyRow(r.geomV, target, i, kernel.GeomRow)
		copyRow(r.shM, target, i, r.stride)
		copyRow(r.shV, target, i, r.stride)
	}
}
