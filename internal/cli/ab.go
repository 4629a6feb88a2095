package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"splat/internal/ab"
	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/lab"
	"splat/internal/loadwatch"
)

// abSteps is the length of a run where nothing says how long one is.
const abSteps = 1000

// abFlags are the flags of ab that are no configuration.
type abFlags struct {
	from               configFlags
	vary, gate, level  string
	kernels            string
	pairs, floor       int
	out, resume        string
	wantGate, askLevel float64 // as read, in percent and in 0..1
}

func (a *app) abCommand() *cobra.Command {
	o := abFlags{pairs: 11, gate: "3%", level: "95%", kernels: string(ab.Separate)}
	cmd := a.command(&cobra.Command{
		Use:   "ab DATA --vary KEY=A,B [flags]",
		Short: "measure whether B is faster than A, in pairs of runs",
		Long: "Trains with two values of one setting, in turns, and says with an exact interval whether B\n" +
			"saves at least the gate. KEY is any key of the configuration, or preset. Values that hold\n" +
			"commas themselves are separated by a semicolon.\n\n" +
			"After a warm-up of each, A runs against itself, which gives the noise floor, and then against\n" +
			"B, in pairs A B, B A, A B, ... A difference is positive where B saves time. Kernel times come\n" +
			"from further runs that are instrumented. Settings that must not change the result are held\n" +
			"to it: other bytes end the experiment.\n\n" +
			"An experiment that was killed or interrupted goes on with --resume DIR.",
		Example: "  splat ab lego --vary backend.record=once,step --steps 1500\n" +
			"  splat ab garden --vary preset=quality,preview --pairs 15 --gate 5%\n" +
			"  splat ab lego --vary train.seed=42,42 --out runs/same",
		Args: arguments(0, 1, "one capture"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.read(); err != nil {
				return err
			}
			if o.resume != "" {
				return a.resumeAB(cmd.Context(), o, args)
			}
			return a.newAB(cmd.Context(), o, args)
		},
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	stringFlag(fs, &o.vary, "vary", "KEY=A,B", groupCommand, "the setting to vary: a key of the configuration, or preset, and its two values")
	intFlag(fs, &o.pairs, "pairs", 1, ab.MaxPairs, groupCommand, "pairs of A against B")
	intFlag(fs, &o.floor, "floor-pairs", 0, ab.MaxPairs, groupCommand, "pairs of A against A; 0 is as many as --pairs")
	stringFlag(fs, &o.gate, "gate", "PERCENT", groupCommand, "saving of B, in percent of A, that counts; fixed before the first run (default 3%)")
	stringFlag(fs, &o.level, "level", "PERCENT", groupCommand, "level that intervals must have (default 95%)")
	stringFlag(fs, &o.kernels, "kernels", "separate|same|none", groupCommand,
		"where kernel times come from: instrumented runs of their own, all runs, or nowhere (default separate)")
	stringFlag(fs, &o.out, "out", "DIR", groupCommand, "folder of the record (default runs/<date>-ab-<capture>)")
	stringFlag(fs, &o.resume, "resume", "DIR", groupCommand, "go on with the experiment in this folder")
	o.from.add(fs)
	a.fieldFlags(fs, "train", "model", "strategy", "loss", "optim", "eval", "data", "backend")
	ownDefaults(fs, []string{fmt.Sprintf("train.steps=%d, or what --preset or --config says", abSteps)})
	return cmd
}

// read reads the flags that are numbers with a unit, or words.
func (o *abFlags) read() (err error) {
	if o.wantGate, err = percentFlag("gate", o.gate, 0, 100); err != nil {
		return err
	}
	level, err := percentFlag("level", o.level, 50, 100)
	if err != nil {
		return err
	}
	o.askLevel = level / 100
	switch ab.Kernels(o.kernels) {
	case ab.Separate, ab.Same, ab.None:
	default:
		return fault.Usagef("--kernels: found %q, expected separate, same or none", o.kernels)
	}
	if o.floor == 0 {
		o.floor = o.pairs
	}
	return nil
}

// percentFlag reads a percentage between two bounds, neither included; the sign may be
// left out.
func percentFlag(name, text string, above, below float64) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%")), 64)
	if err != nil || !(v > above && v < below) {
		return 0, fault.Usagef("--%s: found %q, expected a percentage above %g and below %g, such as %g%%", name, text, above, below, map[string]float64{"gate": 3, "level": 95}[name])
	}
	return v, nil
}

// experiment is one session of splat ab.
type experiment struct {
	app     *app
	dir     string
	arms    [2]*arm
	plan    ab.Plan
	origin  lab.Origin
	journal *ab.Journal
	notes   []string
	run     ab.Experiment
	show    *abProgress
	watch   *loadwatch.Watch
}

// newAB plans an experiment and runs it.
func (a *app) newAB(ctx context.Context, o abFlags, args []string) error {
	v, err := parseVary(o.vary)
	if err != nil {
		return err
	}
	configs, err := a.abConfigs(o.from, v, args)
	if err != nil {
		return err
	}
	x := &experiment{app: a, plan: ab.Plan{
		Key: v.key, Values: v.values, Gate: o.wantGate, Level: o.askLevel, Pairs: o.pairs, Floor: o.floor, Kernels: ab.Kernels(o.kernels),
	}}
	x.choose(configs)
	a.log.notef("gate: B must save %.2f %% of A; fixed before the first run", x.plan.Gate)
	if err := x.validate(configs); err != nil {
		return err
	}
	x.origin = originOf(configs[0], x.arms[0].capture, 0, a.start).Complete(configs[0])
	if err := x.create(o.out); err != nil {
		return err
	}
	return x.execute(ctx)
}

// choose decides what follows from the two configurations.
func (x *experiment) choose(configs [2]config.Run) {
	p := &x.plan
	p.Changed = []string{}
	p.Equal, p.Repeats = true, true
	for _, c := range config.Compare(config.Values(configs[0]), configs[1]) {
		p.Changed = append(p.Changed, c.String())
		p.Equal = p.Equal && keepsBytes(c.Key)
	}
	if configs[0].Train.TimeLimit > 0 || configs[1].Train.TimeLimit > 0 {
		p.Equal, p.Repeats = false, false
		x.note("train.time_limit ends runs after different numbers of steps: their bytes are not compared")
	}
	one, other := configs[0].Backend.Profile, configs[1].Backend.Profile
	switch {
	case p.Kernels == ab.None:
	case one != other:
		p.Kernels = ab.None
		x.note("kernels are not compared: backend.profile itself differs")
	case one:
		p.Kernels = ab.Same
	}
}

func (x *experiment) note(line string) { x.notes = append(x.notes, line) }

// create makes the folder of the record and writes what is fixed before the first run.
func (x *experiment) create(out string) (err error) {
	if out == "" {
		if out, err = lab.NewFolder("ab-" + x.arms[0].capture.Name); err != nil {
			return err
		}
	} else if err := checkABFolder(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fault.AtFile(out, err)
	}
	x.dir = out
	if x.journal, err = ab.NewJournal(out, x.plan, x.origin); err != nil {
		return err
	}
	for i, name := range []string{ab.ConfigA, ab.ConfigB} {
		if err := writeConfig(filepath.Join(out, name), x.arms[i].cfg); err != nil {
			return err
		}
	}
	return nil
}

// checkABFolder refuses a folder that holds a run or an experiment.
func checkABFolder(dir string) error {
	if err := lab.Check(dir, false); err != nil {
		return err
	}
	for _, name := range []string{ab.JournalFile, ab.DocumentFile, ab.ConfigA, ab.ConfigB} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return fault.Usagef("folder %s already holds an experiment (%s); go on with it by splat ab --resume %s, or choose another --out", dir, name, shellWord(dir))
		}
	}
	return nil
}

