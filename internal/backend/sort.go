package backend

import (
	"splat/internal/config"
	"splat/internal/kernel/vulkan"
)

// Sweeps reports whether the lists of a step are sorted by one-sweep on the device that c
// means. The CPU always scans.
func Sweeps(c config.Backend) bool {
	choice, err := Choose(c)
	if err != nil || choice.Kind != "vulkan" {
		return false
	}
	devices, err := Devices()
	return err == nil && sweepsOn(devices[choice.Index], c.Variants.Sort)
}

// sweepsOn is the rule for a Vulkan device. auto sweeps on discrete GPUs, whose blocks run
// side by side and tell each other what they have counted. No driver of an integrated one
// promises that; the result would be right, and late. A processor behind a software
// rasteriser gains nothing.
func sweepsOn(d vulkan.Info, variant string) bool {
	return variant == "onesweep" || variant == "auto" && d.Kind == vulkan.Discrete
}
