// Package mcmc records the refine list of 3DGS as Markov chain Monte Carlo
// (Kheradmand et al. 2024): dead splats are relocated onto live ones, then the
// count grows towards its limit. The noise on the means belongs to the update
// kernel.
package mcmc

import (
	"splat/internal/kernel"
	"splat/internal/pipeline"
)

// Record appends the refine list to rec. Scratch of the forward pass is reused:
// keys hold weights, ordered the list of dead rows, and so on.
func Record(rec *kernel.Recording, b *pipeline.Buffers, p pipeline.Plan) {
	rec.Stage("refine")
	rec.Direct(kernel.RefineBegin, 1, kernel.Args{
		"control": b.Control, "schedule": b.Schedule, "refine": b.Refine, "counts": b.Counts, "args": b.Args,
	})
	round(rec, b, p, 0)
	round(rec, b, p, 1)
	rec.Indirect(kernel.FadeOpacity, b.Args, kernel.WorkAfter, kernel.Args{
		"schedule": b.Schedule, "refine": b.Refine, "counts": b.Counts,
		"geom": b.Geom, "geom_m": b.GeomM, "geom_v": b.GeomV, "stats": b.Stats,
	})
	rec.Direct(kernel.RefineEnd, 1, kernel.Args{"control": b.Control, "refine": b.Refine})
}

// round records one round of sampling: 0 relocates the dead, 1 grows.
func round(rec *kernel.Recording, b *pipeline.Buffers, p pipeline.Plan, n uint32) {
	weights, dead, drawn := b.Keys[0], b.Keys[1], b.IDs[0]
	picks, holes, offsets, deadOffsets := b.IDs[1], b.Ordered, b.Offsets, b.Base
	coefficients := uint32(kernel.Coefficients(p.SHDegree))
	rec.Indirect(kernel.McmcWeights, b.Args, kernel.WorkSplats, kernel.Args{
		"schedule": b.Schedule, "counts": b.Counts, "geom": b.Geom, "weights": weights, "dead": dead, "drawn": drawn,
	})
	b.Scan(rec, kernel.CountSplats, kernel.WorkSplatScan, weights, offsets, kernel.CountWeight, false)
	b.Scan(rec, kernel.CountSplats, kernel.WorkSplatScan, dead, deadOffsets, kernel.CountHoles, true)
	rec.Indirect(kernel.ListFlags, b.Args, kernel.WorkSplats, kernel.Args{
		"counts": b.Counts, "flags": dead, "offsets": deadOffsets, "list": holes,
	})
	rec.Direct(kernel.McmcPlan, 1, kernel.Args{
		"control": b.Control, "schedule": b.Schedule, "refine": b.Refine, "counts": b.Counts, "args": b.Args,
	}, n, uint32(p.Splats))
	rec.Indirect(kernel.McmcSample, b.Args, kernel.WorkDraws, kernel.Args{
		"refine": b.Refine, "counts": b.Counts, "offsets": offsets, "picks": picks, "drawn": drawn,
	}, n)
	rec.Indirect(kernel.McmcShare, b.Args, kernel.WorkSplats, kernel.Args{
		"schedule": b.Schedule, "counts": b.Counts, "drawn": drawn, "geom": b.Geom,
		"geom_m": b.GeomM, "geom_v": b.GeomV, "sh_m": b.SHM, "sh_v": b.SHV,
	}, coefficients)
	rec.Indirect(kernel.McmcCopy, b.Args, kernel.WorkDraws, kernel.Args{
		"refine": b.Refine, "counts": b.Counts, "picks": picks, "holes": holes,
		"geom": b.Geom, "sh": b.SH, "geom_m": b.GeomM, "geom_v": b.GeomV, "sh_m": b.SHM, "sh_v": b.SHV,
	}, n, coefficients)
}
