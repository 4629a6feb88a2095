package train

import "splat/internal/kernel"

// rests is how often a run whose Options.AtRest is set comes to rest for it on the way.
const rests = 4

// witness is who follows a run from outside.
type witness struct {
	tracer       kernel.Tracer                     // nil: nobody
	atRest       func(be kernel.Backend, step int) // nil: nobody
	profileAtEnd bool                              // and not at log intervals
}

// follow lets the backend tell what it does.
func (s *session) follow() {
	if be, ok := s.be.(kernel.Traced); ok && s.tracer != nil {
		be.SetTracer(s.tracer)
	}
}

// rest calls whoever wants the device while it has nothing to do.
func (s *session) rest(step int) {
	if s.atRest == nil {
		return
	}
	kernel.BeginWork(s.tracer, kernel.HostLoop, "at rest")
	defer kernel.EndWork(s.tracer)
	s.measured()
	s.atRest(s.pl.Backend, step)
	s.pl.Backend.Timelines(func(kernel.Timeline) {}) // are not the training's
}

// restDue comes to rest on the way where somebody wants that.
func (s *session) restDue(step int) {
	if s.due.rest > 0 && step > 0 && step%s.due.rest == 0 && step < s.due.end {
		s.rest(step)
	}
}

// count tells the tracer how large the splats have grown.
func (s *session) count(last kernel.Stats) {
	if s.tracer == nil {
		return
	}
	s.tracer.Counter("splats", float64(last.Splats))
	s.tracer.Counter("visible splats", float64(last.Visible))
	s.tracer.Counter("pairs", float64(last.Pairs))
	s.tracer.Counter("loss", float64(last.Loss))
}

// markRefine marks where a refine is submitted that will do something.
func (s *session) markRefine(step int) {
	if s.tracer != nil && s.refineAt(step) {
		s.tracer.Instant("refine", step)
	}
}

// decoding tells the tracer of each picture that is decoded; nil where there is none.
func (s *session) decoding() func(label string) func() {
	if s.tracer == nil {
		return nil
	}
	return func(label string) func() {
		worker := s.tracer.Decoding(label)
		return func() { s.tracer.Decoded(worker) }
	}
}
