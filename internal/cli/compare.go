package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"splat/internal/compare"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/lab"
)

// compareFlags are the flags of compare beside those of the configuration.
type compareFlags struct {
	from                         configFlags
	cmd, model, name, out, split string
	runs                         []string
}

func (a *app) compareCommand() *cobra.Command {
	var o compareFlags
	cmd := a.command(&cobra.Command{
		Use:   "compare DATA --cmd '...' --model OUT.ply [flags]",
		Short: "run another trainer and put it beside this one",
		Long: "Runs another trainer's command on a capture, times it, measures its splats as splat eval does,\n" +
			"and puts it beside a training of this program: the one of --run, or one with the settings\n" +
			"given, as for train.\n\n" +
			"In the command, which the shell runs, {data} stands for the capture, {out} for a folder of the\n" +
			"trainer's own, {init} for the file of --init, and {steps} for --steps. --model may have them too.\n" +
			"Both trainers are measured on the same views, with the same background.",
		Example: "  splat compare garden --cmd 'brush {data} --total-train-iters {steps} --export-path {out}' --model '{out}/export_30000.ply' --preset brush\n" +
			"  splat compare garden --cmd './train.sh {data} {init} {out}' --model '{out}/splats.ply' --init init.ply --run runs/garden",
		Args: arguments(1, 1, "one capture"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.compare(cmd.Context(), o, args[0]) },
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	stringFlag(fs, &o.cmd, "cmd", "COMMAND", groupCommand, "command line of the other trainer; {data} {out} {init} {steps} are filled in")
	stringFlag(fs, &o.model, "model", "FILE", groupCommand, "splat file that the command writes; {out} and the others are filled in")
	stringFlag(fs, &o.name, "name", "NAME", groupCommand, "what to call the other trainer; default the first word of its command")
	listFlag(fs, &o.runs, "run", "RUN", groupCommand, "run folder to compare with, instead of training; may be repeated")
	stringFlag(fs, &o.out, "out", "DIR", groupCommand, "folder of the comparison; default runs/<date>-compare-<capture>")
	stringFlag(fs, &o.split, "split", "all|train|test", groupCommand, "views to measure; default test where there are test views, else all")
	o.from.add(fs)
	a.fieldFlags(fs, "train", "model", "strategy", "loss", "optim", "eval", "data", "backend")
	return cmd
}

// comparison is a comparison under way.
type comparison struct {
	app     *app
	flags   compareFlags
	cfg     config.Run
	capture *dataset.Capture
	device  string // as --device takes it
	dir     string
	fill    map[string]string // of placeholders
	report  compare.Report
}

func (a *app) compare(ctx context.Context, o compareFlags, data string) error {
	c, err := a.newComparison(o, data)
	if err != nil {
		return err
	}
	release, err := lab.Lock("folder", c.dir)
	if err != nil {
		return err
	}
	defer release()
	other, err := c.runOther(ctx)
	if err != nil {
		return err
	}
	c.report.Trainers = append(c.report.Trainers, *other)
	own, err := c.own(ctx)
	if err != nil {
		return err
	}
	c.report.Trainers = append(c.report.Trainers, own...)
	c.report.Compare()
	c.checkFair()
	if err := c.report.Save(); err != nil {
		return err
	}
	a.print("%s", c.report.Table())
	a.print("saved in %s", absolute(c.dir))
	return a.document(c.report)
}

// newComparison checks everything that can be checked before hours are spent.
func (a *app) newComparison(o compareFlags, data string) (*comparison, error) {
	switch {
	case o.cmd == "":
		return nil, fault.Usagef("no trainer to compare with: give its command, --cmd '...'")
	case o.model == "":
		return nil, fault.Usagef("--cmd without --model: name the splat file that the command writes, --model FILE")
	}
	if o.name == "" {
		o.name = compare.NameOf(o.cmd)
	}
	if err := compare.CheckName(o.name); err != nil {
		return nil, err
	}
	cfg, err := a.compareConfig(o, data)
	if err != nil {
		return nil, err
	}
	c := &comparison{app: a, flags: o, cfg: cfg, dir: o.out}
	if err := c.checkInit(); err != nil {
		return nil, err
	}
	devices, err := sweepDevices("", cfg.Backend)
	if err != nil {
		return nil, err
	}
	c.device = devices[0]
	if c.capture, err = openCapture(cfg); err != nil {
		return nil, err
	}
	if c.flags.split, err = chooseSplit(o.split, c.capture); err != nil {
		return nil, err
	}
	return c, c.prepare()
}

// prepare chooses the folder and fills in what is known.
func (c *comparison) prepare() (err error) {
	if c.dir == "" {
		if c.dir, err = lab.NewFolder("compare-" + c.capture.Name); err != nil {
			return err
		}
	} else if err := compare.Check(c.dir); err != nil {
		return err
	}
	for _, line := range captureLines(c.capture) {
		c.app.log.note(line)
	}
	c.fill = map[string]string{
		"data": absolute(c.cfg.Data.Path), "out": absolute(filepath.Join(c.dir, c.flags.name)),
		"init": c.cfg.Model.Init, "steps": strconv.Itoa(c.cfg.Train.Steps),
	}
	origin := originOf(c.cfg, c.capture, 0, c.app.start)
	c.report = compare.Report{
		Version: compare.Version, Dir: absolute(c.dir), Capture: origin.Capture, Split: c.flags.split,
		Views: len(viewsOf(c.capture, c.flags.split)), Steps: c.cfg.Train.Steps, Init: c.cfg.Model.Init,
		Build: originBuild(), Evaluated: originDevice(c.cfg),
	}
	if n := c.cfg.Eval.LimitTest; n > 0 && c.flags.split == "test" {
		c.report.Views = min(c.report.Views, n)
	}
	return nil
}

// lookKeys are the keys that decide which pictures splats are measured on, and how.
var lookKeys = []string{"data.downscale", "data.max_size", "data.images", "data.sparse", "data.test_every", "data.alpha", "train.background", "eval.limit_test"}

// lookSettings are these keys of a configuration as --set takes them.
func lookSettings(cfg config.Run) (set []string) {
	values := config.Values(cfg)
	for _, key := range lookKeys {
		set = append(set, key+"="+values[key])
	}
	return set
}

// compareConfig is the configuration of our training and of the measuring; with --run
// that of the run.
func (a *app) compareConfig(o compareFlags, data string) (config.Run, error) {
	src := config.Source{Preset: o.from.preset, File: o.from.file, Set: o.from.set}
	if len(o.runs) > 0 {
		if o.from.preset != "" || o.from.file != "" {
			return config.Run{}, fault.Usagef("--run takes the settings of the run; leave out --config and --preset")
		}
		var first *lab.Record
		for _, dir := range o.runs {
			rec, err := lab.Open(dir)
			if err != nil {
				return config.Run{}, err
			}
			first = cmp.Or(first, rec)
		}
		src.Set = append(append(lookSettings(first.Config), "train.steps="+strconv.Itoa(first.Config.Train.Steps)), src.Set...)
	}
	src.Flags = []config.Setting{{Key: "data.path", Value: absolute(data), Origin: "DATA"}}
	cfg, err := a.resolve(src)
	if err == nil && cfg.Model.Init != "" {
		cfg.Model.Init = absolute(cfg.Model.Init)
	}
	cfg.Output = config.Output{}
	return cfg, err
}

// checkInit checks that the splats to start from are there, and that the command asks
// for none that are not given.
func (c *comparison) checkInit() error {
	init := c.cfg.Model.Init
	uses := compare.Uses(c.flags.cmd, "init") || compare.Uses(c.flags.model, "init")
	switch {
	case uses && init == "":
		return fault.Usagef("--cmd has {init}, which stands for the file of --init; give one")
	case init == "":
		return nil
	case !uses:
		c.app.log.warn("--cmd has no {init}: only splat starts from " + init)
	}
	if _, err := os.Stat(init); err != nil {
		return fault.Unreadable(init, err)
	}
	return nil
}

// checkFair notes what makes the trainers hard to compare.
func (c *comparison) checkFair() {
	note := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		c.report.Notes = append(c.report.Notes, text)
	}
	other := c.report.Trainers[0]
	for _, t := range c.report.Trainers[1:] {
		if t.Background != other.Background {
			note("%s was measured on the background %s and %s on %s", other.Name, other.Background, t.Name, t.Background)
		}
		if t.Exit == nil {
			note("%s was trained before, perhaps under another load or on another device", t.Name)
		}
	}
	if c.cfg.Model.Init != "" && !compare.Uses(c.flags.cmd, "init") {
		note("only splat started from the splats of --init")
	}
}

// own returns our runs: those that are given, or one that is trained now.
func (c *comparison) own(ctx context.Context) (list []compare.Trainer, err error) {
	if len(c.flags.runs) == 0 {
		t, err := c.trainOwn(ctx)
		if err != nil {
			return nil, err
		}
		return []compare.Trainer{*t}, nil
	}
	for _, dir := range c.flags.runs {
		t, err := c.fromRun(ctx, dir)
		if err != nil {
			return nil, err
		}
		if len(c.flags.runs) > 1 {
			t.Name += " (" + dir + ")"
		}
		t.GPUNote = "not measured: the run is an earlier one"
		list = append(list, *t)
	}
	return list, nil
}

// fromRun describes a run of ours by its folder.
func (c *comparison) fromRun(ctx context.Context, dir string) (*compare.Trainer, error) {
	rec, err := lab.Open(dir)
	if err != nil {
		return nil, err
	}
	t := &compare.Trainer{Name: compare.Own, Command: "splat train --config " + shellWord(filepath.Join(dir, lab.ConfigFile)), Run: absolute(dir), Model: rec.Model, GPUs: []compare.GPU{}}
	if r := rec.Result; r != nil {
		t.Wall, t.Train, t.Device = r.WallSeconds, &r.TrainSeconds, r.Device
	}
	return t, c.score(ctx, t)
}

// trainOwn trains in a process of its own, measured like the other trainer.
func (c *comparison) trainOwn(ctx context.Context) (*compare.Trainer, error) {
	dir := filepath.Join(c.dir, compare.Own)
	if err := lab.Prepare(dir, c.cfg); err != nil {
		return nil, err
	}
	log := filepath.Join(c.dir, compare.Own+".log")
	c.app.log.notef("training with splat on %s; its output is in %s", c.device, log)
	watch := compare.WatchGPUs()
	exit, err := runSelf(ctx, log, "train", c.cfg.Data.Path, "--resume", dir, "--device", c.device)
	gpus, why := watch.Stop()
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, interruptedCompare()
	}
	if code := codeOf(exit); code != 0 {
		return nil, &fault.Error{Kind: fault.Kind(code), Err: fmt.Errorf("splat train: %s; its output is in %s", said(exit.String(), lastLine(log, "splat: ")), log)}
	}
	t, err := c.fromRun(ctx, dir)
	if err != nil {
		return nil, err
	}
	cpu := (exit.User + exit.System).Seconds()
	t.Exit, t.Wall, t.CPU, t.Log = &exit.Code, exit.Wall.Seconds(), &cpu, absolute(log)
	t.GPUs, t.GPUNote = append([]compare.GPU{}, gpus...), why
	return t, nil
}

// said adds the last words of a process to how it ended.
func said(how, words string) string {
	if strings.TrimSpace(words) == "" {
		return how
	}
	return how + ": " + words
}

func interruptedCompare() error {
	return &fault.Error{Kind: fault.Interrupted, Err: errors.New("interrupted; a comparison begins anew")}
}
