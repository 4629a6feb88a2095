package backend

import (
	"testing"

	"splat/internal/config"
	"splat/internal/kernel/vulkan"
)

func TestSweeps(t *testing.T) {
	soft, small, big := vulkan.Info{Kind: vulkan.Software}, vulkan.Info{Kind: vulkan.Integrated}, vulkan.Info{Kind: vulkan.Discrete}
	for _, c := range []struct {
		device  vulkan.Info
		variant string
		want    bool
	}{
		{soft, "auto", false}, {small, "auto", false}, {big, "auto", true},
		{soft, "onesweep", true}, {big, "onesweep", true}, {big, "scan", false},
	} {
		if got := sweepsOn(c.device, c.variant); got != c.want {
			t.Errorf("%v, %s: found %v", c.device.Kind, c.variant, got)
		}
	}
	if Sweeps(config.Backend{Device: "cpu", Variants: config.Variants{Sort: "onesweep"}}) {
		t.Error("the CPU sweeps")
	}
}
