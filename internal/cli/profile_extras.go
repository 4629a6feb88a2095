package cli

import (
	"fmt"

	"splat/internal/bench"
	"splat/internal/kernel"
	"splat/internal/prof"
	"splat/internal/train"
)

// extras is what a profile tells of the device beyond times. It is asked for when the run
// is over, with the device at rest.
type extras struct {
	warn         func(string)
	threads, end int
	peaks        prof.Peaks
	compiled     []kernel.Compiled
}

// after asks the device when the last step is done, after what else is to happen then.
func (x *extras) after(first func(kernel.Backend, int)) func(kernel.Backend, int) {
	return func(be kernel.Backend, step int) {
		if first != nil {
			first(be, step)
		}
		if step >= x.end {
			x.ask(be)
		}
	}
}

func (x *extras) ask(be kernel.Backend) {
	var err error
	if x.peaks.Bytes, err = bench.Bandwidth(be); err != nil {
		x.warn(fmt.Sprintf("the device's peak was not measured: %v", err))
	}
	if be.Name() == "cpu" {
		if x.peaks.Ops, err = bench.Arithmetic(x.threads); err != nil {
			x.warn(fmt.Sprintf("the processor's peak was not measured: %v", err))
		}
	}
	if d, ok := be.(kernel.Describer); ok {
		if x.compiled, err = d.Describe(); err != nil {
			x.warn(fmt.Sprintf("the driver did not describe its kernels: %v", err))
		}
	}
}

// complete puts what was found into the table.
func (x *extras) complete(t *prof.Table) {
	t.Peaks(x.peaks)
	t.Compiled(x.compiled)
}

// profileObserver shows a run that is profiled: warnings and choices, but no tables on the
// way and none twice.
type profileObserver struct {
	console  *console
	progress progress
}

// Note prints a line. Tables are printed at the end.
func (o *profileObserver) Note(text string) {
	if l := lines(text); len(l) == 1 {
		o.console.note(l[0])
	}
}

// Loading shows how many pictures are decoded.
func (o *profileObserver) Loading(done, total int) { o.progress.loading(done, total) }

// Progress shows the state of the training.
func (o *profileObserver) Progress(p train.Progress) { o.progress.step(p) }

// Metrics are in the table.
func (*profileObserver) Metrics(train.Metrics) {}

// Evaluated never comes: nothing is evaluated.
func (*profileObserver) Evaluated(train.Evaluation) {}
