package kerneltest

import (
	"math"

	"splat/internal/kernel"
	"splat/internal/pipeline"
	"splat/internal/train/strategy/mcmc"
)

// nastyScenarios are models and pictures at the ends of what there can be.
func nastyScenarios() []Scenario {
	return []Scenario{
		noSplatsScenario(), oneSplatScenario(), poisonScenario(),
		saving(shapeScenario("one pixel", 1, 1)), saving(shapeScenario("wide", 4097, 3)), shapeScenario("tall", 3, 4097),
		saving(CrowdedScenario(5000)),
	}
}

// done says that so many steps were done.
func done(steps uint32) func(kernel.Control) bool {
	return func(c kernel.Control) bool { return c.Step == steps && c.Overflow == 0 && c.NonFinite == 0 }
}

// noSplatsScenario trains and refines nothing at all.
func noSplatsScenario() Scenario {
	s := refineScene(61, 1, 10)
	s.Splats = 0
	return Scenario{
		Name: "no splats", Scene: s, Refiner: mcmc.Record, Prepare: start(kernel.Control{Step: 100}), Programs: refineThenStep,
		Shows: "a step and a refine of an empty model",
		Shown: func(c kernel.Control) bool { return done(101)(c) && c.Splats == 0 && c.LastRefine == 100 },
	}
}

func oneSplatScenario() Scenario {
	s := NewScene(62, 1, 20, 20, 3)
	copy(s.Geom, []float32{0, 0, 0})
	return Scenario{
		Name: "one splat", Scene: s, Prepare: start(kernel.Control{Step: 4, Splats: 1}), Programs: steps(2),
		Shows: "two steps of one splat", Shown: done(6),
	}
}

// poisons are numbers that no model should hold.
func poisons() []float32 {
	return []float32{
		float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.Float32frombits(0xFFFFFFFF),
		math.Float32frombits(1), math.Float32frombits(0x807FFFFF), 0, float32(math.Copysign(0, -1)),
	}
}

// huge are finite numbers that become 0 or infinite as a scale or an opacity. Elsewhere
// what comes of them depends on the range of reals.
func huge() []float32 { return []float32{math.MaxFloat32, -math.MaxFloat32, 1e20, -1e20} }

// poisonScenario draws a model that has every poison in every number of some splat.
func poisonScenario() Scenario {
	stride := 3 * kernel.Coefficients(1)
	numbers := kernel.GeomRow + stride
	s := NewScene(63, 100+len(poisons())*numbers+4*len(huge()), 45, 35, 1)
	i := 50
	for _, p := range poisons() {
		for k := range numbers {
			if k < kernel.GeomRow {
				s.Geom[i*kernel.GeomRow+k] = p
			} else {
				s.SH[i*stride+k-kernel.GeomRow] = p
			}
			i++
		}
	}
	for _, p := range huge() {
		for _, k := range []int{kernel.GeomScale, kernel.GeomScale + 1, kernel.GeomScale + 2, kernel.GeomOpacity} {
			s.Geom[i*kernel.GeomRow+k] = p
			i++
		}
	}
	return Scenario{
		Name: "poison", Scene: s,
		Programs: func(pl *pipeline.Pipeline) []kernel.Program { return []kernel.Program{pl.RenderProgram} },
		Shows:    "a rendering that leaves poisoned splats out", Shown: done(0),
	}
}

// shapeScenario trains on pictures of w x h pixels.
func shapeScenario(name string, w, h int) Scenario {
	s := NewScene(64, 60, w, h, 1)
	v := &s.Views[0]
	v.Fx, v.Fy = 20, 24
	if w*h > 1 {
		v.Fx = float32(max(w, h)) / 4
		v.Fy = v.Fx
	}
	s.Plan.Pairs = 60 * s.Plan.Tiles
	return Scenario{
		Name: name, Scene: s, Prepare: start(kernel.Control{Step: 4, Splats: 60}), Programs: steps(1),
		Shows: "a step of a picture of an odd shape", Shown: done(5),
	}
}

// CrowdedScenario trains n faint splats that all lie in one tile.
func CrowdedScenario(n int) Scenario {
	s := NewScene(65, n, 16, 16, 1)
	for i := range n {
		for k := range 3 {
			s.Geom[i*kernel.GeomRow+kernel.GeomMean+k] *= 0.3
		}
		for k := range 3 { // not all alike: what cancels has no digits to compare
			s.Geom[i*kernel.GeomRow+kernel.GeomScale+k] += 0.5
		}
		s.SetOpacity(i, -4)
	}
	s.Plan.Pairs = n
	return Scenario{
		Name: "one tile", Scene: s, Prepare: start(kernel.Control{Step: 4, Splats: uint32(n)}), Programs: steps(1),
		Shows: "a step with all splats in one tile",
		Shown: func(c kernel.Control) bool { return done(5)(c) && int(c.PeakPairs) > n*9/10 },
	}
}
