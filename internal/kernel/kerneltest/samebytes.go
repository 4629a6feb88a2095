package kerneltest

import (
	"splat/internal/kernel"
	"splat/internal/pipeline"
)

// SameBytes runs one small training, with splats pruned, split and cloned on the
// way, on both backends and lists the buffers that end up with different bytes.
func SameBytes(a, b kernel.Backend) ([]string, error) {
	var states [2]map[string]uint64
	for i, be := range []kernel.Backend{a, b} {
		var err error
		if states[i], err = trainSmall(be); err != nil {
			return nil, err
		}
	}
	return Different(states[0], states[1]), nil
}

// smallTraining is about to refine, and does so every four steps.
func smallTraining() Scenario {
	sc := adcScenario("", 0.05, 5e-4)
	sc.Scene.Schedule.RefineEvery = 4
	return sc
}

// trainSmall returns the state after the small training.
func trainSmall(be kernel.Backend) (map[string]uint64, error) {
	sc := smallTraining()
	pl, err := sc.Scene.Build(be, sc.Refiner)
	if err != nil {
		return nil, err
	}
	defer pl.Free()
	if err := sc.Prepare(pl); err != nil {
		return nil, err
	}
	if err := trainOn(pl); err != nil {
		return nil, err
	}
	return stateOf(pl)
}

// trainOn refines and takes four steps, three times.
func trainOn(pl *pipeline.Pipeline) error {
	for range 3 {
		if err := submit(pl, pl.RefineProgram, 1); err != nil {
			return err
		}
		if err := submit(pl, pl.StepProgram, 4); err != nil {
			return err
		}
	}
	return nil
}

func submit(pl *pipeline.Pipeline, p kernel.Program, times int) error {
	if err := pl.Backend.Submit(p, times); err != nil {
		return err
	}
	return pl.Backend.Wait()
}
