package strategy_test

import (
	"strings"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/null"
	"splat/internal/pipeline"
	"splat/internal/train/strategy"
)

func TestByName(t *testing.T) {
	for name, id := range map[string]uint32{"mcmc": kernel.StrategyMCMC, "adc": kernel.StrategyADC} {
		s, err := strategy.ByName(name)
		if err != nil || s.Name != name || s.ID != id || s.Refiner == nil {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	if _, err := strategy.ByName("magic"); err == nil || !strings.Contains(err.Error(), `"magic"`) {
		t.Errorf("an unknown strategy: %v", err)
	}
}

// TestRefinesEndWithTheirCommit: begin is first and end last, so that whatever
// stops a refine on the way leaves the count alone.
func TestRefinesEndWithTheirCommit(t *testing.T) {
	for _, name := range []string{"mcmc", "adc"} {
		s, err := strategy.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		pl, err := pipeline.New(null.New(), pipeline.Plan{Splats: 10, Pairs: 10, Views: 1, Pixels: 1, Tiles: 1, TargetPixels: 1, Training: true, Window: 11}, s.Refiner)
		if err != nil {
			t.Fatal(err)
		}
		list := pl.RefineProgram.Recording().Dispatches
		if first, last := list[0].Kernel, list[len(list)-1].Kernel; first != kernel.RefineBegin || last != kernel.RefineEnd {
			t.Errorf("%s: from %s to %s", name, first.Name, last.Name)
		}
	}
}
