package train

import (
	"context"
	"errors"
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
	end, log, eval, save, plateau, rest int
	stop                                string // the reason when end is reached
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

// horizon returns the first step after step at which the host must find the device at
// rest: to evaluate, save, look for a plateau, or end.
func (e eventSteps) horizon(step int) int { return e.first(step, e.eval, e.save, e.plateau, e.rest) }

// cut returns the first step after step at which a submission ends: at a horizon, a
// refine, or a line of metrics.
func (e eventSteps) cut(step int, s kernel.Schedule) int {
	return e.first(step, e.eval, e.save, e.plateau, e.rest, e.log, int(s.RefineEvery))
}

// first returns the first multiple of any of the intervals after step, at most the end.
func (e eventSteps) first(step int, intervals ...int) int {
	n := e.end
	for _, every := range intervals {
		if every > 0 {
			n = min(n, (step/every+1)*every)
		}
	}
	return n
}

// loop runs steps and refines until the end, a limit, a plateau or ctx. The host
// only sets the limit, submits and drains; what runs is decided by the device.
func (s *session) loop(ctx context.Context) (stop string, err error) {
	c, err := s.control()
	if err != nil {
		return "", err
	}
	s.rest(int(c.Step))
	for {
		if stop := s.over(int(c.Step)); stop != "" {
			return stop, nil
		}
		if ctx.Err() != nil {
			return StopInterrupted, ctx.Err()
		}
		if c, err = s.advance(ctx, c, s.due.horizon(int(c.Step))); err != nil {
			if !errors.Is(err, kernel.ErrLost) {
				s.catchUp()
			}
			return "", err
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
	case step > 0 && limit > 0 && s.clock.now() >= limit:
		return StopTimeLimit
	case s.due.plateau > 0 && step%s.due.plateau == 0 && s.watch.stuck(step):
		s.obs.Note(fmt.Sprintf("step %d: the loss has not improved for %d steps; stopping", step, s.cfg.Train.PlateauSteps))
		return StopPlateau
	}
	return ""
}

// advance runs towards the horizon, waits, and makes room where something overflowed;
// the step that changed nothing then runs in the next call.
func (s *session) advance(ctx context.Context, c kernel.Control, horizon int) (kernel.Control, error) {
	kernel.BeginWork(s.tracer, kernel.HostLoop, kernel.PhaseTraining)
	defer kernel.EndWork(s.tracer)
	err := s.clock.run(func() error {
		c.Limit = uint32(horizon)
		if err := s.setControl(c); err != nil {
			return err
		}
		if err := s.fly(ctx, c, horizon); err != nil {
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
	if err := s.report(c); err != nil {
		return err
	}
	step := int(c.Step)
	if s.due.eval > 0 && step > 0 && step%s.due.eval == 0 && step < s.due.end && len(s.test) > 0 {
		if _, err := s.evaluateOnce(ctx, step); err != nil {
			return err
		}
	}
	s.restDue(step)
	return s.saveDue(c)
}

// report reads what the steps up to c.Step did, and tells.
func (s *session) report(c kernel.Control) error {
	kernel.BeginWork(s.tracer, kernel.HostCallback, "report")
	defer kernel.EndWork(s.tracer)
	s.measured()
	if err := s.collect(c.Step); err != nil {
		return err
	}
	if err := s.healthy(c); err != nil {
		return err
	}
	if c.Step > 0 {
		s.progress(c)
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
// given one, and logs where a line of metrics is due. It does not wait: of steps that
// are done, the newest copy of the ring holds the statistics.
func (s *session) collect(to uint32) error {
	if s.collected == to {
		return nil
	}
	ring := s.ring[:]
	if err := kernel.PeekRecords(s.pl.Backend, s.pl.Ring, 0, ring); err != nil {
		return err
	}
	for ; s.collected < to; s.collected++ {
		stats := ring[s.collected%pipeline.RingSize]
		if stats.Step != s.collected {
			return fmt.Errorf("step %d: its statistics are those of step %d", s.collected, stats.Step)
		}
		s.watch.add(float64(stats.Loss), int(s.collected))
		s.saw(stats)
		if s.collected+1 == to {
			s.count(stats)
		}
		if step := int(s.collected) + 1; step%s.due.log == 0 || step == s.due.end {
			s.log(stats)
		}
	}
	return nil
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
	step, elapsed := float64(c.Step), s.clock.now()
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
		Splats: int(last.Splats), Visible: int(last.Visible), Pairs: int(last.Pairs), Seconds: s.clock.now().Seconds(),
	}
	if n := step - s.logged.Step; n > 0 {
		m.MSPerStep = (s.clock.now() - s.logged.Total).Seconds() * 1000 / float64(n)
	}
	s.logged = logMark{step, s.clock.now()}
	s.obs.Metrics(m)
	if s.cfg.Backend.Profile {
		s.measured()
		if step < s.due.end && step > s.profileFrom && !s.profileAtEnd {
			s.obs.Note(s.profile.Format())
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
