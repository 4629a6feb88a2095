package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/ab"
	"splat/internal/config"
	"splat/internal/demo"
	"splat/internal/gaussian"
	"splat/internal/kernel"
	"splat/internal/train"
)

// abRig runs splat ab with an engine of the test on a real capture.
type abRig struct {
	capture, dir   string
	stdout, stderr bytes.Buffer
	engine         func(context.Context, train.Options) (*train.Result, error)
}

func newABRig(t *testing.T) *abRig {
	t.Helper()
	r := &abRig{capture: filepath.Join(t.TempDir(), "capture"), dir: filepath.Join(t.TempDir(), "ab")}
	if err := demo.WriteCapture(context.Background(), r.capture, demo.Options{Size: 16, Train: 2, Test: 1}); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *abRig) run(ctx context.Context, args ...string) int {
	r.stdout.Reset()
	r.stderr.Reset()
	app := newApp(nil, &r.stdout, &r.stderr)
	app.engine = r.engine
	return app.run(ctx, append([]string{"ab"}, args...))
}

func (r *abRig) begin(ctx context.Context, args ...string) int {
	return r.run(ctx, append([]string{r.capture, "--device", "cpu", "--out", r.dir, "--json"}, args...)...)
}

func (r *abRig) document(t *testing.T) *ab.Document {
	t.Helper()
	d := &ab.Document{}
	if err := json.Unmarshal(r.stdout.Bytes(), d); err != nil {
		t.Fatalf("%v in %q; %s", err, r.stdout.String(), r.stderr.String())
	}
	return d
}

// timed is a result of a training that took so many seconds. Its splats follow from the
// seed.
func timed(o train.Options, seconds float64, kernels ...kernel.Timing) *train.Result {
	c := gaussian.New(1, 0)
	c.Quats[0], c.Means[0] = 1, float32(o.Config.Train.Seed)
	return &train.Result{
		Cloud: c, Steps: o.Config.Train.Steps, TrainSeconds: seconds, Timings: kernels, StopReason: train.StopSteps,
		Final: &train.Evaluation{PSNR: 30, SSIM: 0.9},
	}
}

func TestABOfKnownTimes(t *testing.T) {
	r := newABRig(t)
	var seen []train.Options
	r.engine = func(_ context.Context, o train.Options) (*train.Result, error) {
		seen = append(seen, o)
		seconds := 10 + 0.001*float64(len(seen)%5)
		if o.Config.Train.LogEvery == 50 {
			seconds *= 0.9
		}
		if !o.Config.Backend.Profile {
			return timed(o, seconds), nil
		}
		return timed(o, 2*seconds, kernel.Timing{Stage: "raster", Kernel: "forward", Calls: 100, Total: 1e9}), nil
	}
	if code := r.begin(context.Background(), "--vary", "train.log_every=100,50", "--steps", "100"); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.stderr.String())
	}
	d := r.document(t)
	q := d.Analysis.Quantities[0]
	if d.Analysis.Words() != "accepted" || q.Name != "step time" || q.Difference.Percent < 9.9 || q.Difference.Percent > 10.1 {
		t.Errorf("found %s, %+v", d.Analysis.Words(), q)
	}
	if d.Analysis.Arms[0].SHA256 != d.Analysis.Arms[1].SHA256 || !d.Plan.Equal || !d.Complete {
		t.Errorf("arms %+v, plan %+v", d.Analysis.Arms, d.Plan)
	}
	if len(d.Runs) != 2*(2+22+22) || len(d.Runs) != len(seen) {
		t.Errorf("%d runs recorded, %d made", len(d.Runs), len(seen))
	}
	for i, o := range seen {
		if o.Capture != seen[0].Capture || o.Pictures == nil || o.Pictures != seen[0].Pictures {
			t.Fatalf("run %d does not share the decoded pictures", i)
		}
		if o.Config.Backend.Profile != d.Runs[i].Profile || o.Checkpoints != nil {
			t.Fatalf("run %d: profile %v, recorded as %v", i, o.Config.Backend.Profile, d.Runs[i].Profile)
		}
	}
	if k := d.Analysis.Kernels; k.Count != 1 || k.Pairs != 11 || len(k.Changed) != 0 {
		t.Errorf("kernels: %+v", k)
	}
	again, err := ab.Read(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, again); diff != "" {
		t.Errorf("the record (-printed +stored):\n%s", diff)
	}
}

