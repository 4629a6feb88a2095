package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/hostprof"
	"splat/internal/loadwatch"
	"splat/internal/prof"
	"splat/internal/train"
)

// profileFlags are the flags of profile.
type profileFlags struct {
	from          configFlags
	steps, warmup int
	noRefine      bool
}

// profileSections are the parts of the configuration that profile has flags for. Where a
// run ends and what it writes is its own business.
var profileSections = []string{"train.background", "model", "strategy", "loss", "optim", "data", "backend"}

func (a *app) profileCommand() *cobra.Command {
	f := profileFlags{steps: 200, warmup: 50}
	cmd := a.command(&cobra.Command{
		Use:   "profile DATA [flags]",
		Short: "show where a training step's time goes, kernel by kernel",
		Long: "Trains the first steps on a capture, writes nothing, and prints how long each kernel took, how\n" +
			"much work there was, how near kernels come to what the device can do, and what the host did.\n\n" +
			"On a GPU some of the steps are measured, with timestamps around each dispatch; the others run\n" +
			"as always. docs/profiling.md says how to read the table, and what it cannot tell.",
		Example: "  splat profile lego --steps 300\n" +
			"  splat profile lego --init runs/lego/splats.ply --no-refine --json",
		Args: arguments(1, 1, "one capture"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := f.config(a, args)
			if err != nil {
				return err
			}
			return a.profile(cmd.Context(), cfg, f)
		},
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	intFlag(fs, &f.steps, "steps", 1, 1_000_000, groupCommand, "steps to profile, after the warm-up")
	intFlag(fs, &f.warmup, "warmup", 0, 1_000_000, groupCommand, "steps before, which do not count")
	boolFlag(fs, &f.noRefine, "no-refine", "", groupCommand, "leave refines out, so that the number of splats stays")
	f.from.add(fs)
	a.fieldFlags(fs, profileSections...)
	return cmd
}

// config is the training's, with an end after the steps to profile.
func (f *profileFlags) config(a *app, args []string) (config.Run, error) {
	cfg, err := a.trainConfig(f.from, args)
	if err != nil {
		return cfg, err
	}
	end := f.warmup + f.steps
	if end > cfg.Train.Steps {
		return cfg, fault.Usagef("--warmup %d and --steps %d: %d steps, expected at most train.steps, %d; --set train.steps=N raises it", f.warmup, f.steps, end, cfg.Train.Steps)
	}
	cfg.Train.StopStep, cfg.Train.LogEvery, cfg.Train.SaveEvery = end, end, 0
	cfg.Train.TimeLimit, cfg.Train.PlateauSteps = 0, 0
	cfg.Eval.Skip, cfg.Eval.Every, cfg.Backend.Profile = true, 0, true
	if f.noRefine {
		cfg.Strategy.RefineStart, cfg.Strategy.RefineStop = 0, 0
	}
	return cfg, nil
}

// profileDocument is what --json prints.
type profileDocument struct {
	Capture     string            `json:"capture"`
	Device      string            `json:"device"`
	Backend     string            `json:"backend"`
	Warmup      int               `json:"warmup"`
	Steps       int               `json:"steps"`
	Splats      int               `json:"splats"`
	Profile     prof.Report       `json:"profile"`
	Host        *hostprof.Summary `json:"host,omitempty"`
	Environment loadwatch.Record  `json:"environment"`
}

func (a *app) profile(ctx context.Context, cfg config.Run, f profileFlags) error {
	device, err := chooseDevice(cfg)
	if err != nil {
		return err
	}
	capture, err := openCapture(cfg)
	if err != nil {
		return err
	}
	for _, line := range append([]string{device}, append(captureLines(capture), settingsLines(cfg)...)...) {
		a.log.note(line)
	}
	host, err := a.watchHost(ctx, cfg, "")
	if err != nil {
		return err
	}
	o := &profileObserver{console: a.log, progress: a.log.newProgress()}
	options := train.Options{Config: cfg, Capture: capture, Observer: o, ProfileFrom: f.warmup}
	host.follow(&options)
	x := &extras{warn: a.log.warn, threads: threadsOf(cfg), end: cfg.Train.StopStep}
	options.AtRest = x.after(options.AtRest)
	res, err := a.engine(ctx, options)
	o.progress.stop()
	seen := host.end(res)
	if err = errors.Join(stopCause(ctx, err), host.close()); err != nil {
		return err
	}
	if res.Table == nil {
		return errors.New("nothing was profiled")
	}
	x.complete(res.Table)
	a.print("%s", res.Table.Format())
	a.print("%s", seen.text)
	return a.document(profileDocument{
		Capture: capture.Name, Device: res.Device, Backend: res.Backend, Warmup: f.warmup, Steps: res.Steps - f.warmup,
		Splats: res.Cloud.Len(), Profile: res.Table.Report(), Host: seen.Host, Environment: seen.Environment,
	})
}
