package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"splat/internal/config"
	"splat/internal/sysinfo"
)

// report is what doctor finds, and its JSON document.
type report struct {
	Version      string       `json:"version"`
	Go           string       `json:"go"`
	Platform     string       `json:"platform"`
	Revision     string       `json:"revision,omitempty"`
	Devices      []deviceInfo `json:"devices"`
	Vulkan       string       `json:"vulkan"`
	MemoryBytes  uint64       `json:"memory_bytes,omitempty"`
	Environment  []envVar     `json:"environment"`
	Limits       []limit      `json:"limits"`
	Dependencies []module     `json:"dependencies"`
}

type deviceInfo struct {
	Device       string `json:"device"` // as --device takes it
	Name         string `json:"name"`
	Cores        int    `json:"cores,omitempty"`
	Threads      int    `json:"threads"`
	Instructions string `json:"instructions"`
}

type limit struct {
	Key     string `json:"key"`
	Allowed string `json:"allowed"`
}

type module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

func (a *app) doctorCommand() *cobra.Command {
	return a.command(&cobra.Command{
		Use:   "doctor [flags]",
		Short: "devices, environment, limits and build",
		Long: "Shows what splat can use on this machine: devices, memory, the environment variables it\n" +
			"reads, limits, and what it was built from. Add its output to a problem report.",
		Example: "  splat doctor\n  splat doctor --json",
		Args:    arguments(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.resolve(config.Source{})
			if err != nil {
				return err
			}
			device, err := chooseDevice(cfg)
			if err != nil {
				return err
			}
			a.log.detail("%s", device)
			r := examine()
			a.printReport(r)
			return a.document(r)
		},
	})
}

func examine() report {
	r := report{
		Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Vulkan: noVulkan, MemoryBytes: sysinfo.Memory(), Environment: environment(), Limits: limits(), Dependencies: []module{},
	}
	name, cores := sysinfo.Processor()
	if name == "" {
		name = "unknown"
	}
	r.Devices = []deviceInfo{{Device: "cpu", Name: name, Cores: cores, Threads: runtime.GOMAXPROCS(0), Instructions: instructions}}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			r.Dependencies = append(r.Dependencies, module{d.Path, d.Version})
		}
		r.Revision = setting(info, "vcs.revision")
	}
	return r
}

// version returns the version of the module, "devel" where it has none.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

func limits() []limit {
	var list []limit
	for _, key := range []string{"model.max_splats", "model.sh_degree", "train.steps", "data.max_size", "data.downscale", "backend.threads"} {
		f, _ := config.Lookup(key)
		list = append(list, limit{key, f.Range.String()})
	}
	return list
}

func (a *app) printReport(r report) {
	a.print("splat %s (%s, %s)", r.Version, r.Go, r.Platform)
	if r.Revision != "" {
		a.print("revision %s", r.Revision)
	}
	a.print("\nDevices:")
	for _, d := range r.Devices {
		a.print("  %-12s %s, %d cores, %d threads, instruction path %s", d.Device, d.Name, d.Cores, d.Threads, d.Instructions)
	}
	a.print("  %-12s %s", "vulkan", r.Vulkan)
	if r.MemoryBytes > 0 {
		a.print("  %-12s %s", "memory", byteText(r.MemoryBytes))
	}
	a.print("\nEnvironment:")
	for _, v := range r.Environment {
		value := "not set"
		if v.Set {
			value = fmt.Sprintf("%q", v.Value)
		}
		a.print("  %-12s %-18s %s", v.Name, value, v.Meaning)
	}
	a.print("\nLimits:")
	for _, l := range r.Limits {
		a.print("  %-18s %s", l.Key, l.Allowed)
	}
	a.print("\nBuilt from:")
	for _, m := range r.Dependencies {
		a.print("  %s %s", m.Path, m.Version)
	}
}

// byteText writes a size in binary units.
func byteText(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(n), 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + " " + units[i]
}
