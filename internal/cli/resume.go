package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"splat/internal/checkpoint"
	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/lab"
	"splat/internal/train"
	"splat/internal/vec"
)

// resumeRun goes on with the run in a folder. Where none was begun there, DATA
// begins one.
func (a *app) resumeRun(ctx context.Context, dir string, from configFlags, args []string, printConfig bool) error {
	if from.file != "" || from.preset != "" {
		return fault.Usagef("--resume takes the configuration from %s; leave out --config and --preset, change keys with flags or --set",
			filepath.Join(dir, lab.ConfigFile))
	}
	if dir == "" {
		return fault.Usagef("--resume: found nothing after it, expected a run folder")
	}
	prior, err := lab.Reopen(dir)
	if err != nil {
		return err
	}
	defer prior.Close()
	from.file = prior.Config
	cfg, err := a.trainConfig(from, args)
	if err != nil {
		return err
	}
	if err := checkOutput(cfg, dir); err != nil {
		return err
	}
	switch {
	case printConfig:
		return a.printConfig(cfg)
	case prior.Config == "":
		return a.beginAnew(ctx, cfg, dir)
	case prior.Complete() && cfg.Train.Steps <= prior.Result.Steps:
		return a.alreadyComplete(prior)
	}
	return a.continueRun(ctx, prior, cfg, given(from.set, a.flags))
}

// checkOutput refuses output settings that contradict --resume.
func checkOutput(cfg config.Run, dir string) error {
	if cfg.Output.Overwrite {
		return fault.Usagef("--resume and --overwrite contradict each other: going on keeps the run, replacing it does not")
	}
	if out := cfg.Output.Dir; out != "" && !sameFolder(out, dir) {
		return fault.Usagef("--out %s with --resume %s: a run goes on in its own folder; leave out --out", out, dir)
	}
	return nil
}

func sameFolder(a, b string) bool {
	ai, errA := os.Stat(a)
	bi, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(ai, bi)
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absA == absB
}

// beginAnew begins the run that was never begun.
func (a *app) beginAnew(ctx context.Context, cfg config.Run, dir string) error {
	if cfg.Data.Path == "" {
		return fault.Dataf("run folder %s: nothing to go on with, no run was begun there; name the capture to begin one: splat train DATA --resume %s", dir, shellWord(dir))
	}
	a.log.notef("no run was begun in %s: beginning one at step 0", dir)
	cfg.Output.Dir = dir
	return a.train(ctx, cfg)
}

// alreadyComplete says that nothing is left to do.
func (a *app) alreadyComplete(prior *lab.Prior) error {
	if err := prior.Tidy(); err != nil {
		return err
	}
	a.print("nothing to do, the run in %s is complete: %s", prior.Dir, resultText(*prior.Result))
	return a.document(prior.Result)
}

// continueRun goes on from the newest checkpoint that is whole, or from step 0
// where none was stored yet.
func (a *app) continueRun(ctx context.Context, prior *lab.Prior, cfg config.Run, given map[string]bool) error {
	device, err := chooseDevice(cfg)
	if err != nil {
		return err
	}
	file, damage, err := prior.Newest()
	if err != nil {
		return err
	}
	from := start{file: file}
	if file == nil {
		if err := checkRestart(prior); err != nil {
			return err
		}
		from.notes = []string{fmt.Sprintf("%s holds no checkpoint yet: beginning at step 0 with its configuration", prior.Dir)}
	} else {
		defer file.Close()
		for _, d := range damage {
			from.notes = append(from.notes, fmt.Sprintf("warning: damaged checkpoint passed over: %v", d))
		}
		from.notes = append(from.notes, "resuming from "+file.Path)
		from.notes = append(from.notes, otherPath(&file.Header, vec.Path())...)
		from.notes = append(from.notes, otherBuild(&file.Header, build().name())...)
		pastLimits(&from, &cfg, prior.Result, given)
		if _, err := train.Fit(&file.Header, cfg); err != nil {
			return fmt.Errorf("run folder %s: %w", prior.Dir, err)
		}
	}
	return a.trainOn(ctx, prior, cfg, device, from)
}

