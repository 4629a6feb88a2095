package sweep

import (
	"context"
	"sync"

	"splat/internal/fault"
)

// Outcome is how a run went in this invocation.
type Outcome struct {
	Code   int    // exit code of the training; 0 done
	Reason string // one line, where it failed
	Device string // that it ran on
}

// Trainer runs one job on one device to its end. It returns when ctx ends, too, with
// what could be saved saved.
type Trainer func(ctx context.Context, j Job, device string) Outcome

// Schedule gives each device one job at a time, in order, and returns how each went. A
// device that is lost (code 4) gets no more, and its job goes to another one. An
// interrupt (130), or the end of ctx, lets nothing begin; what was not begun has no
// outcome.
func Schedule(ctx context.Context, jobs []Job, devices []string, run Trainer) map[string]Outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &schedule{jobs: jobs, outcomes: map[string]Outcome{}, devices: len(devices), cancel: cancel}
	s.changed = sync.NewCond(&s.mu)
	defer context.AfterFunc(ctx, s.wake)()
	var all sync.WaitGroup
	for _, d := range devices {
		all.Go(func() { s.work(ctx, d, run) })
	}
	all.Wait()
	return s.outcomes
}

type schedule struct {
	mu       sync.Mutex
	changed  *sync.Cond
	jobs     []Job // not begun
	running  int
	devices  int // that are not lost
	outcomes map[string]Outcome
	cancel   context.CancelFunc
}

func (s *schedule) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// work is the life of one device.
func (s *schedule) work(ctx context.Context, device string, run Trainer) {
	for {
		j, ok := s.next(ctx)
		if !ok {
			return
		}
		out := run(ctx, j, device)
		out.Device = device
		if s.end(j, out) {
			return
		}
	}
}

// next waits for a job: a device that others lose may leave one.
func (s *schedule) next(ctx context.Context) (Job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.jobs) == 0 && s.running > 0 && ctx.Err() == nil {
		s.changed.Wait()
	}
	if len(s.jobs) == 0 || ctx.Err() != nil {
		return Job{}, false
	}
	j := s.jobs[0]
	s.jobs = s.jobs[1:]
	s.running++
	return j, true
}

// end notes how a job went; it reports whether the device is lost.
func (s *schedule) end(j Job, out Outcome) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Broadcast()
	s.running--
	switch out.Code {
	case int(fault.Device):
		s.devices--
		lost = true
		if s.devices > 0 {
			s.jobs = append([]Job{j}, s.jobs...)
			return true
		}
	case int(fault.Interrupted):
		s.cancel()
	}
	s.outcomes[j.Name] = out
	return lost
}
