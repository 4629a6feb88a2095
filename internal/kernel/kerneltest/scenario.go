package kerneltest

import (
	"errors"
	"math/rand/v2"

	"splat/internal/kernel"
	"splat/internal/pipeline"
	"splat/internal/train/strategy/adc"
	"splat/internal/train/strategy/mcmc"
)

// Scenario is a scene and what is done with it.
type Scenario struct {
	Name     string
	Scene    *Scene
	Refiner  pipeline.Refiner
	Prepare  func(pl *pipeline.Pipeline) error // more state than the scene has; may be nil
	Programs func(pl *pipeline.Pipeline) []kernel.Program
	Shows    string                    // what the scenario is for
	Shown    func(kernel.Control) bool // whether the state at the end shows it
}

// Scenarios returns everything that Check plays. Together they run every kernel,
// with more splats than a scan block, more pairs than a sort block, and every way
// in which a step or a refine can stop.
func Scenarios() []Scenario {
	return append([]Scenario{
		stepsScenario(), antialiasedScenario(), smoothScenario(), renderScenario(),
		saving(stepsScenario()), saving(antialiasedScenario()), saving(smoothScenario()),
		sweeping(stepsScenario()), sweeping(renderScenario()), sweeping(pairOverflowScenario()),
		noopScenario(), pairOverflowScenario(), brokenScenario(),
		mcmcScenario(), mcmcNothingAliveScenario(), mcmcOverflowScenario(),
		adcScenario("adc shrinking", 0.3, 3e-3), adcScenario("adc growing", 0.02, 5e-4), adcEmptyScenario(),
		adcLimitedScenario(), adcOverflowScenario(),
	}, nastyScenarios()...)
}

// saving is a scenario whose backward pass goes over buckets, from saved states.
func saving(sc Scenario) Scenario {
	sc.Name += " with checkpoints"
	sc.Scene.Plan.Checkpoints = true
	return sc
}

// sweeping is a scenario whose lists are sorted by one-sweep.
func sweeping(sc Scenario) Scenario {
	sc.Name += " with one-sweep"
	sc.Scene.Plan.Sweep = true
	return sc
}

// start is the state of a training under way: moments are not empty, so that an
// update follows the gradient's size and not only its sign.
func start(c kernel.Control) func(*pipeline.Pipeline) error {
	return func(pl *pipeline.Pipeline) error {
		c.Limit = 1 << 30
		errs := []error{kernel.WriteRecord(pl.Backend, pl.Control, 0, c)}
		for i, b := range []*kernel.Buffer{pl.GeomM, pl.SHM, pl.GeomV, pl.SHV} {
			errs = append(errs, kernel.WriteSlice(pl.Backend, b, 0, moments(b.Len, uint64(i), i >= 2)))
		}
		return errors.Join(errs...)
	}
}

// moments makes n first or second moments of Adam. The first ones do not depend on
// n, so not on the capacity.
func moments(n int, stream uint64, second bool) []float32 {
	rng := rand.New(rand.NewPCG(9, stream))
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(1e-4 * rng.NormFloat64())
		if second {
			data[i] = float32(1e-8 * (0.5 + rng.Float64()))
		}
	}
	return data
}

// steps repeats a step.
func steps(n int) func(*pipeline.Pipeline) []kernel.Program {
	return func(pl *pipeline.Pipeline) (out []kernel.Program) {
		for range n {
			out = append(out, pl.StepProgram)
		}
		return out
	}
}

// stepsScenario trains on several views of different sizes with everything on;
// some splats cover more than 32 tiles.
func stepsScenario() Scenario {
	s := NewScene(11, 2500, 131, 117, 2)
	for i := range 5 {
		s.setScale(i, 0.1)
	}
	s.Plan.Pairs = 1 << 15
	for _, size := range [][2]int{{50, 33}, {16, 16}, {1, 1}} {
		v := TiltedView(size[0], size[1])
		v.T[0] += 0.3
		s.Views = append(s.Views, v)
	}
	s.Plan.Views, s.Schedule.Views = len(s.Views), uint32(len(s.Views))
	s.Schedule.NoiseLR, s.Schedule.OpacityReg, s.Schedule.ScaleReg = 50, 0.01, 0.01
	s.Schedule.BackgroundRandom, s.Schedule.SHInterval = 1, 6
	return Scenario{
		Name: "steps", Scene: s, Prepare: start(kernel.Control{Step: 4, Splats: 2500}), Programs: steps(4),
		Shows: "four steps of more pairs than a sort block",
		Shown: func(c kernel.Control) bool {
			return c.Step == 8 && c.PeakPairs > kernel.SortBlock
		},
	}
}

// brokenScenario has splats so large that the gradient of their scale is beyond
// what Adam takes.
func brokenScenario() Scenario {
	s := NewScene(21, 700, 40, 30, 1)
	for _, i := range []int{650, 300, 301} {
		s.setScale(i, 1e26)
	}
	s.Schedule.NoiseLR, s.Schedule.ScaleReg = 50, 0.01
	return Scenario{
		Name: "broken", Scene: s, Prepare: start(kernel.Control{Step: 4, Splats: 700}), Programs: steps(2),
		Shows: "a step that names the first broken splat and does not count",
		Shown: func(c kernel.Control) bool { return c.Step == 4 && c.NonFinite == 5 && c.Broken == 300 },
	}
}