func TestABSharesNoPicturesOfOtherSettings(t *testing.T) {
	r := newABRig(t)
	stores := map[int]*train.Pictures{}
	r.engine = func(_ context.Context, o train.Options) (*train.Result, error) {
		stores[o.Config.Data.MaxSize] = o.Pictures
		return timed(o, 1), nil
	}
	if code := r.begin(context.Background(), "--vary", "data.max_size=16,1920", "--pairs", "1", "--kernels", "none"); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.stderr.String())
	}
	if len(stores) != 2 || stores[16] == stores[1920] {
		t.Errorf("pictures of another size are shared: %v", stores)
	}
}

// TestABFailsOnOtherBytes, at once and by name, and keeps what there is.
func TestABFailsOnOtherBytes(t *testing.T) {
	r := newABRig(t)
	made := 0
	r.engine = func(_ context.Context, o train.Options) (*train.Result, error) {
		made++
		o.Config.Train.Seed += o.Config.Backend.Threads
		return timed(o, 1), nil
	}
	code := r.begin(context.Background(), "--vary", "backend.threads=1,2")
	if code != 1 || made != 2 || !strings.Contains(r.stderr.String(), "backend.threads = 1 and 2 should give the same splats") {
		t.Errorf("exit code %d after %d runs: %s", code, made, r.stderr.String())
	}
	d, err := ab.Read(r.dir)
	if err != nil || d.Complete || !strings.Contains(d.Failure, "should give the same splats") || len(d.Runs) != 2 {
		t.Errorf("record: %+v, %v", d, err)
	}
	made = 0
	r.engine = func(_ context.Context, o train.Options) (*train.Result, error) {
		made++
		o.Config.Train.Seed += made / 9
		return timed(o, 1), nil
	}
	r.dir += "2"
	code = r.begin(context.Background(), "--vary", "train.seed=1,2")
	if code != 1 || made != 9 || !strings.Contains(r.stderr.String(), "gave two results") {
		t.Errorf("exit code %d after %d runs: %s", code, made, r.stderr.String())
	}
}

// TestABInterruptedGoesOn: exit code 130 with what there is, and the rest later.
func TestABInterruptedGoesOn(t *testing.T) {
	r := newABRig(t)
	ctx, cancel := context.WithCancel(context.Background())
	made, stop := 0, 30
	r.engine = func(ctx context.Context, o train.Options) (*train.Result, error) {
		if made == stop {
			cancel()
			return timed(o, 1), ctx.Err()
		}
		made++
		return timed(o, 1+0.001*float64(made%3)), nil
	}
	code := r.begin(ctx, "--vary", "train.seed=1,2", "--kernels", "none", "--steps", "20")
	if code != 130 || !strings.Contains(r.stderr.String(), "interrupted after 30 of 46 runs; go on with splat ab --resume "+r.dir) {
		t.Fatalf("exit code %d: %s", code, r.stderr.String())
	}
	d := r.document(t)
	if d.Complete || len(d.Runs) != 30 || d.Analysis.Quantities[0].Difference.Pairs != 3 || !strings.Contains(d.Failure, "interrupted") {
		t.Errorf("record: complete %v, %d runs, %d pairs, %s", d.Complete, len(d.Runs), d.Analysis.Quantities[0].Difference.Pairs, d.Failure)
	}

	made, stop = 0, -1
	if code := r.run(context.Background(), "--resume", r.dir, "--json"); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.stderr.String())
	}
	d = r.document(t)
	if made != 2+16 || !d.Complete || d.Analysis.Quantities[0].Difference.Pairs != 11 || d.Plan.Values != [2]string{"1", "2"} || len(d.Origin.Sessions) != 2 {
		t.Errorf("went on with %d runs: complete %v, %d pairs, plan %+v", made, d.Complete, d.Analysis.Quantities[0].Difference.Pairs, d.Plan)
	}
	if d.Runs[0].Steps != 20 || d.Runs[len(d.Runs)-1].Steps != 20 {
		t.Error("the second session does not have the configuration of the first")
	}
}

func TestABErrorsNameTheArm(t *testing.T) {
	r := newABRig(t)
	r.engine = func(_ context.Context, o train.Options) (*train.Result, error) {
		if o.Config.Train.Seed == 2 {
			return nil, errors.New("all splats were pruned")
		}
		return timed(o, 1), nil
	}
	code := r.begin(context.Background(), "--vary", "train.seed=1,2")
	if code != 1 || !strings.Contains(r.stderr.String(), "warm-up, B (train.seed = 2): all splats were pruned") {
		t.Errorf("exit code %d: %s", code, r.stderr.String())
	}
}

