package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"splat/internal/checkpoint"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/lab"
	"splat/internal/splatio"
	"splat/internal/train"
)

func (a *app) trainCommand() *cobra.Command {
	var from configFlags
	var printConfig bool
	var resume string
	cmd := a.command(&cobra.Command{
		Use:   "train [DATA] [flags]",
		Short: "train splats on a capture",
		Long: "Trains splats on a capture and writes them to a run folder, with the configuration, the\n" +
			"measurements and the log of the run.\n\n" +
			"DATA is a folder, or the JSON file inside one; it may be left out where the configuration\n" +
			"has [data] path. Flags are stronger than --set, that than --config with its parents, that\n" +
			"than --preset, that than the defaults. --config RUN/config.toml repeats a run.\n\n" +
			"Interrupting (Ctrl-C) ends the run after the current step and saves splats and a checkpoint;\n" +
			"a second interrupt ends it at once. --resume RUN goes on from the newest checkpoint, with the\n" +
			"configuration in RUN, to the same bytes as without the break. Flags given with it hold from\n" +
			"there on; steps and limits count from the beginning of the run. DATA is only needed where the\n" +
			"capture has moved.",
		Example: "  splat train lego --background white\n" +
			"  splat train garden --preset preview --out runs/garden-preview\n" +
			"  splat train --config runs/garden-preview/config.toml --set optim.lr_sh0=0.005\n" +
			"  splat train --resume runs/garden-preview",
		Args: arguments(0, 1, "one capture"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkTrace(a.traceFile); err != nil {
				return err
			}
			if cmd.Flags().Changed("resume") {
				return a.resumeRun(cmd.Context(), resume, from, args, printConfig)
			}
			cfg, err := a.trainConfig(from, args)
			if err != nil {
				return err
			}
			if printConfig {
				return a.printConfig(cfg)
			}
			return a.train(cmd.Context(), cfg)
		},
	})
	fs := cmd.Flags()
	fs.SortFlags = false
	from.add(fs)
	boolFlag(fs, &printConfig, "print-config", "", groupConfig, "print the configuration that results, and end")
	stringFlag(fs, &a.traceFile, "trace", "FILE.json", sectionTitles["output"], "write what host and device did when, for ui.perfetto.dev")
	stringFlag(fs, &resume, "resume", "RUN", sectionTitles["output"], "go on with the run in this folder")
	a.fieldFlags(fs, "output", "train", "model", "strategy", "loss", "optim", "eval", "data", "backend")
	return cmd
}

// trainConfig resolves the configuration; DATA on the command line counts as a
// flag.
func (a *app) trainConfig(from configFlags, args []string) (config.Run, error) {
	src := config.Source{Preset: from.preset, File: from.file, Set: from.set}
	if len(args) > 0 {
		src.Flags = []config.Setting{{Key: "data.path", Value: args[0], Origin: "DATA"}}
	}
	return a.resolve(src)
}

func (a *app) printConfig(cfg config.Run) error {
	if a.json {
		return fault.Usagef("--print-config prints TOML; leave out --json")
	}
	return config.Write(a.stdout, cfg)
}

// train runs a training from the resolved configuration to the saved result.
func (a *app) train(ctx context.Context, cfg config.Run) error {
	device, err := chooseDevice(cfg)
	if err != nil {
		return err
	}
	if cfg.Data.Path == "" {
		return fault.Usagef("no capture: name one, splat train DATA, or set data.path in the configuration")
	}
	if dir := cfg.Output.Dir; dir != "" {
		if err := lab.Check(dir, cfg.Output.Overwrite); err != nil {
			return err
		}
		if sameFile(cfg.Model.Init, filepath.Join(dir, lab.ModelFile)) {
			return fault.Usagef("--overwrite would remove %s, which the run is to start from (model.init); choose another --out, or copy the file", cfg.Model.Init)
		}
	}
	capture, err := openCapture(cfg)
	if err != nil {
		return err
	}
	if err := checkBeside(cfg, capture); err != nil {
		return err
	}
	run, err := createRun(cfg, capture)
	if err != nil {
		return err
	}
	defer run.Close()
	out, err := a.trainInto(ctx, run, cfg, capture, device)
	if out == nil {
		return err
	}
	a.summarise(run, out)
	return errors.Join(a.document(out.doc), err)
}

