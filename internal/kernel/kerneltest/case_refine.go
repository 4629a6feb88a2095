package kerneltest

import "splat/internal/kernel"

// refineCases are the kernels of the strategies.
var refineCases = []Case{
	{"refine_begin", []Output{near("refine", 1e-6, 0), exact("counts"), exact("args")}},
	{"refine_end", []Output{exact("control")}},
	{"fade_opacity", []Output{
		near("geom", 1e-5, 1e-6).upTo(kernel.CountAfter, kernel.GeomRow),
		exact("geom_m").upTo(kernel.CountAfter, kernel.GeomRow),
		exact("geom_v").upTo(kernel.CountAfter, kernel.GeomRow),
		exact("stats").upTo(kernel.CountAfter, kernel.StatRow),
	}},

	{"mcmc_weights", []Output{
		exact("weights").upTo(kernel.CountSplats, 1).slack(1),
		exact("dead").upTo(kernel.CountSplats, 1).flips(1e-3, "whether an opacity is above prune_opacity"),
		exact("drawn").upTo(kernel.CountSplats, 1),
	}},
	{"mcmc_plan", []Output{exact("control"), exact("refine"), exact("counts"), exact("args")}},
	{"mcmc_sample", []Output{exact("picks").upTo(kernel.CountDraws, 1), exact("drawn").upTo(kernel.CountSplats, 1)}},
	{"mcmc_share", []Output{
		// The alternating sum of up to 51 terms cancels.
		near("geom", 2e-5, 2e-6).upTo(kernel.CountSplats, kernel.GeomRow),
		exact("geom_m"), exact("geom_v"), exact("sh_m"), exact("sh_v"),
	}},
	{"mcmc_copy", []Output{exact("geom"), exact("sh"), exact("geom_m"), exact("geom_v"), exact("sh_m"), exact("sh_v")}},

	{"adc_mark", []Output{
		exact("dead").upTo(kernel.CountSplats, 1).flips(1e-3, "whether a splat is to be pruned"),
		exact("add").upTo(kernel.CountSplats, 1).flips(1e-3, "whether a splat is to be cloned or split"),
		exact("keys").upTo(kernel.CountSplats, 1).slack(16).flips(1e-3, "whether a splat is to be added"), // bits of a real
		exact("ids").upTo(kernel.CountSplats, 1),
	}},
	{"adc_limit", []Output{exact("refine"), exact("counts"), exact("args")}},
	{"adc_trim", []Output{exact("add")}},
	{"adc_plan", []Output{exact("control"), exact("refine"), exact("counts"), exact("args")}},
	{"adc_apply", []Output{
		near("geom", 1e-5, 2e-6).columns(kernel.GeomRow),
		exact("sh"), exact("geom_m"), exact("geom_v"), exact("sh_m"), exact("sh_v"),
	}},
	{"adc_move", []Output{exact("geom"), exact("sh"), exact("geom_m"), exact("geom_v"), exact("sh_m"), exact("sh_v")}},
}
