// Package adc records the refine list of adaptive density control (Kerbl et al.
// 2023): prune, clone, split, opacity reset.
package adc

import (
	"splat/internal/kernel"
	"splat/internal/pipeline"
)

// Record appends the refine list to rec, with scratch of the forward pass reused.
func Record(rec *kernel.Recording, b *pipeline.Buffers, p pipeline.Plan) {
	dead, add, holes := b.Tiles, b.Base, b.Ordered
	deadOffsets, addOffsets := b.Offsets, b.Keys[1]
	rec.Stage("refine")
	rec.Direct(kernel.RefineBegin, 1, kernel.Args{
		"control": b.Control, "schedule": b.Schedule, "refine": b.Refine, "counts": b.Counts, "args": b.Args,
	})
	rec.Indirect(kernel.AdcMark, b.Args, kernel.WorkSplats, kernel.Args{
		"schedule": b.Schedule, "refine": b.Refine, "counts": b.Counts, "geom": b.Geom, "stats": b.Stats,
		"dead": dead, "add": add, "keys": b.Keys[0], "ids": b.IDs[0],
	})
	b.Scan(rec, kernel.CountSplats, kernel.WorkSplatScan, dead, deadOffsets, kernel.CountHoles, true)
	rec.Indirect(kernel.ListFlags, b.Args, kernel.WorkSplats, kernel.Args{
		"counts": b.Counts, "flags": dead, "offsets": deadOffsets, "list": holes,
	})
	b.Scan(rec, kernel.CountSplats, kernel.WorkSplatScan, add, addOffsets, kernel.CountAdds, true)
	limit(rec, b, add)
	b.Scan(rec, kernel.CountSplats, kernel.WorkSplatScan, add, addOffsets, kernel.CountAdds, true)
	rec.Direct(kernel.AdcPlan, 1, kernel.Args{
		"control": b.Control, "refine": b.Refine, "counts": b.Counts, "args": b.Args,
	}, uint32(p.Splats))
	edit(rec, b, p, dead, deadOffsets, add, addOffsets, holes)
	rec.Indirect(kernel.FadeOpacity, b.Args, kernel.WorkAfter, kernel.Args{
		"schedule": b.Schedule, "refine": b.Refine, "counts": b.Counts,
		"geom": b.Geom, "geom_m": b.GeomM, "geom_v": b.GeomV, "stats": b.Stats,
	})
	rec.Direct(kernel.RefineEnd, 1, kernel.Args{"control": b.Control, "refine": b.Refine})
}

// limit cuts the additions to the highest gradients where max_splats demands it.
func limit(rec *kernel.Recording, b *pipeline.Buffers, add *kernel.Buffer) {
	rec.Direct(kernel.AdcLimit, 1, kernel.Args{
		"schedule": b.Schedule, "refine": b.Refine, "counts": b.Counts, "args": b.Args,
	})
	at := b.Sort(rec, pipeline.SortRanked, b.Keys, b.IDs, 32)
	rec.Indirect(kernel.AdcTrim, b.Args, kernel.WorkRanked, kernel.Args{
		"refine": b.Refine, "counts": b.Counts, "ids": b.IDs[at], "add": add,
	})
}

func edit(rec *kernel.Recording, b *pipeline.Buffers, p pipeline.Plan, dead, deadOffsets, add, addOffsets, holes *kernel.Buffer) {
	coefficients := uint32(kernel.Coefficients(p.SHDegree))
	rec.Indirect(kernel.AdcApply, b.Args, kernel.WorkSplats, kernel.Args{
		"schedule": b.Schedule, "refine": b.Refine, "counts": b.Counts, "add": add, "offsets": addOffsets, "holes": holes,
		"geom": b.Geom, "sh": b.SH, "geom_m": b.GeomM, "geom_v": b.GeomV, "sh_m": b.SHM, "sh_v": b.SHV,
	}, coefficients)
	rec.Indirect(kernel.AdcMove, b.Args, kernel.WorkSplats, kernel.Args{
		"refine": b.Refine, "counts": b.Counts, "dead": dead, "offsets": deadOffsets, "holes": holes,
		"geom": b.Geom, "sh": b.SH, "geom_m": b.GeomM, "geom_v": b.GeomV, "sh_m": b.SHM, "sh_v": b.SHV,
	}, coefficients)
}