// antialiasedScenario trains degree 3 with opacity compensation, a mask, absolute
// gradients and another window.
func antialiasedScenario() Scenario {
	s := NewScene(12, 300, 61, 47, 3)
	s.Schedule.Mode, s.Schedule.Blur = kernel.ModeAntialiased, 0.1
	s.Plan.AbsGrad, s.Plan.Window, s.Window = true, 5, GaussianWindow(5)
	s.Views[0].Flags = kernel.ViewMask
	for i := range s.Targets {
		s.Targets[i] |= 0xFF000000
		if i%5 == 0 {
			s.Targets[i] &= 0x00FFFFFF
		}
	}
	return Scenario{
		Name: "antialiased and masked", Scene: s, Prepare: start(kernel.Control{Step: 10, Splats: 300}), Programs: steps(2),
		Shows: "two steps",
		Shown: func(c kernel.Control) bool { return c.Step == 12 },
	}
}

// smoothScenario runs the cutoff that gradient checks use.
func smoothScenario() Scenario {
	s := NewScene(13, 100, 37, 29, 1)
	s.Plan.Smooth = true
	return Scenario{
		Name: "smooth cutoff", Scene: s, Prepare: start(kernel.Control{Step: 10, Splats: 100}), Programs: steps(1),
		Shows: "a step",
		Shown: func(c kernel.Control) bool { return c.Step == 11 },
	}
}

func renderScenario() Scenario {
	s := NewScene(14, 200, 45, 70, 3)
	return Scenario{
		Name: "render", Scene: s,
		Programs: func(pl *pipeline.Pipeline) []kernel.Program { return []kernel.Program{pl.RenderProgram} },
		Shows:    "a rendering that leaves the step alone",
		Shown:    func(c kernel.Control) bool { return c.Step == 0 },
	}
}

// noopScenario runs a step at its limit and a refine that is not due.
func noopScenario() Scenario {
	s := NewScene(15, 100, 40, 40, 1)
	return Scenario{
		Name: "no-op", Scene: s, Refiner: mcmc.Record,
		Prepare: func(pl *pipeline.Pipeline) error {
			return kernel.WriteRecord(pl.Backend, pl.Control, 0, kernel.Control{Step: 3, Limit: 3, Splats: 100})
		},
		Programs: func(pl *pipeline.Pipeline) []kernel.Program {
			return []kernel.Program{pl.StepProgram, pl.RefineProgram}
		},
		Shows: "a no-op",
		Shown: func(c kernel.Control) bool { return c.Step == 3 && c.Overflow == 0 },
	}
}

func pairOverflowScenario() Scenario {
	s := NewScene(16, 200, 90, 80, 1)
	s.Plan.Pairs = 64
	return Scenario{
		Name: "pair overflow", Scene: s, Prepare: start(kernel.Control{Step: 10, Splats: 200}), Programs: steps(2),
		Shows: "a pair overflow",
		Shown: func(c kernel.Control) bool {
			return c.Step == 10 && c.Overflow == kernel.OverflowPairs && c.NeedPairs > 64
		},
	}
}

func (s *Scene) setScale(i int, logScale float32) {
	for k := range 3 {
		s.Geom[i*kernel.GeomRow+kernel.GeomScale+k] = logScale
	}
}

// SetOpacity stores the logit of an opacity.
func (s *Scene) SetOpacity(i int, logit float32) { s.Geom[i*kernel.GeomRow+kernel.GeomOpacity] = logit }

// refineThenStep runs a refine and the step after it.
func refineThenStep(pl *pipeline.Pipeline) []kernel.Program {
	return []kernel.Program{pl.RefineProgram, pl.StepProgram}
}

// refineOnce runs a refine.
func refineOnce(pl *pipeline.Pipeline) []kernel.Program { return []kernel.Program{pl.RefineProgram} }

// refineScene has a refine due at step 100 and room for capacity splats.
func refineScene(seed uint64, n, capacity int) *Scene {
	s := NewScene(seed, n, 40, 30, 1)
	s.Plan.Splats, s.Schedule.MaxSplats = capacity, uint32(capacity)
	s.Plan.Pairs = 7 * capacity // six tiles
	s.Schedule.RefineEvery, s.Schedule.RefineStart, s.Schedule.RefineStop = 100, 100, 900
	s.Schedule.PruneOpacity, s.Schedule.WeightScale = 0.05, 1<<16
	return s
}

func mcmcScene() *Scene {
	s := refineScene(21, 2300, 2600)
	s.Schedule.Strategy = kernel.StrategyMCMC
	for i := 0; i < s.Splats; i += 3 {
		s.SetOpacity(i, -6)
	}
	for i := 1; i < 30; i += 3 {
		s.SetOpacity(i, 6) // few strong ones are drawn several times
	}
	s.Schedule.OpacityDecay, s.Schedule.DecayFactor = 0.004, 0.99
	return s
}