// checkBeside refuses to make a run folder of the capture's own: it would be taken
// for a run from then on. A folder in it is fine.
func checkBeside(cfg config.Run, capture *dataset.Capture) error {
	dir := cfg.Output.Dir
	if dir == "" || !sameFolder(dir, capture.Root) && !sameFolder(dir, cfg.Data.Path) {
		return nil
	}
	return fault.Usagef("run folder %s: is the folder of the capture, expected one of its own, such as %s", dir, filepath.Join(dir, "run"))
}

func createRun(cfg config.Run, capture *dataset.Capture) (*lab.Run, error) {
	if cfg.Output.Dir == "" {
		return lab.CreateNew(capture.Name, cfg)
	}
	return lab.Create(cfg.Output.Dir, cfg.Output.Overwrite, cfg)
}

// outcome is a training whose splats are saved.
type outcome struct {
	doc    lab.Result
	result *train.Result
	curve  []train.Metrics
}

// trainInto trains from the beginning and saves.
func (a *app) trainInto(ctx context.Context, run *lab.Run, cfg config.Run, capture *dataset.Capture, device string) (*outcome, error) {
	return a.trainFrom(ctx, run, cfg, capture, device, start{})
}

// start is where a training begins: at step 0, or where an earlier session ended.
type start struct {
	file  *checkpoint.File // nil at step 0
	ended string           // why that session ended
	notes []string         // what there is to say about it
}

func (s start) step() int {
	if s.file == nil {
		return 0
	}
	return s.file.Step
}

// trainFrom trains and saves. Whatever splats the engine hands back are saved
// before any error counts. The outcome is nil where the error is all there is; an
// interrupted run has both.
func (a *app) trainFrom(ctx context.Context, run *lab.Run, cfg config.Run, capture *dataset.Capture, device string, from start) (*outcome, error) {
	stopSaying := context.AfterFunc(ctx, func() {
		a.log.note("interrupted: ending after this step and saving; a second interrupt quits at once")
	})
	defer stopSaying()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	run.Configure(cfg)
	run.Describe(originOf(cfg, capture, from.step(), a.start))
	r := &reporter{console: a.log, progress: a.log.newProgress(), run: run, cancel: cancel, start: a.start}
	if from.file != nil {
		r.earlier = from.file.Wall
	}
	r.announce(from.notes)
	r.announce(append([]string{device}, captureLines(capture)...))
	r.announce(settingsLines(cfg))
	a.log.detail("%s", configText(cfg))
	r.Note("output: " + run.Path(""))
	host, err := a.watchHost(ctx, cfg, a.traceFile)
	if err != nil {
		return nil, err
	}
	options := train.Options{Config: cfg, Capture: capture, Observer: r, Checkpoints: r, Resume: from.file, Ended: from.ended}
	host.follow(&options)
	res, err := a.engine(ctx, options)
	r.over = true
	r.progress.stop()
	r.host = host.end(res)
	err, traceErr := stopCause(ctx, err), host.close()
	if res == nil || res.Cloud == nil || res.Steps == 0 {
		return nil, errors.Join(notTrained(err), traceErr)
	}
	out, err := a.keepResult(r, cfg, res, err)
	return out, errors.Join(err, traceErr)
}

// keepResult saves what the engine handed back. failure is why it ended early.
func (a *app) keepResult(r *reporter, cfg config.Run, res *train.Result, failure error) (*outcome, error) {
	doc, err := a.save(r, cfg, res, failure)
	if err != nil {
		return nil, goOn(r.run, errors.Join(plainly(failure), err))
	}
	if failure != nil && !interrupted(failure) {
		return nil, goOn(r.run, fmt.Errorf("%w (the splats of step %d are saved in %s)", failure, res.Steps, r.run.Path("")))
	}
	r.closing(doc, res)
	if doc.StopReason == train.StopSteps {
		if err := r.run.Complete(); err != nil {
			a.log.warn(fmt.Sprintf("a checkpoint could not be removed: %v", err))
		}
	}
	if failure != nil {
		failure = interruption(r.run, res.Steps)
	}
	return &outcome{doc, res, r.curve}, failure
}

func interrupted(err error) bool { return fault.ExitCode(err) == int(fault.Interrupted) }

func (r *reporter) announce(lines []string) {
	for _, l := range lines {
		r.Note(l)
	}
}

// closing notes where the time went and what came out.
func (r *reporter) closing(doc lab.Result, res *train.Result) {
	if res.Profile != "" {
		r.Note(res.Profile)
	}
	if r.host != nil && r.host.text != "" {
		r.Note(r.host.text)
	}
	r.keep(r.run.Log(resultText(doc)))
}

