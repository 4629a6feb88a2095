package train

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splat/internal/dataset"
	"splat/internal/geom"
)

func TestTrainingImproves(t *testing.T) {
	capture := smallCapture(t)
	for _, strategy := range []string{"mcmc", "adc"} {
		t.Run(strategy, func(t *testing.T) {
			c := smallConfig(strategy, 240)
			c.Eval.Every = 120
			start := c
			start.Train.StopStep = 1
			first, _ := mustRun(t, start, capture)
			last, rec := mustRun(t, c, capture)
			if last.Final.PSNR < first.Final.PSNR+3 {
				t.Errorf("PSNR %.2f after 240 steps, %.2f after 1", last.Final.PSNR, first.Final.PSNR)
			}
			if last.Steps != 240 || last.StopReason != StopSteps || last.Cloud.Len() == 0 || last.TrainSeconds <= 0 {
				t.Errorf("result %+v", last)
			}
			if len(rec.evaluations) != 2 || rec.evaluations[0].Step != 120 || rec.evaluations[1].Views != 3 {
				t.Errorf("evaluations %+v", rec.evaluations)
			}
			if n := len(rec.metrics); n != 12 || rec.metrics[11].Step != 240 || rec.metrics[11].Pairs == 0 {
				t.Errorf("%d metrics, last %+v", n, rec.metrics[n-1])
			}
		})
	}
}

// TestSameSeedSameSplats trains past refines with one thread and with three.
func TestSameSeedSameSplats(t *testing.T) {
	capture := smallCapture(t)
	for _, strategy := range []string{"mcmc", "adc"} {
		c := smallConfig(strategy, 90)
		c.Model.MaxSplats = 700
		c.Train.Background = "random"
		c.Strategy.OpacityDecay, c.Strategy.AbsGrad = 0.004, true
		c.Backend.Threads = 1
		one, _ := mustRun(t, c, capture)
		c.Backend.Threads = 3
		three, _ := mustRun(t, c, capture)
		if d := cmp.Diff(one.Cloud, three.Cloud); d != "" {
			t.Errorf("%s: splats depend on the number of threads", strategy)
		}
		c.Train.Seed++
		other, _ := mustRun(t, c, capture)
		if cmp.Equal(one.Cloud, other.Cloud) {
			t.Errorf("%s: another seed gives the same splats", strategy)
		}
	}
}

// TestEvaluateAgreesWithTraining reloads the result into a fresh scene.
func TestEvaluateAgreesWithTraining(t *testing.T) {
	capture := smallCapture(t)
	for _, antialiased := range []bool{false, true} {
		c := smallConfig("mcmc", 60)
		c.Model.Antialiased = antialiased
		r, _ := mustRun(t, c, capture)
		e, err := Evaluate(context.Background(), EvalOptions{Config: c, Capture: capture, Cloud: r.Cloud, Observer: &recorder{}})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(e.PSNR-r.Final.PSNR) > 0.02 || e.Split != "test" || e.Views != 3 {
			t.Errorf("evaluation %+v, training said %.3f", e, r.Final.PSNR)
		}
		if r.Cloud.Antialiased != antialiased {
			t.Error("the cloud forgot its antialias mode")
		}
	}
}

// TestWorldFrame moves, turns and enlarges the world: the result must follow.
func TestWorldFrame(t *testing.T) {
	capture := smallCapture(t)
	moved := *capture
	moved.Views = nil
	const scale = 50
	offset := geom.Vec3{3000, -2000, 1000}
	for _, v := range capture.Views {
		// x_camera = R x + T with x = (y - offset)/scale, times scale
		v.Pose.T = v.Pose.T.Scale(scale).Sub(v.Pose.R.MulVec(offset))
		moved.Views = append(moved.Views, v)
	}
	c := smallConfig("mcmc", 120)
	a, _ := mustRun(t, c, capture)
	b, _ := mustRun(t, c, &moved)
	if math.Abs(a.Final.PSNR-b.Final.PSNR) > 1 {
		t.Errorf("PSNR %.2f at home, %.2f in a world far from the origin", a.Final.PSNR, b.Final.PSNR)
	}
	lo, hi := b.Cloud.Bounds()
	for k := range 3 {
		mid := (lo[k] + hi[k]) / 2
		if math.Abs(mid-offset[k]) > 4*scale {
			t.Errorf("axis %d: splats around %.0f, the object is at %.0f", k, mid, offset[k])
		}
	}
}

func TestEarlyEnds(t *testing.T) {
	capture := smallCapture(t)
	c := smallConfig("mcmc", 100000)
	c.Train.TimeLimit = 300 * time.Millisecond
	r, _ := mustRun(t, c, capture)
	if r.StopReason != StopTimeLimit || r.Steps == 0 || r.TrainSeconds < 0.3 {
		t.Errorf("time limit: %d steps, %s after %.2f s", r.Steps, r.StopReason, r.TrainSeconds)
	}
	c = smallConfig("mcmc", 100000)
	c.Train.StopStep = 33
	if r, _ = mustRun(t, c, capture); r.StopReason != StopStep || r.Steps != 33 {
		t.Errorf("stop step: %d steps, %s", r.Steps, r.StopReason)
	}
	c = smallConfig("mcmc", 100000)
	c.Train.PlateauSteps, c.Train.PlateauFraction = 30, 0.9
	if r, _ = mustRun(t, c, capture); r.StopReason != StopPlateau || r.Steps > 500 {
		t.Errorf("plateau: %d steps, %s", r.Steps, r.StopReason)
	}
}

