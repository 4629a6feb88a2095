package config

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"splat/internal/fault"
)

// check looks at values together; each alone is already in its range.
func check(r *Run, from origins) error {
	return cmp.Or(
		checkBackground(r, from),
		checkDevice(r, from),
		checkSteps(r, from),
		checkOptim(r, from),
		checkWindow(r, from),
		checkRefine(r, from),
	)
}

func checkBackground(r *Run, from origins) error {
	_, _, err := ParseBackground(r.Train.Background)
	if origin, ok := from["train.background"]; ok && err != nil {
		return fault.Usagef("%s: %w", origin, err)
	}
	return err
}

func checkDevice(r *Run, from origins) error {
	if _, _, err := ParseDevice(r.Backend.Device); err != nil {
		return fault.Usagef("%s: %w", from.of("backend.device", r.Backend.Device), err)
	}
	return nil
}

// ParseDevice reads backend.device: the kind is "auto", "cpu" or "vulkan", the
// index that of a Vulkan device, -1 for the best one.
func ParseDevice(s string) (kind string, index int, err error) {
	switch s {
	case "auto", "cpu", "vulkan":
		return s, -1, nil
	}
	if n, ok := strings.CutPrefix(s, "vulkan:"); ok {
		if i, err := strconv.ParseUint(n, 10, 16); err == nil {
			return "vulkan", int(i), nil
		}
	}
	return "", 0, errors.New("unknown device, expected auto, cpu, vulkan or vulkan:N" + meant(Nearest(s, []string{"auto", "cpu", "vulkan"})))
}

func checkSteps(r *Run, from origins) error {
	if r.Train.StopStep > r.Train.Steps {
		return fault.Usagef("%s is beyond %s",
			from.of("train.stop_step", r.Train.StopStep), from.of("train.steps", r.Train.Steps))
	}
	return nil
}

// checkOptim guards the logarithms of the optimiser.
func checkOptim(r *Run, from origins) error {
	o := r.Optim
	if (o.LRMeans > 0) != (o.LRMeansEnd > 0) {
		return fault.Usagef("%s and %s must both be above 0, or both 0: the rate falls exponentially",
			from.of("optim.lr_means", o.LRMeans), from.of("optim.lr_means_end", o.LRMeansEnd))
	}
	return nil
}

// checkRefine wants refining to begin before it ends, unless it is off.
func checkRefine(r *Run, from origins) error {
	s := r.Strategy
	if s.RefineStop > 0 && s.RefineStart > s.RefineStop {
		return fault.Usagef("%s is beyond %s: nothing would be refined; strategy.refine_stop = 0 asks for that",
			from.of("strategy.refine_start", s.RefineStart), from.of("strategy.refine_stop", s.RefineStop))
	}
	return nil
}

func checkWindow(r *Run, from origins) error {
	if r.Loss.SSIMWindow%2 == 0 {
		return fault.Usagef("%s must be odd", from.of("loss.ssim_window", r.Loss.SSIMWindow))
	}
	return nil
}
