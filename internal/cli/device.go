package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"splat/internal/backend"
	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/kernel"
	"splat/internal/sysinfo"
	"splat/internal/vec"
)

// chooseDevice checks that the configured device exists and returns a line that
// says which one is used and why. It opens none.
func chooseDevice(cfg config.Run) (string, error) {
	choice, err := backend.Choose(cfg.Backend)
	if err != nil {
		return "", noDevice(err)
	}
	return deviceLine(choice, cfg), nil
}

// deviceLine says what was chosen and why.
func deviceLine(c backend.Choice, cfg config.Run) string {
	line := "device: " + wordOf(c) + ", " + c.Name
	if c.Kind == "cpu" {
		line = fmt.Sprintf("device: cpu, %s (%s), instruction path %s", processorName(), plural(threadsOf(cfg), "thread"), vec.Path())
	}
	if c.Reason != "" {
		line += "; auto: " + c.Reason
	}
	return line
}

// wordOf is the chosen device as --device takes it.
func wordOf(c backend.Choice) string {
	if c.Kind == "cpu" {
		return "cpu"
	}
	return vulkanWord(c.Index)
}

func vulkanWord(index int) string { return fmt.Sprintf("vulkan:%d", index) }

func processorName() string {
	if name, _ := sysinfo.Processor(); name != "" {
		return name
	}
	return runtime.GOARCH
}

// noDevice adds to the error of a device that is not there where drivers were looked
// for, where that is the trouble, and what to do. Other errors pass.
func noDevice(err error) error {
	switch {
	case fault.ExitCode(err) != int(fault.Device):
		return err
	case errors.Is(err, backend.ErrNoDevice):
		return fault.Devicef("%w; tried %s; install a driver with Vulkan, or use --device cpu", err, triedDrivers(os.Getenv, sysinfo.ReadVulkan()))
	}
	return fault.Devicef("%w; splat doctor lists the devices; or use --device cpu", err)
}

// triedDrivers names the drivers that the loader looks at: those of a variable, else
// those that are installed.
func triedDrivers(getenv func(string) string, found sysinfo.Vulkan) string {
	for _, name := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"} {
		if value := getenv(name); value != "" {
			return name + "=" + value
		}
	}
	var files []string
	for _, d := range found.Drivers {
		files = append(files, d.Manifest)
	}
	if len(files) == 0 {
		return "the usual folders, which name no driver"
	}
	return join(files, ", ")
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
	word    string // as --device takes it
	threads bool   // the number of threads means something to it
	open    func(threads int) (kernel.Backend, error)
}

// devices lists what the configuration lets the self-test try: for auto, every
// device of the machine that can be used, software too.
func devices(cfg config.Run) ([]device, error) {
	if cfg.Backend.Device != "auto" {
		choice, err := backend.Choose(cfg.Backend)
		if err != nil {
			return nil, noDevice(err)
		}
		return []device{deviceOf(wordOf(choice))}, nil
	}
	var list []device
	gpus, _ := backend.Inspect() // without any, the CPU is left
	for i := range gpus {
		if gpus[i].Unusable == "" {
			list = append(list, deviceOf(vulkanWord(i)))
		}
	}
	return append(list, deviceOf("cpu")), nil
}

func deviceOf(word string) device {
	return device{word, word == "cpu", func(threads int) (kernel.Backend, error) {
		return backend.Open(config.Backend{Device: word, Threads: threads})
	}}
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
