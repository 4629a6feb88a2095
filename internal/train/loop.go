package train

import (
	"context"
	"fmt"
	"math"
	"time"

	"splat/internal/config"
	"splat/internal/kernel"
	"splat/internal/pipeline"
)

// Reasons why a run ends.
const (
	StopSteps       = "steps"
	StopStep        = "stop-step"
	StopTimeLimit   = "time-limit"
	StopPlateau     = "plateau"
	StopInterrupted = "interrupted"
)

// eventSteps are the steps at which the host has something to do.
type eventSteps struct {
	end, log, eval, save, plateau int
	stop                          string // the reason when end is reached
}

// plateauEvery is how often a plateau is looked for: at fixed steps, so that the
// end does not depend on how steps were submitted.
const plateauEvery = 10

func eventsOf(c config.Run) eventSteps {
	e := eventSteps{end: c.Train.Steps, stop: StopSteps, log: c.Train.LogEvery, eval: c.Eval.Every, save: c.Train.SaveEvery}
	if c.Train.PlateauSteps > 0 {
		e.plateau = plateauEvery
	}
	if c.Train.StopStep > 0 && c.Train.StopStep < e.end {
		e.end, e.stop = c.Train.StopStep, StopStep
	}
	return e
}

// next returns the first step after step at which something is due, a refine
// included.
func (e eventSteps) next(step int, s kernel.Schedule) int {
	n := e.end
	for _, every := range []int{e.log, e.eval, e.save, e.plateau, int(s.RefineEvery)} {
		if every > 0 {
			n = min(n, (step/every+1)*every)
		}
	}
	return n
}

// batchTime is how much work goes into one submission, batchMax how many steps.
const (
	batchTime = 20 * time.Millisecond
	batchMax  = 32
)

// loop runs steps and refines until the end, a limit, a plateau or ctx. The host
// only sets the limit, submits and drains; what runs is decided by the device.
func (s *session) loop(ctx context.Context) (stop string, err error) {
	c, err := s.control()
	if err != nil {
		return "", err
	}
	perStep := batchTime
	for {
		if stop := s.over(int(c.Step)); stop != "" {
			return stop, nil
		}
		if ctx.Err() != nil {
			return StopInterrupted, ctx.Err()
		}
		before := c
		n := min(max(int(batchTime/perStep), 1), batchMax, s.due.next(int(c.Step), s.schedule)-int(c.Step))
		c.Limit = uint32(int(c.Step) + n)
		start := time.Now()
		if c, err = s.advance(c, n); err != nil {
			s.catchUp()
			return "", err
		}
		if c.Step > before.Step {
			perStep = max(time.Since(start)/time.Duration(c.Step-before.Step), time.Microsecond)
		}
		if err := s.after(ctx, c); err != nil {
			return "", err
		}
	}
}

// over returns why the run ends after the given number of steps, "" where it goes
// on. It depends on nothing that a checkpoint does not hold.
func (s *session) over(step int) string {
	limit := s.cfg.Train.TimeLimit
	switch {
	case step >= s.due.end:
		return s.due.stop
	case step > 0 && limit > 0 && s.clock.total >= limit:
		return StopTimeLimit
	case s.due.plateau > 0 && step%s.due.plateau == 0 && s.watch.stuck(step):
		s.obs.Note(fmt.Sprintf("step %d: the loss has not improved for %d steps; stopping", step, s.cfg.Train.PlateauSteps))
		return StopPlateau
	}
	return ""
}

// advance submits a refine, which does nothing unless one is due, and n steps,
// and waits for them. Where something overflowed, it makes room; the step that
// changed nothing then runs in the next call.
func (s *session) advance(c kernel.Control, n int) (kernel.Control, error) {
	err := s.clock.run(func() error {
		if err := s.setControl(c); err != nil {
			return err
		}
		if err := s.pl.Backend.Submit(s.pl.RefineProgram, 1); err != nil {
			return err
		}
		if err := s.pl.Backend.Submit(s.pl.StepProgram, n); err != nil {
			return err
		}
		if err := s.pl.Backend.Wait(); err != nil {
			return err
		}
		var err error
		if c, err = s.control(); err != nil {
			return err
		}
		switch {
		case c.NonFinite != 0:
			return nil // the buffers are evidence
		case c.Overflow != 0:
			return s.roomFor(&c)
		}
		return s.roomAhead(c)
	})
	if err != nil {
		return c, err
	}
	return s.control()
}

// after looks at what a submission did: statistics, health, and whatever is due.
func (s *session) after(ctx context.Context, c kernel.Control) error {
	if c.Step == s.collected {
		return s.healthy(c)
	}
	if err := s.report(c); err != nil {
		return err
	}
	step := int(c.Step)
	if s.due.eval > 0 && step%s.due.eval == 0 && step < s.due.end && len(s.test) > 0 {
		if _, err := s.evaluateOnce(ctx, step); err != nil {
			return err
		}
	}
	return s.saveDue(c)
}

// report reads what the last steps did, and tells.
func (s *session) report(c kernel.Control) error {
	last, err := s.collect(c.Step)
	if err != nil {
		return err
	}
	if err := s.healthy(c); err != nil {
		return err
	}
	s.progress(c)
	if step := int(c.Step); step%s.due.log == 0 || step == s.due.end {
		s.log(last)
	}
	return nil
}

