package kernel

import "time"

// Timeline is what a backend measured of one run of a recording, on the device's clock.
// From its beginning to its end it is covered by the spans of the dispatches and the gaps
// between them.
type Timeline struct {
	Recording *Recording
	Step      uint32 // steps that had been committed when it began
	Idle      bool   // it changed nothing: a step that was a no-op, a refine that was not due
	Host      bool   // the host ran it in place of the device
	Spans     []Span // a dispatch each, in order
	Total     time.Duration
}

// Span is when a dispatch ran, from the beginning of the timeline on.
type Span struct{ From, To time.Duration }

// Took is the length of the span.
func (s Span) Took() time.Duration { return s.To - s.From }

// Sampling says how a backend measures.
type Sampling struct {
	Off   string // why no dispatch is measured although that was asked for; "": they are
	Every int    // of so many steps one is measured; 0: it has not been told yet
	// Cost is how much longer a measured step takes than a plain one, as a part of the
	// plain one, by the device's own clock; 0 where that is not known.
	Cost  float64
	Clock string // what measures: "device timestamps", "monotonic clock"
}

// State is the control record that a recording works on, nil where it has none.
func (r *Recording) State() *Buffer {
	for _, d := range r.Dispatches {
		for i, b := range d.Kernel.Bindings {
			if b.Elem == "Control" {
				return d.Buffers[i]
			}
		}
	}
	return nil
}

// Idled reports whether a run of the recording changed nothing, by the control record
// before and after it: a step that did not commit, a refine that was not due.
func (r *Recording) Idled(before, after Control) bool {
	for _, d := range r.Dispatches {
		switch d.Kernel {
		case Commit:
			return before.Step == after.Step
		case RefineEnd:
			return before.LastRefine == after.LastRefine
		}
	}
	return false
}

// Sampled is a backend that measures only some steps, or cannot.
type Sampled interface{ Sampling() Sampling }

// Compiled is what a driver tells of a kernel as it compiled it.
type Compiled struct {
	Kernel   string
	Subgroup int    // 0: it does not say
	Facts    []Fact // in the driver's own words: registers, spills, shared memory
}

// Fact is a number with its name.
type Fact struct {
	Name  string
	Value float64
}

// Describer is a backend that asks the driver about the kernels in use. It compiles them
// again for that, and is for reports.
type Describer interface{ Describe() ([]Compiled, error) }

// Timing is the time one kernel took in one stage, over the measured runs.
type Timing struct {
	Stage, Kernel string // the stage of a sort with its pass: "depth-sort 1/4"
	Calls         int
	Total         time.Duration
	Runs          int           // measured runs that had it; Calls and Total belong to them
	Median        time.Duration // of the sums of the runs
	Group         string        // "forward", "loss", "backward", "update", "refine"
}

// timelines is how many timelines a ring keeps.
const timelines = 256

// TimelineRing keeps the newest timelines until somebody looks at them. It allocates only
// where a recording has more dispatches than those before. The zero value is empty.
type TimelineRing struct {
	list     []Timeline
	spans    []Span // width for each place
	width    int
	first, n int
	lost     int
}

// Next returns the place for another timeline, with a span for each dispatch. Where the
// ring is full that is the place of the oldest.
func (r *TimelineRing) Next(rec *Recording) *Timeline {
	if r.list == nil {
		r.list = make([]Timeline, timelines)
	}
	if r.n == len(r.list) {
		r.first, r.n, r.lost = (r.first+1)%len(r.list), r.n-1, r.lost+1
	}
	if n := len(rec.Dispatches); n > r.width {
		r.width, r.spans = n, make([]Span, n*len(r.list)) // those in use keep the old ones
	}
	i := (r.first + r.n) % len(r.list)
	r.n++
	r.list[i] = Timeline{Recording: rec, Spans: r.spans[i*r.width:][:len(rec.Dispatches)]}
	return &r.list[i]
}

// Take shows the timelines, oldest first, and empties the ring. Spans are good during
// the call only.
func (r *TimelineRing) Take(visit func(Timeline)) {
	for ; r.n > 0; r.n-- {
		visit(r.list[r.first])
		r.first = (r.first + 1) % len(r.list)
	}
}

// Lost is how many timelines nobody looked at in time.
func (r *TimelineRing) Lost() int { return r.lost }
