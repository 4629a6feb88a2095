package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"splat/internal/checkpoint"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/geom"
	"splat/internal/kernel"
)

// shelf keeps checkpoints as files, all of them.
type shelf struct {
	dir   string
	steps []int
	fails error
	slow  time.Duration
}

func newShelf(t testing.TB) *shelf { return &shelf{dir: t.TempDir()} }

func (s *shelf) path(step int) string { return filepath.Join(s.dir, fmt.Sprint(step)) }

func (s *shelf) Save(snap *checkpoint.Snapshot) error {
	time.Sleep(s.slow)
	s.steps = append(s.steps, snap.Step)
	if s.fails != nil {
		return s.fails
	}
	f, err := os.Create(s.path(snap.Step))
	if err != nil {
		return err
	}
	defer f.Close()
	return snap.Write(f)
}

func (s *shelf) open(t testing.TB, step int) *checkpoint.File {
	t.Helper()
	f, err := checkpoint.Open(s.path(step))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func (s *shelf) last() int { return s.steps[len(s.steps)-1] }

// resumeConfig crosses refines, raises of the SH degree and opacity resets.
func resumeConfig(strategy string) config.Run {
	c := smallConfig(strategy, 60)
	c.Model.MaxSplats, c.Model.InitSplats, c.Model.SHDegree = 350, 250, 2
	c.Train.SHInterval, c.Train.Background, c.Train.LogEvery = 20, "random", 10
	c.Strategy.RefineEvery, c.Strategy.OpacityDecay = 10, 0.004
	c.Strategy.RefineStart, c.Strategy.RefineStop = 0, 0.9
	c.Strategy.GrowGrad, c.Strategy.PruneOpacity = 2e-5, 0.05
	c.Eval.Every = 30
	return c
}

func mustResume(t testing.TB, o Options) (*Result, *recorder) {
	t.Helper()
	rec := &recorder{}
	o.Observer = rec
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r, rec
}

// untimed ignores what a clock measured.
var untimed = cmpopts.IgnoreFields(Metrics{}, "MSPerStep", "Seconds")

// From any checkpoint on, a run must end as if it had never stopped.
func TestResumeEndsTheSame(t *testing.T) {
	capture := smallCapture(t)
	for _, strategy := range []string{"mcmc", "adc"} {
		t.Run(strategy, func(t *testing.T) {
			c := resumeConfig(strategy)
			plain, rec := mustRun(t, c, capture)
			c.Train.SaveEvery = 1
			kept := newShelf(t)
			saved, _ := mustResume(t, Options{Config: c, Capture: capture, Checkpoints: kept})
			if !cmp.Equal(plain.Cloud, saved.Cloud) {
				t.Fatal("saving changes the splats")
			}
			if len(kept.steps) != 59 || kept.steps[0] != 1 || kept.last() != 59 {
				t.Fatalf("checkpoints at %v", kept.steps)
			}
			counts := map[uint32]bool{}
			for _, step := range []int{1, 9, 10, 11, 20, 33, 40, 54, 59} {
				f := kept.open(t, step)
				counts[uint32(f.Splats)] = true
				c.Backend.Threads = 1 + step%2
				r, again := mustResume(t, Options{Config: c, Capture: capture, Resume: f})
				if d := cmp.Diff(plain.Cloud, r.Cloud); d != "" {
					t.Errorf("resumed at step %d: other splats", step)
				}
				if d := cmp.Diff(rec.metrics[step/10:], again.metrics, untimed); d != "" {
					t.Errorf("resumed at step %d: metrics (-whole +resumed):\n%s", step, d)
				}
				if r.TrainSeconds <= f.Seconds || r.Final.PSNR != plain.Final.PSNR || r.StopReason != StopSteps {
					t.Errorf("resumed at step %d: %+v", step, r)
				}
				if want := fmt.Sprintf("resuming at step %d of 60", step); !strings.Contains(strings.Join(again.notes, "\n"), want) {
					t.Errorf("nobody was told %q", want)
				}
			}
			if len(counts) < 3 {
				t.Errorf("the number of splats hardly changes: %v", counts)
			}
		})
	}
}

// A refine whose step did not run, because it overflowed, is not run again.
func TestCheckpointAfterARefine(t *testing.T) {
	capture, c := smallCapture(t), resumeConfig("mcmc")
	whole, _ := mustRun(t, c, capture)
	s := startSession(t, c, capture)
	state, err := s.control()
	if err == nil {
		state, err = s.advance(t.Context(), state, 10)
	}
	if err == nil {
		err = errors.Join(s.report(state), s.pl.Backend.Submit(s.pl.RefineProgram, 1), s.pl.Backend.Wait())
	}
	if err == nil {
		state, err = s.control()
	}
	if err != nil || state.Step != 10 || state.LastRefine != 10 {
		t.Fatalf("%+v, %v", state, err)
	}
	if err := s.save(state); err != nil {
		t.Fatal(err)
	}
	r, _ := mustResume(t, Options{Config: c, Capture: capture, Resume: s.keep.(*shelf).open(t, 10)})
	if !cmp.Equal(whole.Cloud, r.Cloud) {
		t.Error("the resumed run ends with other splats")
	}
}

// Whatever ends a run early, the next session goes on from there.
func TestEveryEarlyEndCanBeResumed(t *testing.T) {
	capture := smallCapture(t)
	c := resumeConfig("mcmc")
	c.Train.SaveEvery = 0
	whole, _ := mustRun(t, c, capture)
	plateau := c
	plateau.Train.PlateauSteps, plateau.Train.PlateauFraction = 5, 0.9
	plateauWhole, _ := mustRun(t, plateau, capture)
	if plateauWhole.StopReason != StopPlateau || plateauWhole.Steps%plateauEvery != 0 {
		t.Fatalf("%+v", plateauWhole)
	}
	for name, set := range map[string]func(*config.Run){
		StopStep:      func(c *config.Run) { c.Train.StopStep = 27 },
		StopTimeLimit: func(c *config.Run) { c.Train.TimeLimit = 1 },
		StopPlateau:   func(c *config.Run) { c.Train = plateau.Train },
	} {
		first, kept := c, newShelf(t)
		set(&first)
		r, _ := mustResume(t, Options{Config: first, Capture: capture, Checkpoints: kept})
		if r.StopReason != name || len(kept.steps) != 1 || kept.last() != r.Steps {
			t.Fatalf("%s: ended by %s at step %d, checkpoints at %v", name, r.StopReason, r.Steps, kept.steps)
		}
		next := c
		if name == StopPlateau {
			next = first
			next.Train.PlateauSteps = 1000
		}
		last, _ := mustResume(t, Options{Config: next, Capture: capture, Resume: kept.open(t, r.Steps), Ended: name})
		if !cmp.Equal(last.Cloud, whole.Cloud) {
			t.Errorf("%s: the resumed run ends with other splats", name)
		}
	}
}

// A plateau that ended a session does not end the next one at once; where the
// session was killed at that very step, the resumed run ends there too.
func TestPlateauAcrossSessions(t *testing.T) {
	capture := smallCapture(t)
	c := resumeConfig("mcmc")
	c.Train.Steps, c.Train.SaveEvery = 200, 10
	c.Train.PlateauSteps, c.Train.PlateauFraction = 15, 0.9
	kept := newShelf(t)
	r, _ := mustResume(t, Options{Config: c, Capture: capture, Checkpoints: kept})
	if r.StopReason != StopPlateau || kept.last() != r.Steps {
		t.Fatalf("%s at step %d, checkpoints at %v", r.StopReason, r.Steps, kept.steps)
	}
	if again, _ := mustResume(t, Options{Config: c, Capture: capture, Resume: kept.open(t, r.Steps)}); again.Steps != r.Steps || again.StopReason != StopPlateau {
		t.Errorf("killed at its end: %s at step %d", again.StopReason, again.Steps)
	}
	if on, _ := mustResume(t, Options{Config: c, Capture: capture, Resume: kept.open(t, r.Steps), Ended: StopPlateau}); on.Steps < r.Steps+15 {
		t.Errorf("going on: %s at step %d", on.StopReason, on.Steps)
	}
	earlier, _ := mustResume(t, Options{Config: c, Capture: capture, Resume: kept.open(t, r.Steps-10)})
	if earlier.Steps != r.Steps || !cmp.Equal(earlier.Cloud, r.Cloud) {
		t.Errorf("resumed ten steps earlier: the plateau is at step %d, was at %d", earlier.Steps, r.Steps)
	}
}

func TestInterruptIsPreserved(t *testing.T) {
	capture, c := smallCapture(t), resumeConfig("adc")
	whole, _ := mustRun(t, c, capture)
	ctx, cancel := context.WithCancel(context.Background())
	kept := newShelf(t)
	rec := &recorder{onProgress: func(p Progress) {
		if p.Step >= 25 {
			cancel()
		}
	}}
	r, err := Run(ctx, Options{Config: c, Capture: capture, Observer: rec, Checkpoints: kept})
	if !errors.Is(err, context.Canceled) || len(kept.steps) != 1 || kept.last() != r.Steps {
		t.Fatalf("%v, checkpoints at %v", err, kept.steps)
	}
	if last, _ := mustResume(t, Options{Config: c, Capture: capture, Resume: kept.open(t, r.Steps)}); !cmp.Equal(last.Cloud, whole.Cloud) {
		t.Error("the resumed run ends with other splats")
	}
}

// An evaluation that was interrupted after the last step is made up for.
func TestInterruptedFinalEvaluation(t *testing.T) {
	capture, c := smallCapture(t), smallConfig("mcmc", 10)
	ctx, cancel := context.WithCancel(context.Background())
	kept := newShelf(t)
	rec := &recorder{onProgress: func(p Progress) {
		if p.Step == 10 {
			cancel()
		}
	}}
	r, err := Run(ctx, Options{Config: c, Capture: capture, Observer: rec, Checkpoints: kept})
	if !errors.Is(err, context.Canceled) || r.Steps != 10 || kept.last() != 10 {
		t.Fatalf("%v at step %d, checkpoints at %v", err, r.Steps, kept.steps)
	}
	last, _ := mustResume(t, Options{Config: c, Capture: capture, Resume: kept.open(t, 10)})
	if !cmp.Equal(last.Cloud, r.Cloud) || last.Final == nil || last.StopReason != StopSteps {
		t.Errorf("resumed: %+v", last)
	}
}

// losing is a backend that is lost at the n-th submission, after the work was done.
type losing struct {
	kernel.Backend
	left int
}

var errLost = errors.New("device lost")

func (b *losing) Submit(p kernel.Program, times int) error {
	if err := b.Backend.Submit(p, times); err != nil {
		return err
	}
	if b.left--; b.left < 0 {
		return errLost
	}
	return nil
}

// What was done before a failure is kept, statistics included.
func TestFailureIsPreserved(t *testing.T) {
	capture, c := smallCapture(t), resumeConfig("mcmc")
	c.Train.LogEvery = 3
	whole, rec := mustRun(t, c, capture)
	s := startSession(t, c, capture)
	s.pl.Backend = &losing{s.pl.Backend, 8}
	_, err := s.loop(context.Background())
	if err = s.preserve(err); !errors.Is(err, errLost) {
		t.Fatalf("found %v", err)
	}
	kept := s.keep.(*shelf)
	if len(kept.steps) != 1 {
		t.Fatalf("checkpoints at %v", kept.steps)
	}
	f := kept.open(t, kept.last())
	var state hostState
	if err := json.Unmarshal(f.State, &state); err != nil || state.Watch.N != f.Step || state.Logged.Step != f.Step/3*3 {
		t.Errorf("step %d: %d steps seen, the last line is of step %d, %v", f.Step, state.Watch.N, state.Logged.Step, err)
	}
	r, again := mustResume(t, Options{Config: c, Capture: capture, Resume: f})
	if !cmp.Equal(r.Cloud, whole.Cloud) {
		t.Error("the resumed run ends with other splats")
	}
	if d := cmp.Diff(rec.metrics, append(s.obs.(*recorder).metrics, again.metrics...), untimed); d != "" {
		t.Errorf("metrics (-whole +both parts):\n%s", d)
	}
}

// A state that cannot get better must not replace one that can.
func TestSickRunsAreNotKept(t *testing.T) {
	c := smallConfig("adc", 4000)
	c.Loss.OpacityReg = 5
	c.Train.SaveEvery = 0
	kept := newShelf(t)
	_, err := Run(context.Background(), Options{Config: c, Capture: blackCapture(t), Observer: &recorder{}, Checkpoints: kept})
	if err == nil || !strings.Contains(err.Error(), "all splats were pruned") || len(kept.steps) != 0 {
		t.Errorf("%v, checkpoints at %v", err, kept.steps)
	}
}

// Where no checkpoint can be stored, the run ends with that, once, and hands back
// its splats; an interrupt is no excuse.
func TestSavingFails(t *testing.T) {
	capture, c := smallCapture(t), smallConfig("mcmc", 100)
	full := errors.New("disk full")
	c.Train.SaveEvery = 30
	kept := &shelf{fails: full}
	r, err := Run(context.Background(), Options{Config: c, Capture: capture, Observer: &recorder{}, Checkpoints: kept})
	if !errors.Is(err, full) || r == nil || r.Steps != 30 || r.Cloud.Len() == 0 || len(kept.steps) != 1 {
		t.Errorf("%v, %+v, %d attempts", err, r, len(kept.steps))
	}
	ctx, cancel := context.WithCancel(context.Background())
	rec := &recorder{onProgress: func(Progress) { cancel() }}
	_, err = Run(ctx, Options{Config: c, Capture: capture, Observer: rec, Checkpoints: &shelf{fails: full}})
	if !errors.Is(err, full) || errors.Is(err, context.Canceled) {
		t.Errorf("interrupted on a full disk: %v", err)
	}
}

func TestSavingIsNoTraining(t *testing.T) {
	c := smallConfig("mcmc", 60)
	c.Train.SaveEvery = 20
	start := time.Now()
	kept := newShelf(t)
	kept.slow = 150 * time.Millisecond
	r, _ := mustResume(t, Options{Config: c, Capture: smallCapture(t), Checkpoints: kept})
	if rest := time.Since(start).Seconds() - r.TrainSeconds; rest < 0.3 {
		t.Errorf("%d slow checkpoints left %.3f s beside %.3f s of training", len(kept.steps), rest, r.TrainSeconds)
	}
}

func TestSavesAreDue(t *testing.T) {
	v := newSaves(-1, 7)
	at := v.since
	if v.due(8, at.Add(savePause-1)) || !v.due(8, at.Add(savePause)) || v.due(7, at.Add(2*savePause)) {
		t.Error("automatic checkpoints do not follow the clock")
	}
	v.stored(8, time.Minute, at)
	if v.due(9, at.Add(99*time.Minute)) || !v.due(9, at.Add(100*time.Minute)) {
		t.Error("slow checkpoints are not made less often")
	}
	v = newSaves(5, 0)
	if v.due(4, at) || !v.due(5, at) || v.due(0, at) {
		t.Error("checkpoints every 5 steps")
	}
	v = newSaves(0, 0)
	if v.due(5, at.Add(time.Hour)) {
		t.Error("a checkpoint although there shall be none")
	}
}

// Whoever adds a persistent buffer has to say whether it is part of the state.
func TestArraysCoverTheState(t *testing.T) {
	s := startSession(t, smallConfig("mcmc", 10), smallCapture(t))
	known := map[string]bool{}
	for _, b := range []*kernel.Buffer{
		s.pl.Control,                                         // in the header
		s.pl.Schedule, s.pl.Views, s.pl.Window, s.pl.Targets, // made of configuration and capture
		s.pl.Resident,         // filled anew after a pause
		s.pl.Ring, s.pl.Image, // read before a checkpoint is made
	} {
		known[b.Name] = true
	}
	for _, a := range arrays(s.pl) {
		known[a.buffer.Name] = true
	}
	for _, b := range s.pl.All() {
		if b.Persistent && !known[b.Name] {
			t.Errorf("buffer %q is persistent, but not in a checkpoint", b.Name)
		}
	}
}

func startSession(t *testing.T, c config.Run, capture *dataset.Capture) *session {
	t.Helper()
	s, err := newSession(context.Background(), Options{Config: c, Capture: capture, Observer: &recorder{}, Checkpoints: newShelf(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

// The loop's own state survives JSON to the last bit.
func TestHostStateRoundTrip(t *testing.T) {
	want := hostState{
		Control: kernel.Control{Step: 1, Limit: 2, LastRefine: 3, Splats: 5, NeedPairs: 6, NeedSplats: 7, Capped: 8, Request: 9, PeakPairs: 10},
		Clock:   1<<53 + 1, Logged: logMark{3, 1<<53 + 3}, Warned: math.MaxUint32,
		Watch: watchState{Smooth: 1.0 / 3, First: math.SmallestNonzeroFloat64, N: 4, Best: math.MaxFloat64, BestStep: 2, Complains: true},
		Frame: frame{geom.Vec3{0.1, -1e300, 2.0 / 3}, 1 + 1e-15},
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseState(text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(kernel.Control{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Files that are whole but do not belong are refused.
func TestForeignCheckpoints(t *testing.T) {
	capture, c := smallCapture(t), smallConfig("mcmc", 20)
	c.Train.StopStep = 10
	kept := newShelf(t)
	mustResume(t, Options{Config: c, Capture: capture, Checkpoints: kept})
	for want, change := range map[string]func(*checkpoint.File){
		"state of the loop": func(f *checkpoint.File) { f.State = []byte(`{"control":7}`) },
		"state of the loop: found no clock_ns, expected": func(f *checkpoint.File) { f.State = []byte(`{}`) },
		"state of the loop: found no control.Splats, expected": func(f *checkpoint.File) {
			f.State = bytes.Replace(f.State, []byte(`"Splats"`), []byte(`"Points"`), 1)
		},
		"state of the loop: found watch.later, expected": func(f *checkpoint.File) {
			f.State = bytes.Replace(f.State, []byte(`"watch":{`), []byte(`"watch":{"later":1,`), 1)
		},
		"in the device's record": func(f *checkpoint.File) {
			f.State = bytes.Replace(f.State, []byte(`"Step":10,`), []byte(`"Step":11,`), 1)
		},
		"not the capture that": func(f *checkpoint.File) {
			f.State = bytes.Replace(f.State, []byte(`"scale":`), []byte(`"scale":1`), 1)
		},
		"sections": func(f *checkpoint.File) { f.Sections = f.Sections[1:] },
		`view "train/r_1": missing`: func(f *checkpoint.File) {
			f.Capture.Views = append([]checkpoint.View{{Name: "train/r_1"}}, f.Capture.Views...)
		},
	} {
		f := kept.open(t, 10)
		change(f)
		if strings.Contains(want, "missing") {
			f.Capture.Views[0].Name = "train/r_1"
			moved := *capture
			moved.Views = nil
			for _, v := range capture.Views {
				if v.Name != "train/r_1" {
					moved.Views = append(moved.Views, v)
				}
			}
			_, err := Run(context.Background(), Options{Config: c, Capture: &moved, Observer: &recorder{}, Resume: f})
			if fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: found %v", want, err)
			}
			continue
		}
		_, err := Run(context.Background(), Options{Config: c, Capture: capture, Observer: &recorder{}, Resume: f})
		if fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v", want, err)
		}
	}
}