// otherPath warns where the processor will not repeat the rounding of the one that
// made the checkpoint.
func otherPath(h *checkpoint.Header, path string) []string {
	if h.Backend != "cpu" || h.Instructions == "" || h.Instructions == path {
		return nil
	}
	return []string{fmt.Sprintf("warning: the checkpoint was made with the instruction path %s, this is %s: the result is not the same to the last bit",
		h.Instructions, path)}
}

// otherBuild warns where another revision of the program made the checkpoint, as
// far as both know theirs.
func otherBuild(h *checkpoint.Header, name string) []string {
	if h.Build == "" || name == "" || h.Build == name {
		return nil
	}
	return []string{fmt.Sprintf("warning: the checkpoint was made by another build of splat, %s, this is %s: if its arithmetic differs, the result is not the same to the last bit",
		h.Build, name)}
}

// checkRestart refuses to begin at step 0 where that would cost results. Splats
// without a result are no such: the run was killed between writing the two, and
// beginning it again makes the same ones.
func checkRestart(prior *lab.Prior) error {
	r := prior.Result
	if r == nil {
		return nil
	}
	return fault.Dataf("run folder %s: no checkpoint of the run, which ended at step %d by %s: it cannot go on; --init %s begins a new one with its splats",
		prior.Dir, r.Steps, r.StopReason, shellWord(filepath.Join(prior.Dir, lab.ModelFile)))
}

// trainOn runs the session that goes on.
func (a *app) trainOn(ctx context.Context, prior *lab.Prior, cfg config.Run, device string, from start) error {
	if cfg.Data.Path == "" {
		return fault.Usagef("no capture: name one, splat train DATA --resume %s", shellWord(prior.Dir))
	}
	capture, err := openCapture(cfg)
	if err != nil {
		if _, gone := os.Stat(cfg.Data.Path); errors.Is(gone, os.ErrNotExist) {
			err = fmt.Errorf("%w; where the capture has moved, name its new place: splat train DATA --resume %s", err, shellWord(prior.Dir))
		}
		return err
	}
	if from.file != nil && !sameFolder(cfg.Data.Path, from.file.Capture.Path) {
		from.notes = append(from.notes, fmt.Sprintf("the capture has moved: %s -> %s", from.file.Capture.Path, cfg.Data.Path))
	}
	run, err := prior.Continue(cfg, from.file)
	if err != nil {
		return err
	}
	defer run.Close()
	out, err := a.trainFrom(ctx, run, cfg, capture, device, from)
	if out == nil {
		return err
	}
	a.summarise(run, out)
	return errors.Join(a.document(out.doc), err)
}

// pastLimits drops the limit that ended the last session, unless it was given
// again: whoever resumes wants the run to go on.
func pastLimits(from *start, cfg *config.Run, last *lab.Result, given map[string]bool) {
	if last == nil || last.Steps != from.file.Step {
		return
	}
	dropped := func(key string, value any) {
		from.notes = append(from.notes, fmt.Sprintf("%s = %v ended the last session and no longer holds; going on to step %d", key, value, cfg.Train.Steps))
	}
	t := &cfg.Train
	switch last.StopReason {
	case train.StopStep:
		if t.StopStep > 0 && t.StopStep <= from.file.Step && !given["train.stop_step"] {
			dropped("train.stop_step", t.StopStep)
			t.StopStep = 0
		}
	case train.StopTimeLimit:
		if t.TimeLimit > 0 && from.file.Seconds >= t.TimeLimit.Seconds() && !given["train.time_limit"] {
			dropped("train.time_limit", t.TimeLimit)
			t.TimeLimit = 0
		}
	case train.StopPlateau:
		from.ended = train.StopPlateau
		if t.PlateauSteps > 0 {
			from.notes = append(from.notes, fmt.Sprintf("a plateau ended the last session; the next %d steps may show progress", t.PlateauSteps))
		}
	}
}

// given lists the keys that --set and flags name.
func given(set []string, flags []config.Setting) map[string]bool {
	keys := map[string]bool{}
	for _, arg := range set {
		key, _, _ := strings.Cut(arg, "=")
		keys[strings.TrimSpace(key)] = true
	}
	for _, s := range flags {
		keys[s.Key] = true
	}
	return keys
}
