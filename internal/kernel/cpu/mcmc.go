package cpu

import (
	"sort"
	"sync/atomic"

	"splat/internal/kernel"
)

var (
	_ = register(kernel.McmcWeights, mcmcWeights[float32], mcmcWeights[float64])
	_ = register(kernel.McmcPlan, mcmcPlan, mcmcPlan)
	_ = register(kernel.McmcSample, mcmcSample, mcmcSample)
	_ = register(kernel.McmcShare, mcmcShare[float32], mcmcShare[float64])
	_ = register(kernel.McmcCopy, mcmcCopy[float32], mcmcCopy[float64])
)

// The MCMC strategy (Kheradmand et al. 2024) refines in two rounds of the same
// kernels. Round 0 relocates: each dead splat becomes a copy of a live one drawn
// with probability proportional to opacity. Round 1 grows the count towards the
// limit by the same sampling. A splat drawn k times shares its density among k+1.

// maxShare is the largest number of splats that one may be shared among (51 in
// the paper's implementation); further draws of it make copies of the 51st part.
const maxShare = 51

// mcmcWeights quantises each live splat's opacity to an integer sampling weight
// and marks the dead ones, whose weight is 0.
func mcmcWeights[F Float](g *Group) {
	schedule, geom := record[kernel.Schedule](g, "schedule"), reals[F](g, "geom")
	weights, dead, drawn := words(g, "weights"), words(g, "dead"), words(g, "drawn")
	from, to := g.Span(words(g, "counts")[kernel.CountSplats])
	for i := from; i < to; i++ {
		o := sigmoid(geom[i*kernel.GeomRow+kernel.GeomOpacity])
		weights[i], dead[i], drawn[i] = 0, 1, 0
		if o > F(schedule.PruneOpacity) {
			weights[i] = uint32(o*F(schedule.WeightScale)) + 1
			dead[i] = 0
		}
	}
}

// mcmcPlan sets the number of draws of a round: the dead in round 0, the growth
// in round 1, none if nothing is alive to copy. The capacity is checked in round
// 0, before anything changes.
func mcmcPlan(g *Group) {
	schedule, refine := record[kernel.Schedule](g, "schedule"), record[kernel.Refine](g, "refine")
	counts, args := words(g, "counts"), words(g, "args")
	if refine.Due == 0 {
		return
	}
	n := refine.Before
	if g.Constant("round") == 0 {
		grow := uint64(n) * uint64(schedule.Growth) >> 16
		refine.Grow = uint32(min(grow, uint64(max(schedule.MaxSplats, n)-n)))
		if int(n+refine.Grow) > g.Constant("capacity") {
			stopRefine(g, n+refine.Grow)
			return
		}
		refine.Holes = counts[kernel.CountHoles]
		refine.Draws = refine.Holes
	} else {
		refine.Draws = refine.Grow
	}
	if counts[kernel.CountWeight] == 0 {
		refine.Draws = 0
	}
	if g.Constant("round") == 1 {
		refine.After = n + refine.Draws
		kernel.SetCount(counts, args, kernel.CountAfter, refine.After)
	}
	kernel.SetCount(counts, args, kernel.CountDraws, refine.Draws)
}

// mcmcSample draws a source for each row to fill: the splat in whose share of the
// weight's scan a random number falls.
func mcmcSample(g *Group) {
	refine, counts := record[kernel.Refine](g, "refine"), words(g, "counts")
	offsets, picks, drawn := words(g, "offsets"), words(g, "picks"), words(g, "drawn")
	n, total := int(counts[kernel.CountSplats]), counts[kernel.CountWeight]
	seed := kernel.Hash(refine.Seed, kernel.StreamSample, uint32(g.Constant("round")))
	from, to := g.Span(counts[kernel.CountDraws])
	for j := from; j < to; j++ {
		at := kernel.Below(kernel.Hash(seed, uint32(j), 0), total)
		// The last splat whose offset is at most at; the next offset, or the total,
		// is beyond it, so its weight is not 0.
		i := sort.Search(n, func(k int) bool { return offsets[k] > at }) - 1
		picks[j] = uint32(i)
		atomic.AddUint32(&drawn[i], 1) // an integer sum: order does not matter
	}
}

// mcmcShare changes every drawn splat so that it and its copies together render
// as it did alone: with N of them, o' = 1-(1-o)^(1/N) and scale' = scale * o /
// sum_{i=1..N} sum_{k=0..i-1} C(i-1,k) (-1)^k o'^(k+1) / sqrt(k+1). Its moments
// are cleared.
func mcmcShare[F Float](g *Group) {
	schedule, drawn := record[kernel.Schedule](g, "schedule"), words(g, "drawn")
	geom, geomM, geomV := reals[F](g, "geom"), reals[F](g, "geom_m"), reals[F](g, "geom_v")
	shM, shV, stride := reals[F](g, "sh_m"), reals[F](g, "sh_v"), 3*g.Constant("coefficients")
	from, to := g.Span(words(g, "counts")[kernel.CountSplats])
	for i := from; i < to; i++ {
		if drawn[i] == 0 {
			continue
		}
		row := geom[i*kernel.GeomRow : (i+1)*kernel.GeomRow]
		o := sigmoid(row[kernel.GeomOpacity])
		opacity, factor := share(o, int(min(drawn[i]+1, maxShare)))
		opacity = clamp(opacity, F(schedule.PruneOpacity), 1-1e-6)
		row[kernel.GeomOpacity] = logit(opacity)
		for k := range 3 {
			row[kernel.GeomScale+k] += log(factor)
		}
		clear(geomM[i*kernel.GeomRow : (i+1)*kernel.GeomRow])
		clear(geomV[i*kernel.GeomRow : (i+1)*kernel.GeomRow])
		clear(shM[i*stride : (i+1)*stride])
		clear(shV[i*stride : (i+1)*stride])
	}
}

// share returns the opacity of each of n splats that replace one of opacity o at
// the same place, and the factor on their scale.
func share[F Float](o F, n int) (opacity, factor F) {
	// In float64: the alternating sum cancels.
	x := 1 - pow(1-float64(o), 1/float64(n))
	var sum float64
	for i := 1; i <= n; i++ {
		binomial, power := 1.0, x
		for k := 0; k < i; k++ {
			sum += binomial * power / sqrt(float64(k+1))
			binomial *= -float64(i-1-k) / float64(k+1)
			power *= x
		}
	}
	return F(x), F(float64(o) / sum)
}

// mcmcCopy makes each row to fill a copy of its source, after mcmcShare: the dead
// in round 0, new rows at the end in round 1.
func mcmcCopy[F Float](g *Group) {
	refine, counts := record[kernel.Refine](g, "refine"), words(g, "counts")
	picks, holes, r := words(g, "picks"), words(g, "holes"), rowsOf[F](g)
	round := g.Constant("round")
	from, to := g.Span(counts[kernel.CountDraws])
	for j := from; j < to; j++ {
		target := int(refine.Before) + j
		if round == 0 {
			target = int(holes[j])
		}
		r.copyParameters(target, int(picks[j]))
		r.clearMoments(target)
	}
}
