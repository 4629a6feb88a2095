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
	{"update", splatOutputs(kernel.CountSplats, 2e-4, 2e-6,
		near("stats", 1e-5, 1e-6).upTo(kernel.CountSplats, kernel.StatRow))},
	{"commit", []Output{exact("control"), near("ring", 1e-5, 0)}},
}

// splatOutputs are the parameters and moments of the first counts[slot] splats,
// then more.
func splatOutputs(slot int, rel, abs float64, more ...Output) []Output {
	wide := func(r *Run) int { return 3 * r.Constant("coefficients") }
	sh := func(binding string) Output {
		return near(binding, rel, abs).where(first(func(r *Run) int { return wide(r) * int(r.Count(slot)) }))
	}
	geom := func(binding string) Output { return near(binding, rel, abs).upTo(slot, kernel.GeomRow) }
	return append([]Output{geom("geom"), geom("geom_m"), geom("geom_v"), sh("sh"), sh("sh_m"), sh("sh_v")}, more...)
}