// catchUp reports the steps that were done before one failed, as far as that is
// still possible: a checkpoint of them must know what they did.
func (s *session) catchUp() {
	if c, err := s.control(); err == nil && c.Step > s.collected {
		_ = s.report(c) // the failure that led here is what counts
	}
}

// collect reads the ring entries of the steps that were not read yet, up to the
// given one, and returns the last.
func (s *session) collect(to uint32) (last kernel.Stats, err error) {
	for ; s.collected < to; s.collected++ {
		last, err = kernel.ReadRecord[kernel.Stats](s.pl.Backend, s.pl.Ring, int(s.collected%pipeline.RingSize))
		if err != nil {
			return last, err
		}
		s.watch.add(float64(last.Loss), int(s.collected))
	}
	return last, nil
}

// healthy is health that remembers: the state of a run that cannot get better is
// not worth a checkpoint.
func (s *session) healthy(c kernel.Control) error {
	err := s.health(c)
	s.sick = s.sick || err != nil
	return err
}

// health ends a run that cannot get better.
func (s *session) health(c kernel.Control) error {
	if c.NonFinite != 0 {
		return s.diagnose(c)
	}
	if c.Splats == 0 {
		return fmt.Errorf("step %d: all splats were pruned; the pictures may be empty, or lower strategy.prune_opacity", c.Step)
	}
	if c.Capped > 0 && s.warned == 0 {
		s.warned = c.Capped
		s.obs.Note(fmt.Sprintf("step %d: max_splats %d reached; %d splats with lower gradients were not added", c.Step, s.cfg.Model.MaxSplats, c.Capped))
	}
	if line := s.watch.warning(int(c.Step)); line != "" {
		s.obs.Note(line)
	}
	return nil
}

func (s *session) progress(c kernel.Control) {
	step, elapsed := float64(c.Step), s.clock.total
	p := Progress{Step: int(c.Step), Steps: s.due.end, Loss: s.watch.Smooth, Splats: int(c.Splats), Elapsed: elapsed}
	if elapsed > 0 && step > 0 {
		p.StepsPerSec = step / elapsed.Seconds()
		p.Left = time.Duration((float64(s.due.end) - step) / p.StepsPerSec * float64(time.Second))
	}
	if limit := s.cfg.Train.TimeLimit; limit > 0 {
		p.Left = min(p.Left, max(limit-elapsed, 0))
	}
	s.obs.Progress(p)
}

// logMark remembers the last log line, for the time a step took since.
type logMark struct {
	Step  int           `json:"step"`
	Total time.Duration `json:"total_ns"`
}

// log reports a line of metrics.
func (s *session) log(last kernel.Stats) {
	step := int(last.Step) + 1
	m := Metrics{
		Step: step, Loss: float64(last.Loss), L1: float64(last.L1), SSIM: float64(last.SSIM),
		Splats: int(last.Splats), Visible: int(last.Visible), Pairs: int(last.Pairs), Seconds: s.clock.total.Seconds(),
	}
	if n := step - s.logged.Step; n > 0 {
		m.MSPerStep = (s.clock.total - s.logged.Total).Seconds() * 1000 / float64(n)
	}
	s.logged = logMark{step, s.clock.total}
	s.obs.Metrics(m)
	if s.cfg.Backend.Profile {
		s.profile.Add(s.pl.Backend.Timings())
		if step < s.due.end {
			s.obs.Note(s.profile.Format(step))
		}
	}
}

// watch follows the smoothed loss.
type watch struct {
	cfg  config.Train
	rate float64 // weight of one step in the average
	watchState
}

// watchState is what a watch keeps from step to step.
type watchState struct {
	Smooth    float64 `json:"smooth"`
	First     float64 `json:"first"` // average over the first views
	N         int     `json:"n"`
	Best      float64 `json:"best"`
	BestStep  int     `json:"best_step"`
	Complains bool    `json:"complains"`
}

func newWatch(c config.Train, views int) watch {
	return watch{cfg: c, rate: 1 / float64(max(min(views, 100), 10)), watchState: watchState{Best: math.MaxFloat64}}
}

func (w *watch) add(loss float64, step int) {
	w.N++
	w.Smooth += (loss - w.Smooth) * max(w.rate, 1/float64(w.N))
	if w.N == 10 {
		w.First = w.Smooth
	}
	if w.Smooth < w.Best*(1-w.cfg.PlateauFraction) {
		w.Best, w.BestStep = w.Smooth, step
	}
}

// stuck reports whether the run is on a plateau.
func (w *watch) stuck(step int) bool {
	return w.cfg.PlateauSteps > 0 && step-w.BestStep > w.cfg.PlateauSteps
}

// warning returns a line, once, when 500 steps have taught nothing.
func (w *watch) warning(step int) string {
	if w.Complains || step < 500 {
		return ""
	}
	w.Complains = true
	if w.Smooth < w.First {
		return ""
	}
	return fmt.Sprintf("warning: the loss has not fallen in %d steps (%.4f, at first %.4f); check the poses and the background", step, w.Smooth, w.First)
}
