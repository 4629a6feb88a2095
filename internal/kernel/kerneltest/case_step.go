package kerneltest

import "splat/internal/kernel"

// Tolerances here and in the other tables are a small factor above the worst
// difference between the CPU kernels in float32 and in float64, one dispatch at a
// time on equal inputs: what any device with IEEE single precision stays below.

// stepCases are the kernels that decide, account and update.
var stepCases = []Case{
	// Two logarithms and an exponential make each rate.
	{"begin", []Output{exact("control"), near("step", 2e-6, 0), exact("counts"), exact("args")}},
	{"begin_render", []Output{near("step", 2e-6, 0), exact("counts"), exact("args")}},
	{"set_visible", []Output{exact("counts"), exact("args")}},
	{"set_pairs", []Output{exact("control"), exact("step"), exact("counts"), exact("args")}},
	{"update", []Output{
		exact("counts"),
		// Tight, or a step left out would pass for rounding.
		near("geom", 2e-6, 2e-7).upTo(kernel.CountSplats, kernel.GeomRow),
		near("sh", 2e-6, 2e-7).where(shRows),
		near("geom_m", 1e-4, 2e-6).upTo(kernel.CountSplats, kernel.GeomRow),
		near("geom_v", 1e-4, 2e-6).upTo(kernel.CountSplats, kernel.GeomRow),
		near("sh_m", 1e-4, 2e-6).where(shRows),
		near("sh_v", 1e-4, 2e-6).where(shRows),
		near("stats", 2e-6, 2e-7).upTo(kernel.CountSplats, kernel.StatRow),
	}},
	{"commit", []Output{exact("control"), near("ring", 2e-6, 0)}},
}

// shRows defines the SH coefficients of the live splats.
func shRows(r *Run) func(int) bool {
	n := 3 * r.Constant("coefficients") * int(r.Count(kernel.CountSplats))
	return func(word int) bool { return word < n }
}
