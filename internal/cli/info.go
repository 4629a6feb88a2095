package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/lab"
	"splat/internal/splatio"
)

func (a *app) infoCommand() *cobra.Command {
	var strict bool
	var plan planFlags
	cmd := a.command(&cobra.Command{
		Use:   "info PATH [flags]",
		Short: "what a capture or a splat file holds, and what is wrong with it",
		Long: "Shows what a capture, a splat file or the splats of a run folder hold, and what is odd\n" +
			"about them. Nothing is changed. --plan adds the memory that a training would need, for the\n" +
			"flags that train would get.",
		Example: "  splat info garden\n  splat info runs/garden/splats.ply --json\n  splat info garden --strict --quiet\n" +
			"  splat info garden --plan --max-splats 2000000 --downscale 2",
		Args: arguments(1, 1, "one capture or splat file"),
		RunE: func(_ *cobra.Command, args []string) error {
			warnings, err := a.info(args[0], plan)
			if err == nil && strict && len(warnings) > 0 {
				return fault.Dataf("%s: %s, and --strict is on; the first: %s", args[0], plural(len(warnings), "warning"), warnings[0])
			}
			return err
		},
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	boolFlag(fs, &strict, "strict", "", groupCommand, "warnings fail (exit code 3)")
	plan.add(a, fs)
	return cmd
}

// info prints what path holds and returns the warnings.
func (a *app) info(path string, plan planFlags) ([]string, error) {
	path, note, err := local(path)
	if err != nil {
		return nil, err
	}
	if note != "" {
		a.log.note(note)
	}
	if err := plan.check(a.flags); err != nil {
		return nil, err
	}
	cfg, err := a.resolve(plan.source(path))
	if err != nil {
		return nil, err
	}
	if err := checkDevice(cfg); err != nil {
		return nil, err
	}
	if isModel(path) {
		if plan.on {
			return nil, fault.Usagef("%s: holds splats; --plan wants a capture to train on", path)
		}
		return a.infoSplats(path)
	}
	capture, err := lookAtCapture(cfg)
	if err != nil {
		return nil, err
	}
	if !plan.on {
		return a.infoCapture(capture, nil, "")
	}
	memory, warning, err := planMemory(cfg, capture)
	if err != nil {
		return nil, err
	}
	return a.infoCapture(capture, memory, warning)
}

// isModel tells splats from captures: a run folder, the folder of an unpacked SOG, or
// a file with the extension of a splat format.
func isModel(path string) bool {
	if isDir(path) {
		return lab.Is(path) || splatio.IsSplatFolder(path)
	}
	return splatio.IsSplatFile(path)
}

// captureDoc is info's JSON document of a capture.
type captureDoc struct {
	dataset.Info
	Plan *memoryDoc `json:"plan,omitempty"`
}

// infoCapture prints a capture, with the plan and its warning where they are
// wanted.
func (a *app) infoCapture(c *dataset.Capture, plan *memoryDoc, warning string) ([]string, error) {
	info := c.Info()
	if warning != "" {
		info.Warnings = append(info.Warnings, warning)
	}
	a.print("capture    %s", c.Root)
	a.print("format     %s", info.Format)
	a.print("views      %d: %d training, %d test", info.Views, info.Train, info.Test)
	a.print("points     %d", info.Points)
	for _, cam := range info.Cameras {
		a.print("camera %-3d %s %d x %d", cam.ID, cam.Model, cam.Width, cam.Height)
	}
	for _, n := range c.Notes {
		a.print("note       %s", n)
	}
	if plan != nil {
		a.printPlan(plan)
	}
	a.printWarnings(info.Warnings)
	return info.Warnings, a.document(captureDoc{info, plan})
}

func (a *app) infoSplats(path string) ([]string, error) {
	m, err := openSplats(path)
	if err != nil {
		return nil, err
	}
	info := m.info
	a.print("splats     %s", m.path)
	a.print("format     %s", info.Format)
	a.print("count      %d", info.Splats)
	a.print("SH degree  %d", info.SHDegree)
	a.print("mode       %s", map[bool]string{true: "antialiased", false: "classic"}[info.Antialiased])
	a.print("bounds     %s to %s", pointText(info.Bounds[0]), pointText(info.Bounds[1]))
	a.print("non-finite %d", info.NonFinite)
	a.printWarnings(info.Warnings)
	return info.Warnings, a.document(info)
}

func (a *app) printWarnings(warnings []string) {
	for _, w := range warnings {
		a.print("warning    %s", w)
	}
}

func pointText(p [3]float64) string { return fmt.Sprintf("(%.4g, %.4g, %.4g)", p[0], p[1], p[2]) }
