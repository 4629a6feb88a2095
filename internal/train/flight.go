package train

import (
	"context"
	"time"

	"splat/internal/kernel"
)

// How much goes into one submission.
const (
	batchTime = 20 * time.Millisecond // of work
	batchMax  = 32                    // steps
)

// pace estimates how long a step takes, from when the host saw which step.
type pace struct {
	perStep time.Duration
	step    int
	at      time.Time
}

// start begins to watch; the first submission is one step.
func (p *pace) start(step int) {
	p.step, p.at = step, time.Now()
	if p.perStep == 0 {
		p.perStep = batchTime
	}
}

// see notes that the given number of steps was done by now.
func (p *pace) see(step int, now time.Time) {
	if step > p.step {
		p.perStep = max(now.Sub(p.at)/time.Duration(step-p.step), time.Microsecond)
		p.step, p.at = step, now
	}
}

// batch is the number of steps to submit at once.
func (p *pace) batch() int { return min(max(int(batchTime/p.perStep), 1), batchMax) }

// fly submits refines and steps up to the horizon. It never waits for the device but
// where the backend holds it back because enough is in flight, and looks at copies of
// the device's state that are some submissions old. It stops early where such a copy, or
// the outside, asks for a drain: an overflow, broken numbers, an interrupt, a limit.
//
// Refines do nothing unless one is due, steps nothing while one is, and none of them
// anything after an overflow: submitting too much changes nothing.
func (s *session) fly(ctx context.Context, c kernel.Control, horizon int) error {
	s.pace.start(int(c.Step))
	for at := int(c.Step); at < horizon; {
		if at == int(c.Step) || s.refineAt(at) {
			s.markRefine(at)
			if err := s.pl.Backend.Submit(s.pl.RefineProgram, 1); err != nil {
				return err
			}
		}
		n := min(s.pace.batch(), s.stepsAtOnce(), s.due.cut(at, s.schedule)-at)
		if err := s.supply(at, n); err != nil {
			return err
		}
		if err := s.pl.Backend.Submit(s.pl.StepProgram, n); err != nil {
			return err
		}
		s.profile.Submitted(at, n)
		at += n
		seen, err := s.look()
		if err != nil || s.drainFor(ctx, seen) {
			return err
		}
	}
	return nil
}

// refineAt reports whether a refine is due before the step.
func (s *session) refineAt(step int) bool {
	at := uint32(step)
	return s.schedule.RefineEvery > 0 && at > 0 && at%s.schedule.RefineEvery == 0 && at >= s.schedule.RefineStart && at <= s.schedule.RefineStop
}

// look reads the newest copy of the device's state and reports the steps that it shows.
func (s *session) look() (kernel.Control, error) {
	kernel.BeginWork(s.tracer, kernel.HostCallback, "look")
	defer kernel.EndWork(s.tracer)
	c, err := kernel.PeekRecord[kernel.Control](s.pl.Backend, s.pl.Control, 0)
	if err != nil || c.Step <= s.collected || c.NonFinite != 0 {
		return c, err
	}
	s.pace.see(int(c.Step), time.Now())
	return c, s.report(c)
}

// drainFor reports whether the device must come to rest before the horizon.
func (s *session) drainFor(ctx context.Context, seen kernel.Control) bool {
	return seen.Overflow != 0 || seen.NonFinite != 0 || s.tight(seen) || ctx.Err() != nil ||
		s.due.plateau == 0 && s.over(int(seen.Step)) != "" || s.keep != nil && s.saves.every < 0 && s.saves.due(int(seen.Step), time.Now())
}
