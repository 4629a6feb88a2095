package twin_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
	"splat/internal/kernel/twin"
)

// From leaves to the host what comes before the kernel.
func TestFrom(t *testing.T) {
	for from, first := range map[string]string{
		"rasterize": "rasterize", "emit": "emit", "depth-sort": "sort_count", "loss": "loss",
		"loss.grad": "loss_gradient", "begin": "begin", "commit": "commit",
	} {
		device, host := newSpy(fast()), newSpy(fast())
		pl := load(t, join(t, device, host, twin.Options{From: from}), scenario(t, "smooth cutoff"))
		kerneltest.Submit(t, pl, pl.StepProgram, 1)
		var all []string
		for _, d := range pl.StepProgram.Recording().Dispatches {
			all = append(all, d.Kernel.Name)
		}
		at := slices.Index(all, first)
		if !slices.Equal(host.ran, all[:at]) || !slices.Equal(device.ran, all[at:]) {
			t.Errorf("%s: the host ran %v\nthe device %v", from, host.ran, device.ran)
		}
	}
}

// Bisecting: a wrong kernel shows if and only if the device runs it.
func TestFromFindsAWrongKernel(t *testing.T) {
	sc := scenario(t, "smooth cutoff")
	want := outcome(t, kerneltest.NewCPU(t, cpu.Options{}), sc)
	wrong := func(from string) bool {
		device := &mutant{Backend: fast(), name: "update", binding: "geom", change: set(3, five)}
		return !cmp.Equal(want, outcome(t, join(t, device, fast(), twin.Options{From: from}), sc))
	}
	for from, expected := range map[string]bool{"begin": true, "update": true, "commit": false} {
		if wrong(from) != expected {
			t.Errorf("from %s: the result is wrong: %v, expected %v", from, !expected, expected)
		}
	}
}

// Recordings that do not have the kernel are left to the device.
func TestFromLeavesOtherRecordings(t *testing.T) {
	device, host := newSpy(fast()), newSpy(fast())
	pl := load(t, join(t, device, host, twin.Options{From: "update"}), scenario(t, "mcmc"))
	kerneltest.Submit(t, pl, pl.RefineProgram, 1)
	kerneltest.Submit(t, pl, pl.RenderProgram, 1)
	if len(host.ran) > 0 {
		t.Errorf("the host ran %v", host.ran)
	}
}
