package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"splat/internal/compare"
	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/lab"
	"splat/internal/process"
	"splat/internal/train"
)

// otherGrace is the time that another trainer has after an interrupt.
const otherGrace = 20 * time.Second

// runOther runs the other trainer and measures its splats.
func (c *comparison) runOther(ctx context.Context) (*compare.Trainer, error) {
	if err := os.MkdirAll(c.fill["out"], 0o755); err != nil {
		return nil, fault.AtFile(c.fill["out"], err)
	}
	model := compare.ExpandPath(c.flags.model, c.fill)
	before, _ := os.Stat(model)
	log := filepath.Join(c.dir, c.flags.name+".log")
	t := &compare.Trainer{Name: c.flags.name, Command: compare.Expand(c.flags.cmd, c.fill), Model: absolute(model), Log: absolute(log)}
	c.app.log.notef("running %s; its output is in %s", t.Name, log)
	c.app.log.detail("%s", t.Command)
	exit, err := c.shell(ctx, t, log)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, interruptedCompare()
	}
	c.app.log.notef("%s: %s after %.1f s", t.Name, exit, exit.Wall.Seconds())
	if exit.Code != 0 {
		return nil, fmt.Errorf("%s: %s; its output is in %s", t.Name, said(exit.String(), lastLine(log, "")), log)
	}
	if err := checkWritten(t, before, log); err != nil {
		return nil, err
	}
	return t, c.score(ctx, t)
}

// shell runs the command of a trainer and notes what it took.
func (c *comparison) shell(ctx context.Context, t *compare.Trainer, log string) (process.Exit, error) {
	out, err := openLog(log)
	if err != nil {
		return process.Exit{}, err
	}
	defer out.Close()
	fmt.Fprintf(out, "$ %s\n", t.Command)
	words := compare.Shell(t.Command)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	watch := compare.WatchGPUs()
	exit, err := process.Run(ctx, cmd, otherGrace)
	gpus, why := watch.Stop()
	if err != nil {
		return exit, fmt.Errorf("%s: cannot be run: %w", t.Name, fault.Reason(err))
	}
	cpu := (exit.User + exit.System).Seconds()
	t.Exit, t.Wall, t.CPU = &exit.Code, exit.Wall.Seconds(), &cpu
	t.GPUs, t.GPUNote = append([]compare.GPU{}, gpus...), why
	return exit, nil
}

// checkWritten reports where the command did not write its splats: a file that was
// there before is not its result.
func checkWritten(t *compare.Trainer, before fs.FileInfo, log string) error {
	now, err := os.Stat(t.Model)
	if err != nil {
		return fmt.Errorf("%s ended with exit code 0 and wrote no %s, the file of --model; its output is in %s", t.Name, t.Model, log)
	}
	if before != nil && os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()) && before.Size() == now.Size() {
		return fmt.Errorf("%s did not write %s, the file of --model: it is as it was before; its output is in %s", t.Name, t.Model, log)
	}
	return nil
}

// score measures the splats of a trainer as splat eval does, on the views that all
// trainers are measured on.
func (c *comparison) score(ctx context.Context, t *compare.Trainer) error {
	m, err := openModel(t.Model)
	if err != nil {
		return err
	}
	cfg, err := c.app.resolve(config.Source{
		Set:   append(lookSettings(c.cfg), m.settings()...),
		Flags: []config.Setting{{Key: "data.path", Value: c.cfg.Data.Path, Origin: "DATA"}},
	})
	if err != nil {
		return err
	}
	m.cloud.Antialiased = cfg.Model.Antialiased
	watch := &watcher{console: c.app.log, progress: c.app.log.newProgress()}
	e, err := train.Evaluate(ctx, train.EvalOptions{
		Config: cfg, Capture: c.capture, Cloud: m.cloud, Split: c.flags.split, LimitTest: cfg.Eval.LimitTest, Observer: watch,
	})
	watch.progress.stop()
	if err != nil {
		return err
	}
	t.PSNR, t.SSIM, t.Splats, t.Background = lab.Score(e.PSNR), lab.Score(e.SSIM), m.cloud.Len(), cfg.Train.Background
	for _, w := range m.info.Warnings {
		c.app.log.warn(t.Name + ": " + w)
	}
	t.SHA256, err = lab.Sum(m.path)
	return err
}
