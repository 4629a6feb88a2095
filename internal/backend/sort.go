package backend

import (
	"splat/internal/config"
	"splat/internal/kernel/vulkan"
)

// Sweeps reports whether the lists of a step are sorted by one-sweep on the device that c
// means. auto does so on GPUs: their blocks run side by side and tell each other what they
// have counted. A processor, also behind a software rasteriser, runs them one after the
// other and gains nothing; the CPU backend always scans.
func Sweeps(c config.Backend) bool {
	choice, err := Choose(c)
	if err != nil || choice.Kind != "vulkan" || c.Variants.Sort == "scan" {
		return false
	}
	devices, err := Devices()
	return err == nil && (c.Variants.Sort == "onesweep" || devices[choice.Index].Kind != vulkan.Software)
}
