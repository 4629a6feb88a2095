package config

// DefaultStrategy is the strategy in force where nobody chose one.
const DefaultStrategy = "mcmc"

// Default returns the configuration in force where nobody said otherwise. The
// strategies want different values (mcmc starts with small half-transparent
// splats and regularises, adc starts with large faint ones and resets), so the
// strategy is chosen first; a name that is not known counts as DefaultStrategy.
func Default(strategy string) Run {
	r := common()
	if strategy == "adc" {
		adc(&r)
	} else {
		mcmc(&r)
	}
	return r
}

func common() Run {
	return Run{
		Data:     Data{Downscale: 1, MaxSize: 1920, TestEvery: 8, Alpha: "auto"},
		Model:    Model{SHDegree: 3, MaxSplats: 1_000_000, InitSplats: 100_000, Near: 0.01},
		Train:    Train{Steps: 30_000, Seed: 42, Background: "black", PlateauFraction: 0.001, LogEvery: 100, SaveEvery: -1},
		Loss:     Loss{SSIMLambda: 0.2, SSIMWindow: 11},
		Optim:    adam(),
		Strategy: schedule(),
		Backend:  backend(),
	}
}

func adam() Optim {
	return Optim{
		LRMeans: 1.6e-4, LRMeansEnd: 1.6e-6, LRScales: 5e-3, LRQuats: 1e-3,
		LROpacities: 5e-2, LRSH0: 2.5e-3, LRSHRest: 1.25e-4,
		Beta1: 0.9, Beta2: 0.999, Eps: 1e-15,
	}
}

func backend() Backend {
	return Backend{
		Device: "auto", InFlight: 3, Sync: "step", Record: "once", Targets: "resident",
		Variants: Variants{Sort: "auto", Emit: "plain", Raster: "f32", Backward: "auto"},
	}
}

func schedule() Strategy {
	return Strategy{
		RefineEvery: 100, RefineStart: 1.0 / 60, PruneOpacity: 0.005, DecayFactor: 1,
		GrowthFactor: 1.05, NoiseLR: 7.5e6,
		GrowGrad: 2e-4, GrowScale: 0.01, PruneScale: 0.1, ResetEvery: 0.1, ResetOpacity: 0.01,
	}
}

func mcmc(r *Run) {
	r.Strategy.Name = "mcmc"
	r.Strategy.RefineStop = 0.8333
	r.Loss.OpacityReg, r.Loss.ScaleReg = 0.01, 0.01
	r.Model.InitOpacity, r.Model.InitScale = 0.5, 0.1
}

func adc(r *Run) {
	r.Strategy.Name = "adc"
	r.Strategy.RefineStop = 0.5
	r.Model.InitOpacity, r.Model.InitScale = 0.1, 1
}