// TestABNamesTheSlowedKernel runs the real engine with a kernel that runs eight times in
// B, which makes it far more than a fifth of a step. On a machine with other work one
// preempted run of eleven can hide it, so it may take a few attempts. Intervals of 95 % may
// accuse another kernel once in twenty experiments, but not the same one again.
func TestABNamesTheSlowedKernel(t *testing.T) {
	r := newABRig(t)
	r.engine = train.Run
	t.Setenv(SlowEnv, "project*8")
	dir, wrongly := r.dir, map[string]int{}
	for attempt := 1; ; attempt++ {
		r.dir = fmt.Sprint(dir, attempt)
		code := r.begin(context.Background(), "--vary", "train.seed=42,42", "--steps", "40", "--kernels", "same", "--threads", "1",
			"--set", "model.init_splats=2000", "--set", "model.max_splats=2000", "--set", "eval.skip=true")
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, r.stderr.String())
		}
		d := r.document(t)
		if d.Analysis.Arms[0].SHA256 != d.Analysis.Arms[1].SHA256 {
			t.Error("slowing a kernel changed the splats")
		}
		switch changed := d.Analysis.Kernels.Changed; {
		case slices.Equal(changed, []string{"project.project"}):
			return
		case attempt == 5:
			t.Fatalf("the slowed kernel was not accused alone in %d attempts; others: %v", attempt, wrongly)
		default:
			for _, k := range changed {
				if wrongly[k]++; k != "project.project" && wrongly[k] > 1 {
					t.Fatalf("accused: %v, and %s before; expected the slowed kernel alone", changed, k)
				}
			}
		}
	}
}

func TestKeysThatKeepTheBytes(t *testing.T) {
	for key, want := range map[string]bool{
		"backend.variants.emit": true, "backend.variants.backward": true, "backend.variants.raster": false,
		"backend.profile": true, "backend.device": false, "train.steps": false, "loss.ssim_lambda": false, "backend.host": false,
	} {
		if _, known := config.Lookup(key); !known {
			t.Errorf("%s is no key", key)
		}
		if keepsBytes(key) != want {
			t.Errorf("%s: found %v", key, !want)
		}
	}
}

func TestWhatFollowsFromTheConfigurations(t *testing.T) {
	for _, c := range []struct {
		change         func(a, b *config.Run)
		kernels        ab.Kernels
		equal, repeats bool
	}{
		{func(a, b *config.Run) {}, ab.Separate, true, true},
		{func(a, b *config.Run) { b.Backend.Profile = true }, ab.None, true, true},
		{func(a, b *config.Run) { a.Backend.Profile, b.Backend.Profile = true, true }, ab.Same, true, true},
		{func(a, b *config.Run) { b.Backend.Sync = "kernel" }, ab.Separate, true, true},
		{func(a, b *config.Run) { b.Backend.Sync, b.Train.Seed = "kernel", 7 }, ab.Separate, false, true},
		{func(a, b *config.Run) { a.Train.TimeLimit = 1e9 }, ab.Separate, false, false},
	} {
		configs := [2]config.Run{config.Default("mcmc"), config.Default("mcmc")}
		c.change(&configs[0], &configs[1])
		x := &experiment{plan: ab.Plan{Kernels: ab.Separate}}
		x.choose(configs)
		if p := x.plan; p.Kernels != c.kernels || p.Equal != c.equal || p.Repeats != c.repeats {
			t.Errorf("%v: found %s, equal %v, repeats %v", x.plan.Changed, p.Kernels, p.Equal, p.Repeats)
		}
	}
}

func TestPercentFlags(t *testing.T) {
	for text, want := range map[string]float64{"3%": 3, "3": 3, " 2.5 % ": 2.5} {
		if v, err := percentFlag("gate", text, 0, 100); err != nil || v != want {
			t.Errorf("%q: found %v, %v", text, v, err)
		}
	}
	for _, text := range []string{"", "0", "-1%", "100%", "NaN", "x", "3%%"} {
		if v, err := percentFlag("gate", text, 0, 100); err == nil {
			t.Errorf("%q: found %v, expected an error", text, fmt.Sprint(v))
		}
	}
}

func TestPassesOfASortAreOneStage(t *testing.T) {
	list := kernelTimes(&train.Result{Timings: []kernel.Timing{
		{Stage: "depth-sort 1/4", Kernel: "scatter", Calls: 3, Total: 3e9, Runs: 3, Group: "forward"},
		{Stage: "depth-sort 2/4", Kernel: "scatter", Calls: 3, Total: 6e9, Runs: 3, Group: "forward"},
	}})
	want := []ab.KernelTime{
		{Stage: "depth-sort", Kernel: "scatter", Group: "forward", Calls: 3, Seconds: 3, Steps: 3},
		{Stage: "depth-sort", Kernel: "scatter", Group: "forward", Calls: 3, Seconds: 6, Steps: 3},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
