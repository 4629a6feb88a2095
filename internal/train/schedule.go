package train

import (
	"math"

	"splat/internal/config"
	"splat/internal/kernel"
)

// scheduleOf translates the configuration for the device. Lengths are converted
// to the training frame. views is the number of training views.
func scheduleOf(c config.Run, f frame, views int, strategy uint32) (kernel.Schedule, error) {
	random, rgb, err := config.ParseBackground(c.Train.Background)
	if err != nil {
		return kernel.Schedule{}, err
	}
	steps := c.Train.Steps
	s := kernel.Schedule{
		Seed: uint32(c.Train.Seed), Views: uint32(views), Steps: uint32(steps),
		SHInterval: uint32(shInterval(c.Train)), SHDegree: uint32(c.Model.SHDegree),
		RefineEvery: uint32(c.Strategy.RefineEvery),
		RefineStart: stepAt(c.Strategy.RefineStart, steps), RefineStop: stepAt(c.Strategy.RefineStop, steps),
		Strategy: strategy, MaxSplats: uint32(c.Model.MaxSplats),
		LRMeans: float32(c.Optim.LRMeans), LRMeansEnd: float32(c.Optim.LRMeansEnd),
		LRScales: float32(c.Optim.LRScales), LRQuats: float32(c.Optim.LRQuats), LROpacities: float32(c.Optim.LROpacities),
		LRSH0: float32(c.Optim.LRSH0), LRSHRest: float32(c.Optim.LRSHRest),
		Beta1: float32(c.Optim.Beta1), Beta2: float32(c.Optim.Beta2), Eps: float32(c.Optim.Eps),
		SSIMLambda: float32(c.Loss.SSIMLambda), OpacityReg: float32(c.Loss.OpacityReg), ScaleReg: float32(c.Loss.ScaleReg),
		Near: float32(c.Model.Near / f.Scale), Blur: 0.3,
		PruneOpacity: float32(c.Strategy.PruneOpacity),
		OpacityDecay: float32(c.Strategy.OpacityDecay), DecayFactor: float32(c.Strategy.DecayFactor),
		Growth:   kernel.GrowthOf(c.Strategy.GrowthFactor),
		GrowGrad: float32(c.Strategy.GrowGrad), GrowScale: float32(c.Strategy.GrowScale), PruneScale: float32(c.Strategy.PruneScale),
		ResetOpacity: float32(c.Strategy.ResetOpacity),
		WeightScale:  weightScale(c.Model.MaxSplats),
	}
	for i := range 3 {
		s.Background[i] = float32(rgb[i])
	}
	s.BackgroundRandom = flag(random)
	s.RevisedOpacity, s.AbsGrad = flag(c.Strategy.RevisedOpacity), flag(c.Strategy.AbsGrad)
	if c.Model.Antialiased {
		s.Mode, s.Blur = kernel.ModeAntialiased, 0.1
	}
	switch strategy {
	case kernel.StrategyMCMC:
		s.NoiseLR = float32(c.Strategy.NoiseLR)
	case kernel.StrategyADC:
		s.ResetEvery = resetEvery(c.Strategy, steps)
	}
	return s, nil
}

// resetEvery is the number of steps between opacity resets. In short runs they are
// kept ten refines apart: a splat must have time to become opaque again before it
// is judged.
func resetEvery(c config.Strategy, steps int) uint32 {
	if c.ResetEvery == 0 {
		return 0
	}
	return max(stepAt(c.ResetEvery, steps), uint32(10*c.RefineEvery))
}

// shInterval is the number of steps between raises of the SH degree.
func shInterval(t config.Train) int {
	if t.SHInterval > 0 {
		return t.SHInterval
	}
	return max(t.Steps/30, 1)
}

// stepAt is the step at a fraction of the run.
func stepAt(fraction float64, steps int) uint32 { return uint32(math.Round(fraction * float64(steps))) }

// weightScale is the integer weight of an opacity of 1 such that n splats' weights
// add up to less than 2^32.
func weightScale(n int) uint32 {
	return uint32(min(math.MaxUint32/uint64(max(n, 1)), 1<<16) - 2)
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// window returns the 1-D Gaussian SSIM window of sigma 1.5 with n taps, summing
// to 1.
func window(n int) []float32 {
	w := make([]float64, n)
	var sum float64
	for i := range w {
		d := float64(i - n/2)
		w[i] = math.Exp(-d * d / (2 * 1.5 * 1.5))
		sum += w[i]
	}
	out := make([]float32, n)
	for i := range w {
		out[i] = float32(w[i] / sum)
	}
	return out
}
