package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"splat/internal/checkpoint"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/lab"
	"splat/internal/splatio/ply"
	"splat/internal/train"
)

// rig is an app whose engine is a function of the test, with a run folder.
type rig struct {
	app            *app
	dir            string
	stdout, stderr bytes.Buffer
}

func newRig(t *testing.T, engine func(context.Context, train.Options) (*train.Result, error)) *rig {
	b := &rig{dir: filepath.Join(t.TempDir(), "run")}
	b.app = newApp(nil, &b.stdout, &b.stderr)
	b.app.engine = engine
	return b
}

func (b *rig) train(t *testing.T, ctx context.Context, overwrite bool) (*outcome, error) {
	t.Helper()
	cfg := config.Default("mcmc")
	run, err := lab.Create(b.dir, overwrite, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	capture := &dataset.Capture{Root: "lego", Format: "blender", Warnings: []string{"one picture is odd"}}
	return b.app.trainInto(ctx, run, cfg, capture, "device: none")
}

func (b *rig) result(t *testing.T) lab.Result { return readResult(t, b.dir) }

// trained is a result of two splats, the second of which is damaged.
func trained(final *train.Evaluation) *train.Result {
	c := gaussian.New(2, 0)
	c.Quats[0], c.Quats[4] = 1, 1
	c.Means[3] = float32(math.NaN())
	return &train.Result{Cloud: c, Steps: 20, TrainSeconds: 1.5, Final: final, Device: "d", Backend: "b", StopReason: "steps", Profile: "kernel ms\nraster 1"}
}

func TestTrainRecordsARun(t *testing.T) {
	final := train.Evaluation{Step: 20, Split: "test", Views: 3, PSNR: 31.25, SSIM: 0.9}
	b := newRig(t, func(_ context.Context, o train.Options) (*train.Result, error) {
		o.Observer.Note("estimated memory: 5 MiB")
		o.Observer.Progress(train.Progress{Step: 10, Steps: 20})
		o.Observer.Metrics(train.Metrics{Step: 20, Loss: 0.5})
		o.Observer.Evaluated(final)
		return trained(&final), nil
	})
	out, err := b.train(t, context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	doc := b.result(t)
	if doc.Steps != 20 || doc.Splats != 1 || doc.TestViews != 3 || *doc.PSNR != 31.25 || doc.StopReason != "steps" || doc.Seed != 42 {
		t.Errorf("result: %+v", doc)
	}
	if doc.WallSeconds <= 0 || doc.SHA256 != out.doc.SHA256 || len(doc.SHA256) != 64 {
		t.Errorf("result: wall %v, sha256 %q", doc.WallSeconds, doc.SHA256)
	}
	if cloud, _, err := ply.Read(filepath.Join(b.dir, lab.ModelFile)); err != nil || cloud.Len() != 1 {
		t.Errorf("the saved model: %v", err)
	}
	for file, want := range map[string]string{
		lab.MetricsFile: `{"step":20,"loss":0.5,`, lab.EvalFile: `{"step":20,"split":"test","views":3,"psnr":31.25,`,
		lab.LogFile: "warning: one picture is odd\n", lab.ConfigFile: "[train]",
	} {
		if text, err := os.ReadFile(filepath.Join(b.dir, file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: found %q (%v), expected %q in it", file, text, err, want)
		}
	}
	for _, want := range []string{
		"device: none\n", "capture: lego (blender), 0 training and 0 test views, 0 points\n", "warning: one picture is odd\n",
		"output: " + b.dir, "estimated memory", "raster 1\n", "1 splat with values that are not finite left out",
		"step 20: PSNR 31.25 dB, SSIM 0.9000 on 3 test views\n",
	} {
		if !strings.Contains(b.stderr.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, &b.stderr)
		}
	}
}

func TestInterruptSaves(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := newRig(t, func(ctx context.Context, o train.Options) (*train.Result, error) {
		cancel()
		return trained(nil), ctx.Err()
	})
	out, err := b.train(t, ctx, false)
	if fault.ExitCode(err) != 130 || out == nil {
		t.Fatalf("found %v, %v, expected an outcome and exit code 130", out, err)
	}
	if doc := b.result(t); doc.StopReason != "interrupted" || doc.PSNR != nil || doc.SHA256 == "" {
		t.Errorf("result: %+v", doc)
	}
	if err.Error() != "interrupted at step 20; the splats so far are saved" {
		t.Errorf("without a checkpoint the message is %q", err)
	}
}

// snapshot is a checkpoint of a step.
func snapshot(step int) *checkpoint.Snapshot {
	return &checkpoint.Snapshot{Header: checkpoint.Header{Step: step, State: []byte("{}")}}
}

// Checkpoints stay while there is something to go on with.
func TestCheckpointsOfARun(t *testing.T) {
	for _, stop := range []string{train.StopStep, train.StopSteps} {
		b := newRig(t, func(_ context.Context, o train.Options) (*train.Result, error) {
			if err := o.Checkpoints.Save(snapshot(10)); err != nil {
				t.Fatal(err)
			}
			res := trained(nil)
			res.StopReason = stop
			return res, nil
		})
		if _, err := b.train(t, context.Background(), false); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(filepath.Join(b.dir, "checkpoint", "step-00000010.ckpt"))
		if kept := err == nil; kept != (stop == train.StopStep) {
			t.Errorf("ended by %s: checkpoint kept: %v", stop, kept)
		}
		if text, _ := os.ReadFile(filepath.Join(b.dir, lab.LogFile)); !strings.Contains(string(text), "step 10: checkpoint stored in ") {
			t.Errorf("log: %s", text)
		}
	}
}

// An interrupt that could not be saved is a failure, and says what is left.
func TestInterruptThatCannotBeSaved(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := newRig(t, func(_ context.Context, o train.Options) (*train.Result, error) {
		if err := o.Checkpoints.Save(snapshot(10)); err != nil {
			t.Fatal(err)
		}
		cancel()
		return trained(nil), fmt.Errorf("step-20.ckpt: %w", syscall.ENOSPC)
	})
	_, err := b.train(t, ctx, false)
	if err = b.app.classify(ctx, err); fault.ExitCode(err) != 1 {
		t.Errorf("found %v, expected exit code 1", err)
	}
	want := "step-20.ckpt: no space left on device (the splats of step 20 are saved in " + b.dir + "); " +
		filepath.Join(b.dir, "checkpoint", "step-00000010.ckpt") + " is intact; make room, then go on with\n  splat train --resume " + b.dir
	if message(err) != want {
		t.Errorf("found    %q\nexpected %q", message(err), want)
	}
}

// What cannot be recorded ends the run at once, with that reason.
func TestRecordThatCannotBeWritten(t *testing.T) {
	var b *rig
	b = newRig(t, func(ctx context.Context, o train.Options) (*train.Result, error) {
		if err := os.Mkdir(filepath.Join(b.dir, lab.LogFile), 0o755); err != nil {
			t.Fatal(err)
		}
		o.Observer.Progress(train.Progress{Step: 1, Steps: 20})
		if ctx.Err() == nil {
			t.Error("the engine was not asked to stop")
		}
		return trained(nil), ctx.Err()
	})
	_, err := b.train(t, context.Background(), false)
	if want := filepath.Join(b.dir, lab.LogFile) + ": is a directory"; fault.ExitCode(err) != 1 || message(err) != want {
		t.Errorf("found %v, expected %q", err, want)
	}
}

// The limit that ended the last session no longer holds, unless it is given again.
func TestPastLimits(t *testing.T) {
	for name, c := range map[string]struct {
		reason    string
		steps     int // of the result
		given     string
		stop      int
		limit     time.Duration
		ended     string
		wantStop  int
		wantLimit time.Duration
	}{
		"stop step":           {"stop-step", 20, "", 20, 0, "", 0, 0},
		"stop step, again":    {"stop-step", 20, "train.stop_step", 20, 0, "", 20, 0},
		"later stop step":     {"stop-step", 20, "", 30, 0, "", 30, 0},
		"other step":          {"stop-step", 30, "", 20, 0, "", 20, 0},
		"time":                {"time-limit", 20, "", 0, time.Minute, "", 0, 0},
		"time, again":         {"time-limit", 20, "train.time_limit", 0, time.Minute, "", 0, time.Minute},
		"more time":           {"time-limit", 20, "", 0, 2 * time.Minute, "", 0, 2 * time.Minute},
		"plateau":             {"plateau", 20, "", 50, time.Hour, "plateau", 50, time.Hour},
		"interrupted, limits": {"interrupted", 20, "", 20, time.Minute, "", 20, time.Minute},
	} {
		cfg := config.Default("mcmc")
		cfg.Train.StopStep, cfg.Train.TimeLimit, cfg.Train.PlateauSteps = c.stop, c.limit, 5
		from := start{file: &checkpoint.File{Header: checkpoint.Header{Step: 20, Seconds: 61}}}
		pastLimits(&from, &cfg, &lab.Result{Steps: c.steps, StopReason: c.reason}, map[string]bool{c.given: true})
		if cfg.Train.StopStep != c.wantStop || cfg.Train.TimeLimit != c.wantLimit || from.ended != c.ended {
			t.Errorf("%s: stop_step %d, time_limit %s, ended %q", name, cfg.Train.StopStep, cfg.Train.TimeLimit, from.ended)
		}
		if changed := c.stop != c.wantStop || c.limit != c.wantLimit || c.ended != ""; changed != (len(from.notes) == 1) {
			t.Errorf("%s: said %q", name, from.notes)
		}
	}
}

func TestOtherInstructionPath(t *testing.T) {
	h := checkpoint.Header{Backend: "cpu", Instructions: "go"}
	if got := otherPath(&h, "go"); got != nil {
		t.Errorf("the same path: %q", got)
	}
	if got := otherPath(&h, "avx2"); len(got) != 1 || !strings.Contains(got[0], "path go, this is avx2") {
		t.Errorf("another path: %q", got)
	}
	h.Backend = "vulkan"
	if got := otherPath(&h, "avx2"); got != nil {
		t.Errorf("a GPU: %q", got)
	}
}

func TestOtherBuild(t *testing.T) {
	for _, c := range []struct {
		made, here string
		warns      bool
	}{{"a1", "a1", false}, {"", "a1", false}, {"a1", "", false}, {"a1", "b2", true}, {"a1", "a1+changes", true}} {
		got := otherBuild(&checkpoint.Header{Build: c.made}, c.here)
		if (len(got) == 1) != c.warns || c.warns && !strings.Contains(got[0], c.made+", this is "+c.here) {
			t.Errorf("%+v: %q", c, got)
		}
	}
	b := buildInfo{Revision: "a1"}
	if b.name() != "a1" {
		t.Errorf("found %q", b.name())
	}
	if b.Modified = true; b.name() != "a1+changes" {
		t.Errorf("found %q", b.name())
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{"runs/a-1": "runs/a-1", "a b": "'a b'", "it's": `'it'\''s'`} {
		if got := shellWord(in); got != want {
			t.Errorf("%s: found %s, expected %s", in, got, want)
		}
	}
}

func TestInterruptBeforeTheFirstStepLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := newRig(t, func(ctx context.Context, _ train.Options) (*train.Result, error) { return nil, ctx.Err() })
	out, err := b.train(t, ctx, false)
	if fault.ExitCode(err) != 130 || out != nil || !strings.Contains(err.Error(), "before the first step") {
		t.Errorf("found %v, %v", out, err)
	}
	if _, err := os.Stat(b.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the run folder was left behind: %v", err)
	}
}

// An interrupt that comes when the work is done changes nothing.
func TestInterruptAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := newRig(t, func(context.Context, train.Options) (*train.Result, error) {
		cancel()
		return trained(nil), nil
	})
	if out, err := b.train(t, ctx, false); err != nil || out.doc.StopReason != "steps" {
		t.Errorf("found %v, expected a finished run", err)
	}
}

// A failed evaluation must not lose the model.
func TestFailureAfterTrainingSaves(t *testing.T) {
	b := newRig(t, func(context.Context, train.Options) (*train.Result, error) {
		return trained(nil), fault.Dataf("r_7.png: damaged")
	})
	out, err := b.train(t, context.Background(), false)
	if out != nil || fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), "r_7.png: damaged (the splats of step 20 are saved in "+b.dir) {
		t.Errorf("found %v, %v", out, err)
	}
	if doc := b.result(t); doc.StopReason != "failed" || doc.Splats != 1 {
		t.Errorf("result: %+v", doc)
	}
}