func mcmcScenario() Scenario {
	s := mcmcScene()
	return Scenario{
		Name: "mcmc", Scene: s, Refiner: mcmc.Record, Prepare: start(kernel.Control{Step: 100, Splats: 2300}), Programs: refineThenStep,
		Shows: "growth and a step",
		Shown: func(c kernel.Control) bool { return c.Splats == 2415 && c.Step == 101 },
	}
}

func mcmcNothingAliveScenario() Scenario {
	s := refineScene(22, 100, 200)
	for i := range s.Splats {
		s.SetOpacity(i, -7)
	}
	return Scenario{
		Name: "mcmc with nothing alive", Scene: s, Refiner: mcmc.Record, Prepare: start(kernel.Control{Step: 100, Splats: 100}),
		Programs: refineOnce,
		Shows:    "a refine without a source",
		Shown: func(c kernel.Control) bool {
			return c.Splats == 100 && c.LastRefine == 100
		},
	}
}

func splatOverflow(c kernel.Control) bool {
	return c.Overflow == kernel.OverflowSplats && c.LastRefine == 0 && c.NeedSplats > c.Splats
}

func mcmcOverflowScenario() Scenario {
	s := mcmcScene()
	s.Plan.Splats = s.Splats
	return Scenario{
		Name: "mcmc splat overflow", Scene: s, Refiner: mcmc.Record, Prepare: start(kernel.Control{Step: 100, Splats: 2300}),
		Programs: refineThenStep, Shows: "a splat overflow", Shown: splatOverflow,
	}
}

// adcScene has splats to prune (a share of dead), to clone and to split.
func adcScene(dead float64, threshold float32) *Scene {
	s := refineScene(31, 2300, 3800)
	s.Schedule.Strategy = kernel.StrategyADC
	s.Schedule.GrowGrad, s.Schedule.GrowScale, s.Schedule.PruneScale = threshold, 0.2, 0.28
	s.Schedule.ResetEvery, s.Schedule.ResetOpacity = 50, 0.4
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range s.Splats {
		if rng.Float64() < dead {
			s.SetOpacity(i, -5)
		}
	}
	return s
}

// withStats is start and densification statistics around 1e-3 a view.
func withStats(c kernel.Control) func(*pipeline.Pipeline) error {
	return func(pl *pipeline.Pipeline) error {
		return errors.Join(start(c)(pl), kernel.WriteSlice(pl.Backend, pl.Stats, 0, randomStats(pl.Stats.Len, 2e-3)))
	}
}

// randomStats makes n numbers of densification statistics: for each splat a sum of
// gradients and the views it was seen in, the mean below most.
func randomStats(n int, most float64) []float32 {
	rng := rand.New(rand.NewPCG(6, 6))
	var data []float32
	for range n / kernel.StatRow {
		views := rng.IntN(4)
		data = append(data, float32(float64(views)*most*rng.Float64()), float32(views))
	}
	return data
}

func adcScenario(name string, dead float64, threshold float32) Scenario {
	s := adcScene(dead, threshold)
	s.Schedule.RevisedOpacity = 1
	return Scenario{
		Name: name, Scene: s, Refiner: adc.Record, Prepare: withStats(kernel.Control{Step: 100, Splats: 2300}), Programs: refineThenStep,
		Shows: "another number of splats and a step",
		Shown: func(c kernel.Control) bool {
			return c.Step == 101 && c.Splats != 2300 && (c.Splats > 2300) == (dead < 0.1) && c.Capped == 0
		},
	}
}

func adcEmptyScenario() Scenario {
	s := adcScene(1, 1e-3)
	return Scenario{
		Name: "adc prunes everything", Scene: s, Refiner: adc.Record, Prepare: withStats(kernel.Control{Step: 100, Splats: 2300}),
		Programs: refineThenStep,
		Shows:    "an empty model",
		Shown:    func(c kernel.Control) bool { return c.Step == 101 && c.Splats == 0 },
	}
}

func adcLimitedScenario() Scenario {
	s := adcScene(0.05, 5e-4)
	s.Schedule.MaxSplats = 2400
	return Scenario{
		Name: "adc limited", Scene: s, Refiner: adc.Record, Prepare: withStats(kernel.Control{Step: 100, Splats: 2300}), Programs: refineThenStep,
		Shows: "the limit",
		Shown: func(c kernel.Control) bool { return c.Splats == 2400 && c.Capped > 0 && c.Step == 101 },
	}
}

func adcOverflowScenario() Scenario {
	s := adcScene(0.02, 5e-4)
	s.Plan.Splats = s.Splats
	return Scenario{
		Name: "adc splat overflow", Scene: s, Refiner: adc.Record, Prepare: withStats(kernel.Control{Step: 100, Splats: 2300}),
		Programs: refineThenStep, Shows: "a splat overflow", Shown: splatOverflow,
	}
}
