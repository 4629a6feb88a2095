// Package prof turns kernel timings into tables: where a step's time goes.
package prof

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"splat/internal/kernel"
)

// Table adds up kernel timings by stage and kernel.
type Table struct{ rows []kernel.Timing }

// NewTable returns an empty table.
func NewTable() *Table { return &Table{} }

// Add adds timings to the rows of the same stage and kernel.
func (t *Table) Add(timings []kernel.Timing) {
	for _, v := range timings {
		i := slices.IndexFunc(t.rows, func(r kernel.Timing) bool { return r.Stage == v.Stage && r.Kernel == v.Kernel })
		if i < 0 {
			t.rows = append(t.rows, v)
			continue
		}
		t.rows[i].Calls += v.Calls
		t.rows[i].Total += v.Total
	}
}

// Total returns the sum of all rows.
func (t *Table) Total() (sum time.Duration) {
	for _, r := range t.rows {
		sum += r.Total
	}
	return sum
}

// Format lists kernels by falling share, with the stages' sums below; ms/step
// divides by the number of steps.
func (t *Table) Format(steps int) string {
	var b strings.Builder
	rows := slices.Clone(t.rows)
	slices.SortStableFunc(rows, func(a, b kernel.Timing) int { return int(b.Total - a.Total) })
	fmt.Fprintf(&b, "%-19s %-19s %10s %9s %10s %6s\n", "stage", "kernel", "total ms", "calls", "ms/step", "share")
	for _, r := range rows {
		t.line(&b, r.Stage, r.Kernel, r, steps)
	}
	for _, s := range t.stages() {
		t.line(&b, s.Stage, "(all)", s, steps)
	}
	t.line(&b, "total", "", kernel.Timing{Total: t.Total()}, steps)
	return b.String()
}

func (t *Table) line(b *strings.Builder, stage, name string, r kernel.Timing, steps int) {
	ms, total := r.Total.Seconds()*1000, max(t.Total().Seconds()*1000, 1e-9)
	fmt.Fprintf(b, "%-19s %-19s %10.1f %9d %10.3f %5.1f%%\n", stage, name, ms, r.Calls, ms/float64(max(steps, 1)), 100*ms/total)
}

// stages sums the rows of each stage once, in order of first appearance.
func (t *Table) stages() (out []kernel.Timing) {
	for _, r := range t.rows {
		i := slices.IndexFunc(out, func(s kernel.Timing) bool { return s.Stage == r.Stage })
		if i < 0 {
			out = append(out, kernel.Timing{Stage: r.Stage})
			i = len(out) - 1
		}
		out[i].Calls += r.Calls
		out[i].Total += r.Total
	}
	return out
}
