package kerneltest

import (
	"fmt"
	"strings"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
)

// Options says how Check compares. The zero value is the usual check.
type Options struct {
	Reference func() kernel.Backend // makes the backend to compare with; nil: the readable CPU kernels
	Exact     bool                  // no tolerances, for backends that promise the reference's bits
	Scenarios []Scenario            // what is played; nil: Scenarios()
	Watch     func(Progress)        // told after each scenario; may be nil
}

// Progress is what one scenario showed.
type Progress struct {
	Scenario   string
	Done, Of   int // scenarios
	Dispatches int // compared
	Failures   []string
}

// Report is what a check found.
type Report struct {
	Kernels  []KernelReport // one for each contract, in their order
	Problems []string       // scenarios that could not be played, kernels that none ran
}

// KernelReport is what a check found about one kernel.
type KernelReport struct {
	Kernel     string
	Dispatches int       // compared, with work to do
	Closest    Deviation // to its tolerance, over all outputs and dispatches
	Failed     int       // dispatches that differ
	Failures   []string  // the first few of them, with scenario and stage
}

// OK reports whether everything was played and nothing differs.
func (r *Report) OK() bool { return len(r.Problems) == 0 && len(r.Failed()) == 0 }

// Failed names the kernels that differ.
func (r *Report) Failed() (names []string) {
	for _, k := range r.Kernels {
		if k.Failed > 0 {
			names = append(names, k.Kernel)
		}
	}
	return names
}

// Check compares every kernel of be with what the reference does, within the
// tolerances of its case. Trainings, refines and renderings run dispatch by
// dispatch on the reference; each dispatch is repeated on be from the same inputs.
// It takes a second or two on a CPU.
func Check(be kernel.Backend, o Options) *Report {
	c := newChecker(o)
	defer c.ref.Close()
	if o.Scenarios == nil {
		o.Scenarios = Scenarios()
	}
	for i, sc := range o.Scenarios {
		p := c.play(be, sc)
		p.Done, p.Of = i+1, len(o.Scenarios)
		if o.Watch != nil {
			o.Watch(p)
		}
	}
	return c.finish()
}

// checker collects what scenarios show.
type checker struct {
	ref    kernel.Backend
	exact  bool
	report Report
	row    map[string]*KernelReport
}

func newChecker(o Options) *checker {
	if o.Reference == nil {
		o.Reference = readable
	}
	c := &checker{ref: o.Reference(), exact: o.Exact, row: map[string]*KernelReport{}}
	c.report.Kernels = make([]KernelReport, 0, len(kernel.Contracts())) // rows stay where they are
	for _, k := range kernel.Contracts() {
		c.report.Kernels = append(c.report.Kernels, KernelReport{Kernel: k.Name})
		c.row[k.Name] = &c.report.Kernels[len(c.report.Kernels)-1]
	}
	return c
}

// readable is the specification: the CPU functions in their plainest form.
func readable() kernel.Backend { return cpu.New(cpu.Options{Reference: true}) }

// How many failures are told of a scenario and of a kernel.
const (
	enoughOfScenario = 20
	enoughOfKernel   = 5
)

// play plays one scenario on be.
func (c *checker) play(be kernel.Backend, sc Scenario) Progress {
	p := Progress{Scenario: sc.Name}
	err := Replay(c.ref, be, sc, func(r *Run) {
		p.Dispatches++
		if err := c.note(sc.Name, r); err != nil && len(p.Failures) < enoughOfScenario {
			p.Failures = append(p.Failures, fmt.Sprintf("%s (%s): %v", r.Dispatch.Kernel.Name, r.Dispatch.Stage, err))
		}
	})
	if err != nil {
		problem := fmt.Sprintf("scenario %s: %v", sc.Name, err)
		c.report.Problems = append(c.report.Problems, problem)
		p.Failures = append(p.Failures, problem)
	}
	return p
}

// note compares a dispatch of a scenario and returns what is wrong with it.
func (c *checker) note(scenario string, r *Run) error {
	k := c.row[r.Dispatch.Kernel.Name]
	d, err := CompareRun(r, c.exact)
	if r.Groups > 0 {
		k.Dispatches++
	}
	k.Closest.merge(d)
	if err == nil {
		return nil
	}
	if k.Failed++; len(k.Failures) < enoughOfKernel {
		k.Failures = append(k.Failures, fmt.Sprintf("%s, %s: %s", scenario, r.Dispatch.Stage, oneLine(err)))
	}
	return err
}

// oneLine joins the lines of joined errors.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// finish adds the kernels that no scenario ran; one that ended early may be why.
func (c *checker) finish() *Report {
	if len(c.report.Problems) == 0 {
		for _, k := range c.report.Kernels {
			if k.Dispatches == 0 {
				c.report.Problems = append(c.report.Problems, fmt.Sprintf("no scenario runs kernel %s", k.Kernel))
			}
		}
	}
	return &c.report
}
