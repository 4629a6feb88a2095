package cli

import (
	"fmt"
	"slices"
	"strings"

	"splat/internal/backend"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/train"
)

// arm is one side of an experiment, ready to run.
type arm struct {
	cfg      config.Run
	capture  *dataset.Capture
	pictures *train.Pictures // shared by arms with the same data settings
	plan     train.MemoryPlan
	device   string
}

// SlowEnv names the environment variable that slows a kernel of B, to test what ab finds:
// see config.Backend.Slow.
const SlowEnv = "SPLAT_TEST_SLOW"

// validate makes both arms and refuses, before anything runs, what one of them cannot do.
func (x *experiment) validate(configs [2]config.Run) error {
	configs[1].Backend.Slow = slowForTests()
	for i, cfg := range configs {
		arm, err := prepareArm(cfg, x.arms[0])
		if err == nil {
			err = checkAble(arm, x.changedKeys(configs))
		}
		if err != nil {
			return fmt.Errorf("%s (%s = %s): %w", "AB"[i:i+1], x.plan.Key, x.plan.Values[i], err)
		}
		x.arms[i] = arm
	}
	return x.checkTimed()
}

func (x *experiment) changedKeys(configs [2]config.Run) (keys []string) {
	for _, c := range config.Compare(config.Values(configs[0]), configs[1]) {
		keys = append(keys, c.Key)
	}
	return keys
}

// prepareArm opens the capture, unless the other arm has it, plans the memory and opens
// the device once: whatever is wrong shows here.
func prepareArm(cfg config.Run, other *arm) (*arm, error) {
	device, err := chooseDevice(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Data.Path == "" {
		return nil, fault.Usagef("no capture: name one, splat ab DATA, or set data.path in the configuration")
	}
	out := &arm{cfg: cfg, device: device}
	if other != nil && other.cfg.Data == cfg.Data {
		out.capture, out.pictures = other.capture, other.pictures
	} else {
		if out.capture, err = openCapture(cfg); err != nil {
			return nil, err
		}
		out.pictures = train.NewPictures()
	}
	if out.plan, err = train.Memory(cfg, out.capture); err != nil {
		return nil, err
	}
	be, err := backend.Open(cfg.Backend)
	if err != nil {
		return nil, err
	}
	be.Close()
	return out, nil
}

// checkAble refuses settings that the device of an arm would pass over: the arms would
// do the same, and the comparison would be of one thing with itself.
func checkAble(a *arm, changed []string) error {
	choice, err := backend.Choose(a.cfg.Backend)
	if err != nil {
		return err
	}
	for _, key := range changed {
		if why := unable(a, choice, key); why != "" {
			return fault.Devicef("device %s: cannot do %s = %s: %s", wordOf(choice), key, config.Values(a.cfg)[key], why)
		}
	}
	return nil
}

// unable says why a device passes over a setting, "" where it does not.
func unable(a *arm, choice backend.Choice, key string) string {
	value, normal := config.Values(a.cfg)[key], defaultOf(a.cfg, key)
	switch {
	case key == "backend.targets" && a.cfg.Backend.Targets == "resident" && a.plan.Loading == 0:
		return "the pictures do not fit, and would be uploaded step by step"
	case choice.Kind == "cpu" && value != normal && isForGPU(key):
		return "it is for GPUs; the processor has one way"
	case choice.Kind == "vulkan" && key == "backend.variants.emit" && a.cfg.Backend.Variants.Emit == "subgroup":
		return emulates(choice, "emit")
	case choice.Kind == "vulkan" && key == "backend.profile" && a.cfg.Backend.Profile:
		return withoutTimestamps(choice)
	}
	return ""
}

// isForGPU reports whether the processor passes over a key.
func isForGPU(key string) bool {
	return strings.HasPrefix(key, "backend.variants.") ||
		slices.Contains([]string{"backend.in_flight", "backend.sync", "backend.record", "backend.host", "backend.check", "backend.gpu_from"}, key)
}

func defaultOf(cfg config.Run, key string) string {
	return config.Values(config.Default(cfg.Strategy.Name))[key]
}

// emulates says that a device has no subgroup operations that fit a kernel.
func emulates(choice backend.Choice, kernel string) string {
	facts, err := backend.Inspect()
	if err != nil || choice.Index >= len(facts) || !slices.Contains(facts[choice.Index].Emulated, kernel) {
		return ""
	}
	return "it has no subgroups that fit, they would be emulated through shared memory"
}

// withoutTimestamps says that a device cannot time kernels.
func withoutTimestamps(choice backend.Choice) string {
	facts, err := backend.Inspect()
	if err != nil || choice.Index >= len(facts) || facts[choice.Index].Limits.TimestampBits > 0 {
		return ""
	}
	return "its queue has no timestamps"
}

// checkTimed gives up kernel times where a device has none to give.
func (x *experiment) checkTimed() error {
	for _, arm := range x.arms {
		choice, err := backend.Choose(arm.cfg.Backend)
		if err != nil {
			return err
		}
		if why := withoutTimestamps(choice); choice.Kind == "vulkan" && why != "" && x.plan.Kernels != "none" {
			x.plan.Kernels = "none"
			x.note("kernels are not timed: " + wordOf(choice) + ": " + why)
		}
	}
	return nil
}
