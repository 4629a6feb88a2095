package cli

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"splat/internal/backend"
	"splat/internal/config"
	"splat/internal/kernel"
	"splat/internal/sysinfo"
	"splat/internal/vec"
)

// noVulkan says why there is no GPU.
const noVulkan = "not built in"

// chooseDevice checks that the configured device exists and returns a line that
// says which one is used and why.
func chooseDevice(cfg config.Run) (string, error) {
	be, err := backend.Open(cfg.Backend)
	if err != nil {
		return "", err
	}
	defer be.Close()
	line := "device: " + be.Name() + ", " + be.Device()
	if be.Name() == "cpu" {
		line += ", instruction path " + vec.Path()
	}
	if cfg.Backend.Device == "auto" {
		line += "; auto, since this build has no GPU backend"
	}
	return line, nil
}

// checkDevice fails where a device is named that is not there. Commands that run
// nothing on a device keep to it too: whoever names one wants to hear of it.
func checkDevice(cfg config.Run) error {
	if cfg.Backend.Device == "auto" {
		return nil
	}
	_, err := chooseDevice(cfg)
	return err
}

// device is one that the self-test can open, with any number of threads.
type device struct {
	word string // as --device takes it
	open func(threads int) (kernel.Backend, error)
}

// devices lists what the configuration lets the self-test try: for auto, every
// device of the machine.
func devices(cfg config.Run) []device {
	word := cfg.Backend.Device
	if word == "auto" {
		word = "cpu"
	}
	return []device{{word, func(threads int) (kernel.Backend, error) {
		return backend.Open(config.Backend{Device: word, Threads: threads})
	}}}
}

// threadsOf is the number of CPU threads that the configuration gives.
func threadsOf(cfg config.Run) int {
	if n := cfg.Backend.Threads; n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// explainPath says why the CPU kernels use the instructions that they use.
func explainPath(path, arch string, features []sysinfo.Feature, godebug string) string {
	if path != vec.PathGo {
		return "the processor has " + strings.Join(strings.Split(path, "+"), " and ")
	}
	if arch != "amd64" {
		return "there are no faster loops for " + arch
	}
	var reasons []string
	for _, name := range strings.Split(vec.PathAVX2, "+") {
		has := slices.Contains(features, sysinfo.Feature{Name: name, Present: true})
		switch off := turnedOff(name, godebug); {
		case off != "":
			reasons = append(reasons, fmt.Sprintf("GODEBUG=%s turns %s off", off, name))
		case !has:
			reasons = append(reasons, "the processor has no "+name)
		}
	}
	if len(reasons) == 0 {
		return "this build has no faster loops"
	}
	return strings.Join(reasons, ", ")
}

// turnedOff returns the part of GODEBUG that turns a processor feature off.
func turnedOff(name, godebug string) string {
	for part := range strings.SplitSeq(godebug, ",") {
		if part == "cpu."+name+"=off" || part == "cpu.all=off" {
			return part
		}
	}
	return ""
}
