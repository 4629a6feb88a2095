// Package backend opens the device that a configuration asks for.
package backend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/vulkan"
)

// Choice is the device that a configuration means, and why.
type Choice struct {
	Kind   string // "cpu" or "vulkan"
	Index  int    // of a Vulkan device
	Name   string // of a Vulkan device
	Reason string // why auto means this; "" where it was named
}

// ValidateEnv names the environment variable that turns on Vulkan's validation layer.
const ValidateEnv = "SPLAT_VK_VALIDATE"

// machine is the Vulkan devices of this machine, found once a process.
var machine = sync.OnceValues(func() (*vulkan.Machine, error) {
	return vulkan.Probe(os.Getenv(ValidateEnv) == "1")
})

// Devices lists the Vulkan devices of this machine. The error says why there are none.
func Devices() ([]vulkan.Info, error) {
	m, err := machine()
	if err != nil {
		return nil, err
	}
	return m.Devices(), nil
}

// Info is what is known of a Vulkan device.
type Info = vulkan.Info

// Choose finds the device that c means: auto is the best GPU, never a software
// rasteriser, else the CPU; vulkan is the best device, a software one only when alone.
func Choose(c config.Backend) (Choice, error) {
	kind, index, err := config.ParseDevice(c.Device)
	if err != nil {
		return Choice{}, fault.Usagef("backend.device: %w", err)
	}
	if kind == "cpu" {
		return Choice{Kind: "cpu"}, nil
	}
	devices, err := Devices()
	if kind == "auto" {
		return automatic(devices, err), nil
	}
	if err != nil {
		return Choice{}, fault.Devicef("device %s: %w", c.Device, err)
	}
	if index < 0 {
		if index = best(devices, true); index < 0 {
			return Choice{}, fault.Devicef("device %s: none of the %d Vulkan devices can be used: %s", c.Device, len(devices), unusable(devices))
		}
	}
	if index >= len(devices) {
		return Choice{}, fault.Devicef("device %s: Vulkan devices here have numbers 0 to %d", c.Device, len(devices)-1)
	}
	if d := devices[index]; d.Unusable != "" {
		return Choice{}, fault.Devicef("device %s: %s cannot be used: %s", c.Device, d.Name, d.Unusable)
	}
	return Choice{Kind: "vulkan", Index: index, Name: devices[index].Name}, nil
}

// automatic chooses without being told a device.
func automatic(devices []vulkan.Info, err error) Choice {
	if err != nil {
		return Choice{Kind: "cpu", Reason: "no GPU: " + err.Error()}
	}
	if i := best(devices, false); i >= 0 {
		return Choice{Kind: "vulkan", Index: i, Name: devices[i].Name, Reason: "the best GPU"}
	}
	if i := best(devices, true); i >= 0 {
		return Choice{Kind: "cpu", Reason: "the only Vulkan device, " + devices[i].Name + ", is software"}
	}
	return Choice{Kind: "cpu", Reason: "no usable GPU: " + unusable(devices)}
}

// rank orders kinds of devices, the best first.
var rank = map[any]int{vulkan.Discrete: 4, vulkan.Integrated: 3, vulkan.Virtual: 2, vulkan.Software: 0}

// best returns the best usable device, -1 if there is none; of equal ones, the first.
func best(devices []vulkan.Info, software bool) int {
	found, at := -1, -1
	for i, d := range devices {
		r, known := rank[d.Kind]
		if !known {
			r = 1
		}
		if d.Unusable == "" && (software || d.Kind != vulkan.Software) && r > found {
			found, at = r, i
		}
	}
	return at
}

// unusable says what is wrong with each device.
func unusable(devices []vulkan.Info) (text string) {
	for i, d := range devices {
		if i > 0 {
			text += "; "
		}
		text += d.Name + ": " + d.Unusable
	}
	return text
}

// Open returns the backend for c.
func Open(c config.Backend) (kernel.Backend, error) {
	be, err := open(c)
	if err != nil {
		return nil, err
	}
	return withSlow(c, be)
}

func open(c config.Backend) (kernel.Backend, error) {
	choice, err := Choose(c)
	if err != nil {
		return nil, err
	}
	if choice.Kind == "cpu" {
		return cpu.New(cpu.Options{Threads: c.Threads, Profile: c.Profile}), nil
	}
	return openVulkan(c, choice)
}

// openVulkan opens a device and, where kernels are to run on the host, puts the CPU
// beside it.
func openVulkan(c config.Backend, choice Choice) (kernel.Backend, error) {
	m, err := machine()
	if err != nil {
		return nil, fault.Devicef("device %s: %w", c.Device, err)
	}
	be, err := m.Open(choice.Index, vulkan.Options{
		Variants: variantsOf(c), Profile: c.Profile,
		Sync: c.Sync == "kernel", Rerecord: c.Record == "step",
		InFlight: c.InFlight, CacheDir: cacheDir(),
	})
	if err != nil {
		if errors.Is(err, kernel.ErrLost) {
			return nil, err
		}
		return nil, fault.Devicef("device %s: %w", c.Device, err)
	}
	return withHost(c, be)
}

// variantsOf translates the configuration into variants of shaders.
func variantsOf(c config.Backend) map[string]string {
	v := map[string]string{}
	if c.Variants.Emit == "subgroup" {
		v["emit"] = "subgroup"
	}
	if c.Variants.Raster == "f16" {
		for _, k := range []string{"rasterize", "rasterize_saving", "rasterize_backward", "rasterize_backward_buckets"} {
			v[k] = "f16"
		}
	}
	return v
}

// cacheDir is where compiled pipelines are kept; "" where there is no such place.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "splat")
}

// String says what was chosen and why.
func (c Choice) String() string {
	text := c.Kind
	if c.Kind == "vulkan" {
		text = fmt.Sprintf("vulkan:%d, %s", c.Index, c.Name)
	}
	if c.Reason != "" {
		text += "; auto: " + c.Reason
	}
	return text
}
