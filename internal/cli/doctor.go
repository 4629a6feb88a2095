package cli

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"splat/internal/backend"
	"splat/internal/config"
	"splat/internal/sysinfo"
)

// report is what doctor finds, and its JSON document. What the system does not tell
// is absent.
type report struct {
	Version      string         `json:"version"`
	Go           string         `json:"go"`
	Platform     string         `json:"platform"`
	Build        buildInfo      `json:"build"`
	Devices      []deviceInfo   `json:"devices"` // the CPU first
	Auto         autoInfo       `json:"auto"`
	Vulkan       vulkanInfo     `json:"vulkan"`
	Processor    processorInfo  `json:"processor"`
	Instructions pathInfo       `json:"instructions"`
	Memory       memoryInfo     `json:"memory"`
	Container    *containerInfo `json:"container,omitempty"`
	DiskFree     uint64         `json:"disk_free_bytes,omitempty"` // in the current folder
	Load         *loadInfo      `json:"load,omitempty"`
	Programs     []programInfo  `json:"programs"`
	Environment  []envVar       `json:"environment"`
	Limits       []limit        `json:"limits"`
	Variants     []variant      `json:"variants"`
	Dependencies []module       `json:"dependencies"`
	Warnings     []string       `json:"warnings"`
	SelfTest     *selfTest      `json:"selftest,omitempty"`
}

type deviceInfo struct {
	Device       string   `json:"device"` // as --device takes it
	Name         string   `json:"name"`
	Cores        int      `json:"cores,omitempty"`
	Threads      int      `json:"threads,omitempty"`
	Instructions string   `json:"instructions,omitempty"`
	GPU          *gpuInfo `json:"gpu,omitempty"` // of a Vulkan device
}

type limit struct {
	Key     string `json:"key"`
	Allowed string `json:"allowed"`
}

// variant is something that this build can do in more than one way.
type variant struct {
	Name    string   `json:"name"`
	Used    string   `json:"used"`
	Choices []string `json:"choices"`
}

func (a *app) doctorCommand() *cobra.Command {
	var test bool
	cmd := a.command(&cobra.Command{
		Use:   "doctor [flags]",
		Short: "devices, environment, limits and build; --selftest",
		Long: "Shows what splat can use on this machine: devices, processor, memory, other programs, the\n" +
			"environment variables it reads, limits, and what it was built from. Add its output to a\n" +
			"problem report. What the system does not tell is left out.\n\n" +
			"--selftest runs the conformance suite on the devices of this machine, every kernel against\n" +
			"the readable reference, and a small training twice, which must give the same bytes. That\n" +
			"takes some seconds a device; --device tests only one. Where something differs the exit\n" +
			"code is 1.",
		Example: "  splat doctor\n  splat doctor --selftest\n  splat doctor --selftest --json > report.json",
		Args:    arguments(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.resolve(config.Source{})
			if err != nil {
				return err
			}
			chosen, err := chooseDevice(cfg)
			if err != nil {
				return err
			}
			a.log.detail("%s", chosen)
			return a.doctor(cfg, test)
		},
	})
	boolFlag(cmd.Flags(), &test, "selftest", "", groupCommand, "check every kernel on this machine's devices; exit code 1 where one differs")
	return cmd
}

// doctor reports on the machine and, where asked to, tests it. A test that fails is
// in the document and the error.
func (a *app) doctor(cfg config.Run, test bool) error {
	r := examine(cfg)
	a.printReport(r)
	if !test {
		return a.document(r)
	}
	list, err := devices(cfg)
	if err != nil {
		return err
	}
	result := a.runSelfTest(list, cfg)
	r.SelfTest = &result
	if err := a.document(r); err != nil {
		return err
	}
	return result.failure()
}

func examine(cfg config.Run) *report {
	r := &report{
		Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Build: build(), Memory: memory(), Container: container(), Load: load(), Programs: programs(),
		Environment: environment(), Limits: limits(), Dependencies: dependencies(),
	}
	r.DiskFree, _ = sysinfo.DiskFree(".")
	cpu := sysinfo.ReadCPU()
	r.Instructions = instructionPath(cpu.Features, os.Getenv("GODEBUG"))
	r.Processor = processor(cpu, r.Instructions.Path)
	r.Variants = append([]variant{{"instructions", r.Instructions.Path, r.Instructions.Choices}}, gpuVariants(cfg)...)
	r.Devices = []deviceInfo{{
		Device: "cpu", Name: r.Processor.Name, Cores: cpu.Cores, Threads: threadsOf(cfg), Instructions: r.Instructions.Path,
	}}
	gpus, err := backend.Inspect()
	r.Vulkan, r.Auto = vulkan(err), automatic()
	for i := range gpus {
		r.Devices = append(r.Devices, gpuDevice(i, &gpus[i]))
	}
	r.Warnings = warnings(r)
	return r
}

func limits() []limit {
	var list []limit
	for _, key := range []string{"model.max_splats", "model.sh_degree", "train.steps", "data.max_size", "data.downscale", "backend.threads"} {
		f, _ := config.Lookup(key)
		list = append(list, limit{key, f.Range.String()})
	}
	return list
}

// dependencies lists the modules that the program is built from.
func dependencies() []module {
	list := []module{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			list = append(list, module{d.Path, d.Version})
		}
	}
	return list
}
