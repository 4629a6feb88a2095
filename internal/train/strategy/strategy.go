// Package strategy chooses how splats are added and removed during training. A
// strategy is a recorded list of kernels, run by the device between steps.
package strategy

import (
	"fmt"

	"splat/internal/kernel"
	"splat/internal/pipeline"
	"splat/internal/train/strategy/adc"
	"splat/internal/train/strategy/mcmc"
)

// Strategy is one way to refine.
type Strategy struct {
	Name    string
	ID      uint32 // kernel.Schedule.Strategy
	Refiner pipeline.Refiner
}

var all = []Strategy{
	{"mcmc", kernel.StrategyMCMC, mcmc.Record},
	{"adc", kernel.StrategyADC, adc.Record},
}

// ByName returns the strategy called name.
func ByName(name string) (Strategy, error) {
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
	}
	return Strategy{}, fmt.Errorf("strategy: no strategy is called %q", name)
}
