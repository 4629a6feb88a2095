package vulkan

import (
	"testing"

	"splat/internal/kernel"
)

// What the driver tells is told for every kernel of every program, without changing the
// pipelines in use; where it tells nothing the list is empty.
func TestDescribe(t *testing.T) {
	be := openTest(t, Options{Profile: true})
	pl := load(t, be, playScene(kernel.StrategyMCMC, 16, 16))
	list, err := be.Describe()
	must(t, err)
	if !be.info.Features.PipelineExecutable {
		if list != nil {
			t.Errorf("%+v", list)
		}
		return
	}
	known := map[string]bool{}
	for _, c := range list {
		known[c.Kernel] = true
		if c.Subgroup == 0 && len(c.Facts) == 0 {
			t.Errorf("nothing of %s", c.Kernel)
		}
	}
	for i := range pl.StepProgram.Recording().Dispatches {
		if key := be.pipelines.key(&pl.StepProgram.Recording().Dispatches[i]); !known[key] {
			t.Errorf("%s is missing", key)
		}
	}
	play(t, pl, 2)
}