// TestInterrupt cancels a run; what it has must come back.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	rec := &recorder{onProgress: func(p Progress) {
		if p.Step >= 25 {
			cancel()
		}
	}}
	r, err := Run(ctx, Options{Config: smallConfig("mcmc", 100000), Capture: smallCapture(t), Observer: rec})
	if !errors.Is(err, context.Canceled) || r == nil || r.Steps < 25 || r.Cloud.Len() == 0 {
		t.Fatalf("interrupted: %+v, %v", r, err)
	}
}

func TestScheduleDoesNotDependOnStopStep(t *testing.T) {
	capture := smallCapture(t)
	c := smallConfig("mcmc", 100)
	c.Train.StopStep = 50
	a, _ := mustRun(t, c, capture)
	c.Train.StopStep = 0
	rec := &recorder{}
	ctx, cancel := context.WithCancel(context.Background())
	rec.onProgress = func(p Progress) {
		if p.Step == 50 {
			cancel()
		}
	}
	c.Train.LogEvery = 1 // one step a submission
	b, _ := Run(ctx, Options{Config: c, Capture: capture, Observer: rec})
	if !cmp.Equal(a.Cloud, b.Cloud) {
		t.Error("50 steps of a run of 100 differ between stop_step and an interrupt")
	}
}

// blackCapture has nothing to learn.
func blackCapture(t *testing.T) *dataset.Capture {
	t.Helper()
	capture := smallCapture(t)
	dark := image.NewNRGBA(image.Rect(0, 0, 40, 40))
	for i := range dark.Pix {
		if i%4 == 3 {
			dark.Pix[i] = 255
		}
	}
	dark.Set(0, 0, color.NRGBA{A: 255})
	path := filepath.Join(t.TempDir(), "dark.png")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, dark); err != nil {
		t.Fatal(err)
	}
	for i := range capture.Views {
		capture.Views[i].Image = path
	}
	return capture
}

// TestEverythingPruned trains on black pictures until nothing is left to show.
func TestEverythingPruned(t *testing.T) {
	c := smallConfig("adc", 4000)
	c.Loss.OpacityReg = 5
	r, err := Run(context.Background(), Options{Config: c, Capture: blackCapture(t), Observer: &recorder{}})
	if err == nil || !strings.Contains(err.Error(), "all splats were pruned") {
		t.Fatalf("got %v", err)
	}
	if r == nil || r.Cloud == nil || r.Cloud.Len() != 0 {
		t.Errorf("result %+v", r)
	}
}

func TestBlackPicturesWithMCMC(t *testing.T) {
	c := smallConfig("mcmc", 200)
	r, _ := mustRun(t, c, blackCapture(t))
	if !(r.Final.PSNR > 30) {
		t.Errorf("PSNR %.1f on black pictures", r.Final.PSNR)
	}
}

func TestNoTestViews(t *testing.T) {
	capture := smallCapture(t)
	for i := range capture.Views {
		capture.Views[i].Test = false
	}
	c := smallConfig("mcmc", 10)
	c.Eval.LimitTest = 2
	r, rec := mustRun(t, c, capture)
	if r.Final.Split != "train" || r.Final.Views != 2 {
		t.Errorf("evaluated %+v", r.Final)
	}
	if !strings.Contains(strings.Join(rec.notes, "\n"), "no test views") {
		t.Error("nobody was told that the score is of training views")
	}
	c.Eval.Skip = true
	if r, _ = mustRun(t, c, capture); r.Final != nil {
		t.Error("evaluated although told not to")
	}
}

func TestMemoryIsSaidBeforeTheFirstStep(t *testing.T) {
	rec := &recorder{}
	rec.onProgress = func(p Progress) {
		if !strings.Contains(strings.Join(rec.notes, "\n"), "estimated memory") {
			t.Errorf("step %d came before the estimate", p.Step)
		}
	}
	if _, err := Run(context.Background(), Options{Config: smallConfig("mcmc", 5), Capture: smallCapture(t), Observer: rec}); err != nil {
		t.Fatal(err)
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		n, limit int
		want     []int
	}{{4, 0, []int{0, 1, 2, 3}}, {9, 3, []int{0, 3, 6}}, {2, 5, []int{0, 1}}, {0, 3, []int{}}} {
		if d := cmp.Diff(c.want, spread(c.n, c.limit)); d != "" {
			t.Errorf("spread(%d, %d): %s", c.n, c.limit, d)
		}
	}
}