// execute makes the runs that are left, and says what all of them say.
func (x *experiment) execute(ctx context.Context) error {
	defer x.journal.Close()
	x.announce()
	x.run.Plan, x.run.Run, x.run.Keep, x.run.Starting = x.plan, x.train, x.journal.Add, x.starting
	x.show = &abProgress{shared: x.app.log.newProgress(), began: time.Now()}
	x.watch = loadwatch.Glance(ctx)
	err := x.run.Execute(ctx)
	x.show.stop()
	return x.finish(ctx, err)
}

// finish writes the record and prints it. failure is why the experiment ended early.
func (x *experiment) finish(ctx context.Context, failure error) error {
	failure = x.explain(ctx, failure)
	doc := x.document(failure)
	environment := x.watch.Stop()
	doc.Environment = &environment
	if err := doc.Write(x.dir); err != nil {
		return errors.Join(failure, err)
	}
	x.app.printAB(doc, x.dir)
	return errors.Join(x.app.document(doc), failure)
}

func (x *experiment) document(failure error) *ab.Document {
	doc := &ab.Document{
		Version: ab.Version, Plan: x.plan, Origin: x.origin, Complete: failure == nil,
		Analysis: ab.Analyse(x.plan, x.run.Done), Notes: append([]string{}, x.notes...), Runs: append([]ab.Sample{}, x.run.Done...),
	}
	if failure != nil {
		doc.Failure = message(failure)
	}
	return doc
}

// explain turns the reason of an early end into the command's error.
func (x *experiment) explain(ctx context.Context, failure error) error {
	var bytes *ab.DifferentBytes
	switch {
	case failure == nil:
		return nil
	case errors.As(failure, &bytes):
		return fmt.Errorf("%w; the runs so far are in %s", failure, x.dir)
	case ctx.Err() != nil:
		return &fault.Error{Kind: fault.Interrupted, Err: fmt.Errorf("interrupted after %d of %d runs; go on with splat ab --resume %s",
			len(x.run.Done), len(x.plan.Jobs()), shellWord(x.dir))}
	}
	return fmt.Errorf("%w (the runs so far are in %s; go on with splat ab --resume %s)", failure, x.dir, shellWord(x.dir))
}
