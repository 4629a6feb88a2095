package cpu

import (
	"splat/internal/kernel"
)

var (
	_ = register(kernel.RefineBegin, refineBegin, refineBegin)
	_ = register(kernel.FadeOpacity, fadeOpacity[float32], fadeOpacity[float64])
	_ = register(kernel.RefineEnd, refineEnd, refineEnd)
)

// refineBegin decides whether a refine is due; if not, the recording does
// nothing.
func refineBegin(g *Group) {
	control, schedule := record[kernel.Control](g, "control"), record[kernel.Schedule](g, "schedule")
	counts, args := words(g, "counts"), words(g, "args")
	r := kernel.Refine{Index: control.Step, Before: control.Splats, After: control.Splats}
	if refineDue(control, schedule) && control.Overflow == 0 {
		r.Due = 1
		r.Seed = kernel.Hash(schedule.Seed, control.Step, 1)
		r.Fade = max(0, 1-float32(control.Step)/float32(schedule.Steps))
		if every := schedule.ResetEvery; every > 0 {
			// The reset goes with the first refine at or after each multiple.
			before := max(control.Step, schedule.RefineEvery) - schedule.RefineEvery
			if control.Step/every > before/every && control.Step < schedule.RefineStop {
				r.Reset = 1
			}
			if control.Step > every {
				r.PruneBig = 1
			}
		}
	}
	*record[kernel.Refine](g, "refine") = r
	for slot := range kernel.NumCounts {
		kernel.SetCount(counts, args, slot, 0)
	}
	if r.Due != 0 {
		kernel.SetCount(counts, args, kernel.CountSplats, control.Splats)
		kernel.SetCount(counts, args, kernel.CountTiles, 1) // WorkOnce
	}
}

// stopRefine turns the rest of a refine into a no-op: its rows do not fit.
func stopRefine(g *Group, need uint32) {
	control, refine := record[kernel.Control](g, "control"), record[kernel.Refine](g, "refine")
	counts, args := words(g, "counts"), words(g, "args")
	control.Overflow |= kernel.OverflowSplats
	control.NeedSplats = need
	refine.Due = 0
	for slot := range kernel.NumCounts {
		kernel.SetCount(counts, args, slot, 0)
	}
}

// fadeOpacity applies opacity decay and reset to every splat and clears its
// densification statistics. Opacities are 0..1: o' = o*factor - decay*fade, not
// below 1/256, and at most reset_opacity on a reset, which also clears the
// opacity's moments.
func fadeOpacity[F Float](g *Group) {
	schedule, refine := record[kernel.Schedule](g, "schedule"), record[kernel.Refine](g, "refine")
	geom, geomM, geomV := reals[F](g, "geom"), reals[F](g, "geom_m"), reals[F](g, "geom_v")
	stats := reals[F](g, "stats")
	decay, factor := F(schedule.OpacityDecay)*F(refine.Fade), F(schedule.DecayFactor)
	from, to := g.Span(words(g, "counts")[kernel.CountAfter])
	for i := from; i < to; i++ {
		clear(stats[i*kernel.StatRow : (i+1)*kernel.StatRow])
		at := i*kernel.GeomRow + kernel.GeomOpacity
		if decay != 0 || factor != 1 {
			o := sigmoid(geom[at])
			geom[at] = min(geom[at], logit(max(o*factor-decay, 1./256)))
		}
		if refine.Reset != 0 {
			geom[at] = min(geom[at], logit(F(schedule.ResetOpacity)))
			geomM[at], geomV[at] = 0, 0
		}
	}
}

// logit is the inverse of sigmoid for 0 < o < 1.
func logit[F Float](o F) F { return log(o / (1 - o)) }

// refineEnd commits the new number of splats. It is the last kernel of a refine.
func refineEnd(g *Group) {
	control, refine := record[kernel.Control](g, "control"), record[kernel.Refine](g, "refine")
	if refine.Due == 0 {
		return
	}
	control.Splats = refine.After
	control.LastRefine = refine.Index
	control.Capped = refine.Capped
}

// rows is the parameters and moments of all splats, for kernels that copy whole
// splats.
type splatRows[F Float] struct {
	geom, geomM, geomV []F
	sh, shM, shV       []F
	stride             int
}

func rowsOf[F Float](g *Group) splatRows[F] {
	return splatRows[F]{
		geom: reals[F](g, "geom"), geomM: reals[F](g, "geom_m"), geomV: reals[F](g, "geom_v"),
		sh: reals[F](g, "sh"), shM: reals[F](g, "sh_m"), shV: reals[F](g, "sh_v"),
		stride: 3 * g.Constant("coefficients"),
	}
}

// copyParameters makes row to equal row from.
func (r *splatRows[F]) copyParameters(to, from int) {
	copyRow(r.geom, to, from, kernel.GeomRow)
	copyRow(r.sh, to, from, r.stride)
}

// clearMoments forgets what Adam knows of a splat.
func (r *splatRows[F]) clearMoments(i int) {
	clear(r.geomM[i*kernel.GeomRow : (i+1)*kernel.GeomRow])
	clear(r.geomV[i*kernel.GeomRow : (i+1)*kernel.GeomRow])
	clear(r.shM[i*r.stride : (i+1)*r.stride])
	clear(r.shV[i*r.stride : (i+1)*r.stride])
}

func copyRow[F Float](v []F, to, from, n int) { copy(v[to*n:(to+1)*n], v[from*n:(from+1)*n]) }
