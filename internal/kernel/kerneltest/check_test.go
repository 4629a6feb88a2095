package kerneltest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
)

// The CPU as users run it passes, kernel by kernel.
func TestCheckOfTheCPU(t *testing.T) {
	var seen []string
	r := Check(NewCPU(t, cpu.Options{}), Options{Watch: func(p Progress) {
		seen = append(seen, p.Scenario)
		if p.Dispatches == 0 || len(p.Failures) > 0 || p.Done != len(seen) || p.Of != len(Scenarios()) {
			t.Errorf("%+v", p)
		}
	}})
	if !r.OK() || len(seen) != len(Scenarios()) {
		t.Errorf("failed %v, problems %v, scenarios %v", r.Failed(), r.Problems, seen)
	}
	if len(r.Kernels) != len(kernel.Contracts()) {
		t.Errorf("%d kernels in the report, expected %d", len(r.Kernels), len(kernel.Contracts()))
	}
	for _, k := range r.Kernels {
		if k.Dispatches == 0 || k.Failed > 0 || k.Closest.Error > k.Closest.Tolerance {
			t.Errorf("%+v", k)
		}
	}
}

func TestCheckBlamesTheKernel(t *testing.T) {
	be := mutant{NewCPU(t, cpu.Options{}), "rasterize", words("image", column(2, 4, zero))}
	r := Check(be, Options{})
	if !slices.Equal(r.Failed(), []string{"rasterize"}) || r.OK() {
		t.Fatalf("failed %v, problems %v", r.Failed(), r.Problems)
	}
	for _, k := range r.Kernels {
		if (k.Kernel == "rasterize") != (k.Failed > 0) || (k.Failed > 0) != (k.Closest.Error > k.Closest.Tolerance) {
			t.Errorf("%+v", k)
		}
		if k.Failed > 0 && !strings.HasPrefix(k.Failures[0], "steps, rasterize: image: ") {
			t.Errorf("failures %q", k.Failures)
		}
	}
}

func TestCheckAgainstAnotherReference(t *testing.T) {
	double := Options{Reference: func() kernel.Backend { return cpu.New(cpu.Options{Float64: true}) }, Scenarios: []Scenario{smoothScenario()}}
	ran := func(r *Report) (failed bool) {
		for _, k := range r.Kernels {
			failed = failed || k.Failed > 0
		}
		return failed
	}
	if ran(Check(NewCPU(t, cpu.Options{}), double)) {
		t.Error("float32 differs from float64 by more than the tolerances")
	}
	double.Exact = true
	if !ran(Check(NewCPU(t, cpu.Options{}), double)) {
		t.Error("float32 and float64 are the same bits: nothing was compared")
	}
}

// tiny is a backend that has no memory for anything large.
type tiny struct{ kernel.Backend }

func (b tiny) Alloc(buf *kernel.Buffer) error {
	if buf.Bytes() > 1<<16 {
		return errors.New("out of memory")
	}
	return b.Backend.Alloc(buf)
}

func TestCheckTellsWhatCannotBePlayed(t *testing.T) {
	r := Check(tiny{NewCPU(t, cpu.Options{})}, Options{Scenarios: []Scenario{stepsScenario()}})
	if r.OK() || len(r.Problems) != 1 || !strings.HasPrefix(r.Problems[0], "scenario steps: out of memory") {
		t.Errorf("problems %q", r.Problems)
	}
	pointless := renderScenario()
	pointless.Shown = func(kernel.Control) bool { return false }
	r = Check(NewCPU(t, cpu.Options{}), Options{Scenarios: []Scenario{pointless}})
	if r.OK() || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "does not show a rendering") {
		t.Errorf("problems %q", r.Problems)
	}
	r = Check(NewCPU(t, cpu.Options{}), Options{Scenarios: []Scenario{renderScenario()}})
	if r.OK() || !slices.Contains(r.Problems, "no scenario runs kernel adc_mark") {
		t.Errorf("problems %q", r.Problems)
	}
}

func TestSameBytes(t *testing.T) {
	if different, err := SameBytes(NewCPU(t, cpu.Options{Threads: 1}), NewCPU(t, cpu.Options{Threads: 3})); err != nil || len(different) > 0 {
		t.Errorf("different %v, error %v", different, err)
	}
	odd := mutant{NewCPU(t, cpu.Options{}), "update", word("geom", 0, func(w uint32) uint32 { return w ^ 1 })}
	different, err := SameBytes(NewCPU(t, cpu.Options{}), odd)
	if err != nil || !slices.Contains(different, "geom") {
		t.Errorf("different %v, error %v", different, err)
	}
	if _, err := SameBytes(NewCPU(t, cpu.Options{}), tiny{NewCPU(t, cpu.Options{})}); err == nil {
		t.Error("a backend without memory was compared")
	}
}

// The small training does what it is for: it changes the number of splats.
func TestSmallTrainingRefines(t *testing.T) {
	sc := smallTraining()
	pl := sc.Scene.Load(t, NewCPU(t, cpu.Options{}), sc.Refiner)
	must(t, sc.Prepare(pl))
	before := Control(t, pl)
	must(t, trainOn(pl))
	after := Control(t, pl)
	if after.Step != before.Step+12 || after.Splats == before.Splats || after.LastRefine != 108 || after.Overflow != 0 {
		t.Errorf("from %+v to %+v", before, after)
	}
}