// stopCause tells why the engine stopped early: an interrupt, or the record that
// could not be written. An interrupt counts only where nothing else went wrong.
func stopCause(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		if errors.Is(err, context.Canceled) {
			return cause
		}
		return errors.Join(cause, err)
	}
	if errors.Is(err, context.Canceled) {
		return &fault.Error{Kind: fault.Interrupted, Err: errors.New("interrupted")}
	}
	return err
}

// notTrained is the outcome of a run that has no splats to save.
func notTrained(err error) error {
	if interrupted(err) {
		return &fault.Error{Kind: fault.Interrupted, Err: errors.New("interrupted before the first step; nothing to save")}
	}
	if err == nil {
		return errors.New("the training ended before its first step")
	}
	return err
}

// save writes the splats and then the result.
func (a *app) save(r *reporter, cfg config.Run, res *train.Result, failure error) (lab.Result, error) {
	dropped := 0
	sum, err := r.run.SaveModel(modelBytes(res.Cloud), func(path string) (err error) {
		dropped, err = splatio.Write(path, res.Cloud)
		return err
	})
	if err != nil {
		return lab.Result{}, err
	}
	if dropped > 0 {
		a.log.warn(fmt.Sprintf("%s with values that are not finite left out of %s", plural(dropped, "splat"), lab.ModelFile))
	}
	doc := result(cfg, res, failure)
	if r.host != nil {
		doc.Environment = &r.host.Environment
	}
	doc.Splats, doc.SHA256 = res.Cloud.Len()-dropped, sum
	doc.WallSeconds = r.wall()
	return doc, r.run.SaveResult(doc)
}

// modelBytes is about the size of a splat file: 62 columns of 4 bytes, for the SH
// degrees that training knows.
func modelBytes(c *gaussian.Cloud) int64 { return 62 * 4 * int64(c.Len()) }

func result(cfg config.Run, res *train.Result, failure error) lab.Result {
	doc := lab.Result{
		Steps: res.Steps, TrainSeconds: res.TrainSeconds, Device: res.Device, Backend: res.Backend,
		Seed: cfg.Train.Seed, Model: lab.ModelFile, StopReason: stopReason(res, failure), PeakBytes: res.PeakBytes,
	}
	if e := res.Final; e != nil {
		doc.PSNR, doc.SSIM, doc.Split = lab.Score(e.PSNR), lab.Score(e.SSIM), e.Split
		if e.Split == "test" {
			doc.TestViews = e.Views
		}
	}
	return doc
}

func stopReason(res *train.Result, failure error) string {
	switch {
	case interrupted(failure):
		return "interrupted"
	case failure != nil:
		return "failed"
	}
	return res.StopReason
}

// summarise prints what came out and where it is.
func (a *app) summarise(run *lab.Run, out *outcome) {
	if e := out.result.Final; e != nil {
		a.print("%s", scoreText(*e))
	}
	a.print("%s", resultText(out.doc))
	a.print("saved in %s", run.Path(""))
}

func resultText(doc lab.Result) string {
	return fmt.Sprintf("%s after %s in %.1f s (%.1f s in all), ended by %s",
		plural(doc.Splats, "splat"), plural(doc.Steps, "step"), doc.TrainSeconds, doc.WallSeconds, doc.StopReason)
}

func configText(cfg config.Run) string {
	var b strings.Builder
	_ = config.Write(&b, cfg) // a Builder takes everything
	return strings.TrimSpace(b.String())
}

// settingsLines names the settings that matter most for what will happen, and
// every one that is not the default.
func settingsLines(cfg config.Run) []string {
	length := plural(cfg.Train.Steps, "step")
	if cfg.Train.StopStep > 0 {
		length += fmt.Sprintf(" (ends at step %d)", cfg.Train.StopStep)
	}
	if cfg.Train.TimeLimit > 0 {
		length += fmt.Sprintf(" (ends after %s)", cfg.Train.TimeLimit)
	}
	out := []string{fmt.Sprintf("settings: %s, %s, at most %s, background %s, seed %d",
		cfg.Strategy.Name, length, plural(cfg.Model.MaxSplats, "splat"), cfg.Train.Background, cfg.Train.Seed)}
	if changed := config.Changes(cfg); len(changed) > 0 {
		out = append(out, "not the default: "+join(changed, ", "))
	}
	return out
}
