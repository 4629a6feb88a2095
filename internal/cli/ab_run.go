package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"splat/internal/ab"
	"splat/internal/atomicfile"
	"splat/internal/config"
	"splat/internal/kernel"
	"splat/internal/lab"
	"splat/internal/splatio/ply"
	"splat/internal/train"
)

func slowForTests() string { return os.Getenv(SlowEnv) }

// writeConfig stores the configuration of an arm so that it repeats its runs from any
// folder.
func writeConfig(path string, cfg config.Run) error {
	cfg.Data.Path = absolute(cfg.Data.Path)
	if cfg.Model.Init != "" {
		cfg.Model.Init = absolute(cfg.Model.Init)
	}
	return atomicfile.Write(path, func(w io.Writer) error { return config.Write(w, cfg) })
}

// announce says what will happen.
func (x *experiment) announce() {
	p, say := x.plan, x.app.log.note
	say(fmt.Sprintf("A: %s = %s; B: %s = %s", p.Key, p.Values[0], p.Key, p.Values[1]))
	if len(p.Changed) > 0 {
		say("differs: " + join(p.Changed, ", "))
	} else {
		say("differs: nothing, both are the same configuration")
	}
	for i, arm := range x.arms {
		if i == 0 || arm.device != x.arms[0].device {
			say(arm.device)
		}
		if i == 0 || arm.capture != x.arms[0].capture {
			for _, line := range captureLines(arm.capture) {
				say(line)
			}
		}
	}
	if p.Equal {
		say("both must give the same splats, byte by byte")
	}
	say(x.runsLine())
	for _, n := range x.notes {
		say(n)
	}
	x.app.log.note("record: " + absolute(x.dir))
}

// runsLine tells the number of runs and what they are for.
func (x *experiment) runsLine() string {
	p := x.plan
	text := fmt.Sprintf("runs: %d, of %s", len(p.Jobs()), plural(x.arms[0].cfg.Train.Steps, "step"))
	if n := x.arms[1].cfg.Train.Steps; n != x.arms[0].cfg.Train.Steps {
		text += fmt.Sprintf(" (B %d)", n)
	}
	text += fmt.Sprintf(": one of each to warm up, %s of A against A, %s of A against B", plural(p.Floor, "pair"), plural(p.Pairs, "pair"))
	return text + "; " + kernelSource(p)
}

// kernelSource says where kernel times come from.
func kernelSource(p ab.Plan) string {
	switch p.Kernels {
	case ab.Separate:
		return "then as many instrumented ones for kernel times, so that the others are not disturbed"
	case ab.Same:
		return "all are instrumented, for kernel times"
	}
	return "kernels are not timed"
}

// train makes one run.
func (x *experiment) train(ctx context.Context, j ab.Job) (ab.Sample, error) {
	arm := x.arms[j.Arm()]
	cfg := arm.cfg
	cfg.Backend.Profile = cfg.Backend.Profile || j.Profile
	runtime.GC() // of the run before, whose memory would be collected in this one
	o := &abObserver{x: x, job: j}
	res, err := x.app.engine(ctx, train.Options{
		Config: cfg, Capture: arm.capture, Pictures: arm.pictures, ProfileAtEnd: true, Observer: o, AtRest: o.atRest,
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return ab.Sample{}, fmt.Errorf("%s (%s = %s): %w", j, x.plan.Key, x.plan.Values[j.Arm()], err)
	}
	s := ab.Sample{Steps: res.Steps, Seconds: res.TrainSeconds, At: time.Now().UTC()}
	if o.warm.Step < res.Steps {
		s.WarmSteps, s.WarmSeconds = o.warm.Step, o.warm.Elapsed.Seconds()
	}
	if e := res.Final; e != nil {
		s.PSNR, s.SSIM = lab.Score(e.PSNR), lab.Score(e.SSIM)
	}
	sum, dropped, err := ply.Sum(res.Cloud)
	s.SHA256, s.Splats = sum, res.Cloud.Len()-dropped
	if j.Profile {
		s.Kernels = kernelTimes(res)
	}
	x.app.log.detail("%s: %.3f s, %s", j, s.Seconds, plural(s.Steps, "step"))
	return s, err
}

// kernelTimes are those of a run. The passes of a sort, "depth-sort 1/4", are one stage:
// the more kernels there are, the more pairs it takes to accuse one.
func kernelTimes(res *train.Result) (list []ab.KernelTime) {
	for _, t := range res.Timings {
		stage, _, _ := strings.Cut(t.Stage, " ")
		list = append(list, ab.KernelTime{Stage: stage, Kernel: t.Kernel, Group: t.Group, Calls: t.Calls, Seconds: t.Total.Seconds(), Steps: t.Runs, Median: t.Median.Seconds()})
	}
	return list
}

func (x *experiment) starting(j ab.Job, done, all int) { x.show.job(j, done, all) }

// abObserver passes on what happens in a run: choices with -v, warnings once.
type abObserver struct {
	x    *experiment
	job  ab.Job
	last train.Progress // the newest
	warm train.Progress // where the beginning of the run ends: its first rest, a quarter of it
}

// atRest notes how long the beginning of the run took: the device is at rest and has done
// just what the newest progress says.
func (o *abObserver) atRest(_ kernel.Backend, step int) {
	if step > 0 && o.warm.Step == 0 && o.last.Step == step {
		o.warm = o.last
	}
}

// Note prints warnings of the first runs and, with -v, everything.
func (o *abObserver) Note(text string) {
	for _, line := range lines(text) {
		if strings.HasPrefix(line, "warning: ") && o.x.show.first(line) {
			o.x.app.log.note(line)
		} else {
			o.x.app.log.detail("%s", line)
		}
	}
}

// Loading shows how many pictures are decoded.
func (o *abObserver) Loading(done, total int) { o.x.show.loading(done, total) }

// Progress shows the state of the run.
func (o *abObserver) Progress(p train.Progress) {
	o.last = p
	o.x.show.step(p)
}

// Metrics is of no use here.
func (*abObserver) Metrics(train.Metrics) {}

// Evaluated is of no use here: the result holds the last one.
func (*abObserver) Evaluated(train.Evaluation) {}