func TestFailureBeforeTrainingKeepsTheOldRun(t *testing.T) {
	b := newRig(t, func(_ context.Context, o train.Options) (*train.Result, error) {
		o.Observer.Loading(1, 2)
		o.Observer.Progress(train.Progress{Steps: 20})
		return nil, fault.Dataf("r_1.png: damaged")
	})
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(b.dir, lab.ModelFile)
	if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := b.train(t, context.Background(), true); fault.ExitCode(err) != 3 {
		t.Errorf("found %v, expected exit code 3", err)
	}
	if text, err := os.ReadFile(old); string(text) != "old" {
		t.Errorf("the old model is lost: %q, %v", text, err)
	}
}

// Where another run took the folder in the meantime, training ends at once.
func TestStolenFolderEndsTheRun(t *testing.T) {
	var b *rig
	b = newRig(t, func(ctx context.Context, o train.Options) (*train.Result, error) {
		if err := os.WriteFile(filepath.Join(b.dir, lab.ModelFile), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		o.Observer.Progress(train.Progress{Step: 1, Steps: 20})
		if ctx.Err() == nil {
			t.Error("the engine was not asked to stop")
		}
		return nil, ctx.Err()
	})
	if _, err := b.train(t, context.Background(), false); fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), "already holds a run") {
		t.Errorf("found %v, expected a refusal", err)
	}
}

func TestScoresOfTrainingViewsAreNotTestScores(t *testing.T) {
	res := trained(&train.Evaluation{Split: "train", Views: 9, PSNR: math.Inf(1), SSIM: 1})
	doc := result(config.Default("mcmc"), res, nil)
	if doc.TestViews != 0 || doc.Split != "train" || doc.PSNR != nil || *doc.SSIM != 1 {
		t.Errorf("result: %+v", doc)
	}
}

func TestSettingsLines(t *testing.T) {
	cfg := config.Default("adc")
	cfg.Train.Steps, cfg.Train.StopStep, cfg.Train.Background = 7000, 100, "white"
	got := strings.Join(settingsLines(cfg), "\n")
	want := "settings: adc, 7000 steps (ends at step 100), at most 1000000 splats, background white, seed 42\n" +
		`not the default: train.steps = 7000, train.stop_step = 100, train.background = "white"`
	if got != want {
		t.Errorf("found:\n%s\nexpected:\n%s", got, want)
	}
}
