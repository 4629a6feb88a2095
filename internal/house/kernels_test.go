package house

import (
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

func TestKernelsAreComplete(t *testing.T) {
	var names, cases []string
	for _, c := range kernel.Contracts() {
		names = append(names, c.Name)
	}
	for _, c := range kerneltest.Cases() {
		cases = append(cases, c.Kernel)
	}
	if len(names) < 20 {
		t.Fatalf("found %d kernels: these are not all", len(names))
	}
	none(t, repository(t).MissingParts(names, cpu.Has, cases), nil)
}

func TestPlantedKernels(t *testing.T) {
	names, cases := []string{"whole", "bare"}, []string{"whole", "renamed"}
	onCPU := func(name string) bool { return name == "whole" }
	without := plant(t, nil)
	some(t, without.MissingParts(names, onCPU, cases), nil,
		"bare has no CPU function", "bare has no case", "a case for renamed")
	with := plant(t, map[string]string{"shaders/whole.comp": "", "shaders/other.comp": ""})
	some(t, with.MissingParts(names, onCPU, cases), nil,
		"bare has no CPU function", "bare has no case", "a case for renamed", "no shaders/bare.comp")
}
