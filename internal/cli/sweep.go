package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"splat/internal/backend"
	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/lab"
	"splat/internal/sweep"
)

// sweepFlags are the flags of sweep beside those of the configuration.
type sweepFlags struct {
	from                     configFlags
	vary                     []string
	list, out, devices, sort string
}

func (a *app) sweepCommand() *cobra.Command {
	o := sweepFlags{sort: "psnr"}
	cmd := a.command(&cobra.Command{
		Use:   "sweep DATA... --vary KEY=A,B,C [flags]",
		Short: "train with many settings on one or more captures",
		Long: "Trains once for every combination of the values given, on every capture, and compares what\n" +
			"came out: a table a capture and of the means, and a plot of quality against time.\n\n" +
			"--vary takes any key of the configuration, or preset; values that hold commas themselves are\n" +
			"separated by semicolons. --list takes combinations that are no grid. All other settings are\n" +
			"those of train and the same for all runs.\n\n" +
			"Each run is a process of its own with a run folder of its own in --out. The same command\n" +
			"goes on with a sweep that was interrupted or killed: complete runs are kept, a half one goes\n" +
			"on from its checkpoint. Other settings in the same folder are refused.",
		Example: "  splat sweep lego --vary loss.ssim_lambda=0.1,0.2,0.3 --vary strategy.name=mcmc,adc --out sweeps/loss\n" +
			"  splat sweep lego garden --list runs.toml --steps 7000 --devices vulkan:0,vulkan:1 --sort seconds",
		Args: arguments(1, 1000, "one or more captures"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.sweep(cmd.Context(), o, args) },
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	listFlag(fs, &o.vary, "vary", "KEY=A,B,C", groupCommand, "values of one key; may be repeated for other keys: every combination is trained")
	stringFlag(fs, &o.list, "list", "FILE.toml", groupCommand, "settings of runs, a [[run]] each, instead of a grid or times it")
	stringFlag(fs, &o.out, "out", "DIR", groupCommand, "folder of the sweep; default runs/<date>-sweep-<capture>")
	stringFlag(fs, &o.devices, "devices", "NAME,NAME", groupCommand, "devices that train at the same time, one run each; default the one of --device")
	stringFlag(fs, &o.sort, "sort", "psnr|seconds|splats", groupCommand, "order of the tables (default psnr)")
	o.from.add(fs)
	a.fieldFlags(fs, "train", "model", "strategy", "loss", "optim", "eval", "data", "backend")
	return cmd
}

func (a *app) sweep(ctx context.Context, o sweepFlags, data []string) error {
	if err := sweep.CheckSort(o.sort); err != nil {
		return err
	}
	plan, devices, err := a.sweepPlan(o, data)
	if err != nil {
		return err
	}
	release, err := lab.Lock("sweep folder", plan.Dir)
	if err != nil {
		return err
	}
	defer release()
	if err := plan.Open(); err != nil {
		return err
	}
	todo, err := a.sweepTodo(plan)
	if err != nil {
		return err
	}
	t := &sweepRunner{app: a, plan: plan}
	outcomes := sweep.Schedule(ctx, todo, devices, t.run)
	report, err := plan.Report(o.sort, outcomes)
	if err != nil {
		return err
	}
	if err := report.Save(); err != nil {
		return err
	}
	a.print("%s", report.Table())
	a.print("saved in %s", absolute(plan.Dir))
	return errors.Join(a.document(report), sweepError(ctx, report, plan, outcomes))
}

// sweepPlan resolves every configuration and looks at every device and capture, so
// that what is wrong shows before anything is made or trained.
func (a *app) sweepPlan(o sweepFlags, data []string) (plan *sweep.Plan, devices []string, err error) {
	cases, err := a.sweepCases(o)
	if err != nil {
		return nil, nil, err
	}
	if len(cases) == 1 && len(data) == 1 {
		return nil, nil, fault.Usagef("one configuration and one capture: name several values, --vary KEY=A,B, or several captures")
	}
	resolve := func(c sweep.Case, path string) (config.Run, error) { return a.sweepConfig(o.from, c, path) }
	var first config.Run
	for i, c := range cases {
		cfg, err := resolve(c, data[0])
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			first = cfg
		}
	}
	if devices, err = sweepDevices(o.devices, first.Backend); err != nil {
		return nil, nil, err
	}
	captures, err := a.sweepCaptures(data, first)
	if err != nil {
		return nil, nil, err
	}
	dir := o.out
	if dir == "" {
		if dir, err = lab.NewFolder("sweep-" + captures[0].Name); err != nil {
			return nil, nil, err
		}
	}
	plan, err = sweep.NewPlan(dir, captures, cases, resolve)
	return plan, devices, err
}

// sweepCaptures looks at the captures, with the pictures that the first configuration
// chooses.
func (a *app) sweepCaptures(data []string, cfg config.Run) (list []sweep.Capture, err error) {
	for i, path := range data {
		if slices.Contains(data[:i], path) {
			return nil, fault.Usagef("capture %s: given twice", path)
		}
		cfg.Data.Path = absolute(path)
		capture, err := openCapture(cfg)
		if err != nil {
			return nil, err
		}
		print, err := lab.FingerprintOf(capture)
		if err != nil {
			return nil, err
		}
		list = append(list, sweep.Capture{Path: absolute(path), Fingerprint: print})
		a.log.notef("capture: %s (%s), %d training and %s", path, capture.Format, len(capture.Train()), plural(len(capture.TestViews()), "test view"))
	}
	return list, nil
}

func (a *app) sweepCases(o sweepFlags) ([]sweep.Case, error) {
	var axes []sweep.Axis
	for _, arg := range o.vary {
		axis, err := sweep.ParseAxis(arg)
		if err != nil {
			return nil, err
		}
		axes = append(axes, axis)
	}
	var list []config.Entry
	if o.list != "" {
		var err error
		if list, err = config.ReadList(o.list); err != nil {
			return nil, err
		}
	}
	cases, err := sweep.Cases(list, axes)
	if err != nil {
		return nil, err
	}
	return cases, a.givenAndVaried(o.from, cases)
}

// givenAndVaried refuses a key that is given for all runs and for some.
func (a *app) givenAndVaried(from configFlags, cases []sweep.Case) error {
	fixed := given(from.set, a.flags)
	fixed[sweep.PresetKey] = from.preset != ""
	for _, c := range cases {
		for _, v := range c.Values {
			if fixed[v.Key] {
				return fault.Usagef("%s: given for all runs and among what varies; leave one out", v.Key)
			}
		}
	}
	return nil
}

// sweepConfig is the configuration of one run.
func (a *app) sweepConfig(from configFlags, c sweep.Case, path string) (config.Run, error) {
	src := config.Source{Preset: from.preset, File: from.file, Set: from.set, Flags: slices.Clone(c.Settings)}
	if c.Preset != "" {
		src.Preset = c.Preset
	}
	src.Flags = append(src.Flags, config.Setting{Key: "data.path", Value: absolute(path), Origin: "DATA"})
	cfg, err := a.resolve(src)
	if err != nil {
		return cfg, err
	}
	cfg.Output = config.Output{}
	if cfg.Model.Init != "" {
		cfg.Model.Init = absolute(cfg.Model.Init)
		if _, err := os.Stat(cfg.Model.Init); err != nil {
			return cfg, fault.Unreadable(cfg.Model.Init, err)
		}
	}
	return cfg, nil
}

// sweepDevices checks the devices and returns them as --device takes them.
func sweepDevices(list string, b config.Backend) (words []string, err error) {
	names := []string{b.Device}
	if list != "" {
		names = strings.Split(list, ",")
	}
	for _, name := range names {
		b.Device = strings.TrimSpace(name)
		choice, err := backend.Choose(b)
		if err != nil {
			return nil, noDevice(err)
		}
		word := wordOf(choice)
		if slices.Contains(words, word) {
			return nil, fault.Usagef("--devices %s: %s is there twice, expected each device once: it runs one training at a time", list, word)
		}
		words = append(words, word)
	}
	return words, nil
}

// sweepTodo lists the runs that are not complete.
func (a *app) sweepTodo(plan *sweep.Plan) (todo []sweep.Job, err error) {
	for _, j := range plan.Jobs {
		state, _, err := j.Look()
		if err != nil {
			return nil, err
		}
		if state != sweep.Complete {
			todo = append(todo, j)
		}
	}
	a.log.notef("sweep: %s of %s on %s in %s", plural(len(plan.Jobs), "run"), plural(len(plan.Cases), "configuration"), plural(len(plan.Captures), "capture"), plan.Dir)
	if done := len(plan.Jobs) - len(todo); done > 0 {
		a.log.notef("%d of %s complete already", done, plural(len(plan.Jobs), "run"))
	}
	return todo, nil
}

// sweepRunner trains the jobs of a sweep.
type sweepRunner struct {
	app  *app
	plan *sweep.Plan
}

// busyPause is the time between two looks at a run folder that another process has.
const busyPause = 500 * time.Millisecond

// run trains one job on one device.
func (t *sweepRunner) run(ctx context.Context, j sweep.Job, device string) sweep.Outcome {
	if !t.wait(ctx, j) {
		return sweep.Outcome{Code: int(fault.Interrupted)}
	}
	state, _, err := j.Look()
	if err != nil {
		return failedBy(err)
	}
	if state == sweep.Complete { // by the process that was waited for
		return sweep.Outcome{}
	}
	if err := lab.Prepare(j.Dir, j.Config); err != nil {
		return failedBy(err)
	}
	verb := "begins"
	if state == sweep.Partial {
		verb = "goes on"
	}
	t.app.log.notef("%s %s on %s", j.Name, verb, device)
	out := t.train(ctx, j, "train", j.Config.Data.Path, "--resume", j.Dir, "--device", device)
	if state == sweep.Partial && cannotGoOn(out) {
		t.app.log.warn(fmt.Sprintf("%s cannot go on and begins anew: %s", j.Name, out.Reason))
		out = t.anew(ctx, j, device)
	}
	t.tell(j, out)
	return out
}

// noResult is the reason of a training that ended well and left nothing whole, such as
// one that took damaged splats for its own.
const noResult = "ended without a result of its splats"

// cannotGoOn tells runs that their folder keeps from going on, from those that failed.
func cannotGoOn(out sweep.Outcome) bool {
	return out.Code == int(fault.Usage) || out.Code == int(fault.Data) || out.Reason == noResult
}

// wait waits while another process, left over from a sweep that was killed, writes the
// run; it reports false when ctx ends.
func (t *sweepRunner) wait(ctx context.Context, j sweep.Job) bool {
	for told := false; lab.Busy(j.Dir); told = true {
		if !told {
			t.app.log.notef("%s is being written by another process: waiting for it", j.Name)
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(busyPause):
		}
	}
	return ctx.Err() == nil
}

func failedBy(err error) sweep.Outcome {
	return sweep.Outcome{Code: fault.ExitCode(err), Reason: message(err)}
}

// anew begins a run again from step 0 with the configuration of the plan.
func (t *sweepRunner) anew(ctx context.Context, j sweep.Job, device string) sweep.Outcome {
	file, err := t.plan.ConfigFile(j)
	if err != nil {
		return failedBy(err)
	}
	return t.train(ctx, j, "train", "--config", file, "--out", j.Dir, "--overwrite", "--device", device)
}

// train runs a training as a process and looks at what it left.
func (t *sweepRunner) train(ctx context.Context, j sweep.Job, args ...string) sweep.Outcome {
	log := t.plan.LogFile(j)
	exit, err := runSelf(ctx, log, args...)
	if err != nil {
		return failedBy(err)
	}
	if code := codeOf(exit); code != 0 {
		reason := lastLine(log, "splat: ")
		if exit.Signal != "" {
			reason = exit.String()
		}
		return sweep.Outcome{Code: code, Reason: reason}
	}
	if state, _, err := j.Look(); err != nil || state != sweep.Complete {
		return sweep.Outcome{Code: int(fault.Failed), Reason: noResult}
	}
	return sweep.Outcome{}
}

// tell says how a run went.
func (t *sweepRunner) tell(j sweep.Job, out sweep.Outcome) {
	if out.Code != 0 {
		if out.Code != int(fault.Interrupted) {
			t.app.log.warn(fmt.Sprintf("%s failed with exit code %d: %s; its output is in %s", j.Name, out.Code, out.Reason, t.plan.LogFile(j)))
		}
		return
	}
	if _, res, err := j.Look(); err == nil && res != nil {
		score := ""
		if res.PSNR != nil {
			score = fmt.Sprintf(": PSNR %.2f dB", *res.PSNR)
		}
		t.app.log.notef("%s done%s, %s", j.Name, score, resultText(*res))
	}
}

// toldFailures is how many failures an error names.
const toldFailures = 3

// sweepError is what keeps a sweep from being complete; its kind is that of the first
// run that failed.
func sweepError(ctx context.Context, r *sweep.Report, plan *sweep.Plan, outcomes map[string]sweep.Outcome) error {
	if r.Complete == r.Runs {
		return nil
	}
	code, interrupted := 0, ctx.Err() != nil
	var failures []string
	for _, j := range plan.Jobs {
		switch out := outcomes[j.Name]; {
		case out.Code == int(fault.Interrupted):
			interrupted = true
		case out.Code != 0:
			if code == 0 {
				code = out.Code
			}
			failures = append(failures, j.Name+": "+out.Reason)
		}
	}
	if interrupted {
		return &fault.Error{Kind: fault.Interrupted, Err: fmt.Errorf("interrupted with %d of %d runs complete; the same command with --out %s goes on", r.Complete, r.Runs, shellWord(plan.Dir))}
	}
	if more := len(failures) - toldFailures; more > 0 {
		failures = append(failures[:toldFailures], fmt.Sprintf("and %d more", more))
	}
	return &fault.Error{Kind: fault.Kind(max(code, 1)), Err: fmt.Errorf("%d of %d runs are not complete; %s; logs are in %s", r.Runs-r.Complete, r.Runs, strings.Join(failures, "; "), filepath.Join(plan.Dir, sweep.LogDir))}
}
