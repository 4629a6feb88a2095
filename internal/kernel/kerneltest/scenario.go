package kerneltest

import (
	"math/rand/v2"
	"testing"

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
	Prepare  func(t testing.TB, pl *pipeline.Pipeline) // more state than the scene has; may be nil
	Programs func(pl *pipeline.Pipeline) []kernel.Program
	Check    func(t testing.TB, pl *pipeline.Pipeline) // that the scenario shows what it is for
}

// Scenarios returns everything that RunAll plays. Together they run every kernel,
// with more splats than a scan block, more pairs than a sort block, and every way
// in which a step or a refine can stop.
func Scenarios() []Scenario {
	return []Scenario{
		stepsScenario(), antialiasedScenario(), smoothScenario(), renderScenario(),
		noopScenario(), pairOverflowScenario(),
		mcmcScenario(), mcmcNothingAliveScenario(), mcmcOverflowScenario(),
		adcScenario("adc shrinking", 0.3, 3e-3), adcScenario("adc growing", 0.02, 5e-4), adcEmptyScenario(),
		adcLimitedScenario(), adcOverflowScenario(),
	}
}

// start is the state of a training under way: moments are not empty, so that an
// update follows the gradient's size and not only its sign.
func start(c kernel.Control) func(testing.TB, *pipeline.Pipeline) {
	return func(t testing.TB, pl *pipeline.Pipeline) {
		t.Helper()
		c.Limit = 1 << 30
		SetControl(t, pl, c)
		for i, b := range []*kernel.Buffer{pl.GeomM, pl.SHM, pl.GeomV, pl.SHV} {
			rng := rand.New(rand.NewPCG(9, uint64(i))) // rows do not depend on the capacity
			data := make([]float32, b.Len)
			for k := range data {
				data[k] = float32(1e-4 * rng.NormFloat64())
				if i >= 2 {
					data[k] = float32(1e-8 * (0.5 + rng.Float64()))
				}
			}
			WriteReals(t, pl, b, data)
		}
	}
}

// WriteReals stores numbers at the start of a real buffer.
func WriteReals(t testing.TB, pl *pipeline.Pipeline, b *kernel.Buffer, data []float32) {
	t.Helper()
	if err := kernel.WriteSlice(pl.Backend, b, 0, data); err != nil {
		t.Fatal(err)
	}
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

// expect checks the device's state at the end.
func expect(what string, ok func(kernel.Control) bool) func(testing.TB, *pipeline.Pipeline) {
	return func(t testing.TB, pl *pipeline.Pipeline) {
		t.Helper()
		if c := Control(t, pl); !ok(c) {
			t.Errorf("the scenario does not show %s: %+v", what, c)
		}
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
		Check: expect("four steps of more pairs than a sort block", func(c kernel.Control) bool {
			return c.Step == 8 && c.PeakPairs > kernel.SortBlock
		}),
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
		Check: expect("two steps", func(c kernel.Control) bool { return c.Step == 12 }),
	}
}

// smoothScenario runs the cutoff that gradient checks use.
func smoothScenario() Scenario {
	s := NewScene(13, 100, 37, 29, 1)
	s.Plan.Smooth = true
	return Scenario{
		Name: "smooth cutoff", Scene: s, Prepare: start(kernel.Control{Step: 10, Splats: 100}), Programs: steps(1),
		Check: expect("a step", func(c kernel.Control) bool { return c.Step == 11 }),
	}
}

func renderScenario() Scenario {
	s := NewScene(14, 200, 45, 70, 3)
	return Scenario{
		Name: "render", Scene: s,
		Programs: func(pl *pipeline.Pipeline) []kernel.Program { return []kernel.Program{pl.RenderProgram} },
		Check:    expect("a rendering that leaves the step alone", func(c kernel.Control) bool { return c.Step == 0 }),
	}
}

// noopScenario runs a step at its limit and a refine that is not due.
func noopScenario() Scenario {
	s := NewScene(15, 100, 40, 40, 1)
	return Scenario{
		Name: "no-op", Scene: s, Refiner: mcmc.Record,
		Prepare: func(t testing.TB, pl *pipeline.Pipeline) {
			SetControl(t, pl, kernel.Control{Step: 3, Limit: 3, Splats: 100})
		},
		Programs: func(pl *pipeline.Pipeline) []kernel.Program {
			return []kernel.Program{pl.StepProgram, pl.RefineProgram}
		},
		Check: expect("a no-op", func(c kernel.Control) bool { return c.Step == 3 && c.Overflow == 0 }),
	}
}

func pairOverflowScenario() Scenario {
	s := NewScene(16, 200, 90, 80, 1)
	s.Plan.Pairs = 64
	return Scenario{
		Name: "pair overflow", Scene: s, Prepare: start(kernel.Control{Step: 10, Splats: 200}), Programs: steps(2),
		Check: expect("a pair overflow", func(c kernel.Control) bool {
			return c.Step == 10 && c.Overflow == kernel.OverflowPairs && c.NeedPairs > 64
		}),
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
		Check: expect("growth and a step", func(c kernel.Control) bool { return c.Splats == 2415 && c.Step == 101 }),
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
		Check: expect("a refine without a source", func(c kernel.Control) bool {
			return c.Splats == 100 && c.LastRefine == 100
		}),
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
		Programs: refineThenStep, Check: expect("a splat overflow", splatOverflow),
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
func withStats(c kernel.Control) func(testing.TB, *pipeline.Pipeline) {
	return func(t testing.TB, pl *pipeline.Pipeline) {
		t.Helper()
		start(c)(t, pl)
		RandomStats(t, pl, 2e-3)
	}
}

func adcScenario(name string, dead float64, threshold float32) Scenario {
	s := adcScene(dead, threshold)
	s.Schedule.RevisedOpacity = 1
	return Scenario{
		Name: name, Scene: s, Refiner: adc.Record, Prepare: withStats(kernel.Control{Step: 100, Splats: 2300}), Programs: refineThenStep,
		Check: expect("another number of splats and a step", func(c kernel.Control) bool {
			return c.Step == 101 && c.Splats != 2300 && (c.Splats > 2300) == (dead < 0.1) && c.Capped == 0
		}),
	}
}

func adcEmptyScenario() Scenario {
	s := adcScene(1, 1e-3)
	return Scenario{
		Name: "adc prunes everything", Scene: s, Refiner: adc.Record, Prepare: withStats(kernel.Control{Step: 100, Splats: 2300}),
		Programs: refineThenStep,
		Check:    expect("an empty model", func(c kernel.Control) bool { return c.Step == 101 && c.Splats == 0 }),
	}
}

func adcLimitedScenario() Scenario {
	s := adcScene(0.05, 5e-4)
	s.Schedule.MaxSplats = 2400
	return Scenario{
		Name: "adc limited", Scene: s, Refiner: adc.Record, Prepare: withStats(kernel.Control{Step: 100, Splats: 2300}), Programs: refineThenStep,
		Check: expect("the limit", func(c kernel.Control) bool { return c.Splats == 2400 && c.Capped > 0 && c.Step == 101 }),
	}
}

func adcOverflowScenario() Scenario {
	s := adcScene(0.02, 5e-4)
	s.Plan.Splats = s.Splats
	return Scenario{
		Name: "adc splat overflow", Scene: s, Refiner: adc.Record, Prepare: withStats(kernel.Control{Step: 100, Splats: 2300}),
		Programs: refineThenStep, Check: expect("a splat overflow", splatOverflow),
	}
}
