// Package prof turns measured runs of recordings into a table: where a step's time goes,
// how much work there was, and how near kernels come to what the device can do.
package prof

import (
	"slices"
	"time"

	"splat/internal/kernel"
)

// kept is the number of the newest runs that median and percentile are taken from.
const kept = 4096

// Row is what one kernel took in one stage, or a kind of gap, over the measured runs.
type Row struct {
	Group, Stage, Kernel string
	Calls, Runs          int
	Total                time.Duration
	newest               []time.Duration // sums of runs
	current              time.Duration   // of the run being added
	inRun                bool
}

// Median is the median of the sums of the newest runs.
func (r *Row) Median() time.Duration { return r.quantile(0.5) }

// P95 is what 95 % of the newest runs stay below.
func (r *Row) P95() time.Duration { return r.quantile(0.95) }

// Average is the time of a run that had the row.
func (r *Row) Average() time.Duration { return r.Total / time.Duration(max(r.Runs, 1)) }

func (r *Row) quantile(q float64) time.Duration {
	if len(r.newest) == 0 {
		return 0
	}
	list := slices.Clone(r.newest)
	slices.Sort(list)
	return list[min(int(q*float64(len(list))), len(list)-1)]
}

// close ends a run.
func (r *Row) close() {
	if !r.inRun {
		return
	}
	if len(r.newest) < kept {
		r.newest = append(r.newest, r.current)
	} else {
		r.newest[r.Runs%kept] = r.current
	}
	r.Runs++
	r.current, r.inRun = 0, false
}

func (r *Row) add(d time.Duration, calls int) {
	r.Calls += calls
	r.Total += d
	r.current += d
	r.inRun = true
}

// Table adds up measured runs. The zero value is empty.
type Table struct {
	rows      []*Row
	index     map[[3]string]*Row
	labels    map[*kernel.Recording][]string
	waits     map[*kernel.Recording][]bool // barriers
	steps     sums                         // of training steps
	from      int                          // steps before this one do not count
	work      Work
	how       kernel.Sampling
	peaks     Peaks
	submitted int // steps in the submissions
	watched   int64
	facts     []kernel.Compiled
	rec       *kernel.Recording // the newest step
}

// sums is what measured runs of a program took altogether.
type sums struct {
	runs                 int
	kernels, gaps, total time.Duration
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{index: map[[3]string]*Row{}, labels: map[*kernel.Recording][]string{}, waits: map[*kernel.Recording][]bool{}}
}

// Skip leaves out runs before the given number of steps.
func (t *Table) Skip(steps int) { t.from = steps }

// Sampling notes how the backend measures.
func (t *Table) Sampling(s kernel.Sampling) { t.how = s }

// Add adds a measured run. Runs that changed nothing are left out, and so is what is
// neither a step nor a refine: pictures that are rendered to be looked at.
func (t *Table) Add(l kernel.Timeline) {
	group, ok := programs[base(l.Recording.Name)]
	if !ok || l.Idle || int(l.Step) < t.from && l.Step > 0 || t.from > 0 && l.Step == 0 {
		return
	}
	labels := t.labelsOf(l.Recording)
	sum := sums{runs: 1, total: l.Total}
	var end time.Duration
	for i, s := range l.Spans {
		d := &l.Recording.Dispatches[i]
		name := d.Kernel.Name
		if l.Host {
			name += " (host)"
		}
		t.gap(group, gapBetween(t.waits[l.Recording], i), s.From-end)
		t.row(groupOf(group, d.Stage), labels[i], name).add(s.Took(), 1)
		sum.kernels += s.Took()
		sum.gaps += max(s.From-end, 0)
		end = max(end, s.To)
	}
	t.gap(group, gapEnd, l.Total-end)
	sum.gaps += max(l.Total-end, 0)
	for _, r := range t.rows {
		r.close()
	}
	if group == "" {
		t.steps.add(sum)
		if l.Recording.Name == base(l.Recording.Name) {
			t.rec = l.Recording
		}
	}
}

func (s *sums) add(o sums) {
	s.runs += o.runs
	s.kernels += o.kernels
	s.gaps += o.gaps
	s.total += o.total
}

// Gaps, where no kernel runs.
const (
	gapStart   = "gap: before the first"
	gapBarrier = "gap: at a barrier"
	gapPlain   = "gap: between two"
	gapEnd     = "gap: after the last"
)

// gaps is the group of the gaps of steps.
const gaps = "gaps"

func (t *Table) gap(group, name string, d time.Duration) {
	if group == "" {
		t.row(gaps, gaps, name).add(max(d, 0), 1)
		return
	}
	t.row(group, gaps, name).add(max(d, 0), 1)
}

// gapBetween names the gap before dispatch i.
func gapBetween(barriers []bool, i int) string {
	switch {
	case i == 0:
		return gapStart
	case barriers[i]:
		return gapBarrier
	}
	return gapPlain
}

func (t *Table) row(group, stage, name string) *Row {
	key := [3]string{group, stage, name}
	r := t.index[key]
	if r == nil {
		r = &Row{Group: group, Stage: stage, Kernel: name}
		t.index[key] = r
		t.rows = append(t.rows, r)
	}
	return r
}

// Rows returns what was measured, kernel by kernel, in the order of a step.
func (t *Table) Rows() (out []kernel.Timing) {
	for _, r := range t.rows {
		if r.Stage != gaps {
			out = append(out, kernel.Timing{Stage: r.Stage, Kernel: r.Kernel, Calls: r.Calls, Total: r.Total, Runs: r.Runs, Median: r.Median(), Group: r.Group})
		}
	}
	return out
}

// Error is how far kernels and gaps together are from the steps that they are parts of,
// as a part of those; 0 where nothing was measured.
func (t *Table) Error() float64 {
	if t.steps.total == 0 {
		return 0
	}
	d := t.steps.kernels + t.steps.gaps - t.steps.total
	return float64(d.Abs()) / float64(t.steps.total)
}

// Step is the average measured step, Steps their number.
func (t *Table) Step() time.Duration { return t.steps.total / time.Duration(max(t.steps.runs, 1)) }

// Steps is the number of measured steps.
func (t *Table) Steps() int { return t.steps.runs }
