package prof

import (
	"fmt"
	"slices"
	"strings"
)

// Format lists kernels by falling share, then the groups and what they add up to.
func (t *Table) Format() string {
	r := t.Report()
	var b strings.Builder
	if r.Off != "" {
		return "profile: " + r.Off + "\n"
	}
	if r.Measured == 0 {
		return "profile: no step was measured yet\n"
	}
	fmt.Fprintf(&b, "profile: %d steps measured, one of %d, by %s; times are of a measured step\n", r.Measured, max(r.Every, 1), r.Clock)
	fmt.Fprintf(&b, "%-9s %-19s %-26s %10s %7s %9s %9s %9s %6s%s\n", "group", "stage", "kernel", "total ms", "calls", "avg ms", "median", "95 %", "share", t.rateHeads())
	rows := slices.Clone(r.Rows)
	slices.SortStableFunc(rows, func(a, b RowReport) int {
		switch {
		case a.TotalMS > b.TotalMS:
			return -1
		case a.TotalMS < b.TotalMS:
			return 1
		}
		return 0
	})
	for _, row := range rows {
		fmt.Fprintf(&b, "%-9s %-19s %-26s %10.2f %7d %9.4f %9.4f %9.4f %5.1f%%%s\n", row.Group, row.Stage, row.Kernel,
			row.TotalMS, row.Calls, row.AverageMS, row.MedianMS, row.P95MS, 100*row.Share, t.rates(row))
	}
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "%-9s %-19s %-26s %10.2f %7d %29s %5.1f%%\n", g.Group, "(all)", "", g.TotalMS, g.Calls, "", 100*g.Share)
	}
	fmt.Fprintf(&b, "sum: kernels %.4f ms + gaps %.4f ms = %.4f ms of a step of %.4f ms (off by %.2f %%)\n",
		r.KernelMS, r.GapMS, r.KernelMS+r.GapMS, r.StepMS, 100*r.Error)
	b.WriteString(r.workText())
	b.WriteString(r.compiledText())
	for _, line := range r.Words {
		fmt.Fprintf(&b, "%s\n", line)
	}
	return b.String()
}

func (t *Table) rateHeads() string {
	if t.work.Steps == 0 {
		return ""
	}
	return fmt.Sprintf(" %8s %6s %8s %6s", "MB", "peak", "Mop", "peak")
}

// rates is the model's columns of a row.
func (t *Table) rates(r RowReport) string {
	if t.work.Steps == 0 || r.Bytes == 0 {
		return ""
	}
	text := fmt.Sprintf(" %8.2f %s", r.Bytes/1e6, percent(r.OfBytes))
	if r.Ops > 0 {
		text += fmt.Sprintf(" %8.1f %s", r.Ops/1e6, percent(r.OfOps))
	}
	return text
}

func percent(v float64) string {
	if v == 0 {
		return "     -"
	}
	return fmt.Sprintf("%5.1f%%", 100*v)
}

func (r *Report) workText() string {
	w := r.Work
	if w.Steps == 0 {
		return ""
	}
	text := fmt.Sprintf("work a step: %.0f splats, %.0f visible, %.0f pairs, %.0f pixels; %d dispatches, %d barriers; %.2f submissions, %.0f bytes read back\n",
		w.Splats, w.Visible, w.Pairs, w.Pixels, w.Dispatches, w.Barriers, w.Submissions, w.ReadBack)
	if w.CountedViews > 0 {
		text += fmt.Sprintf("splat-pixels: %.2f million evaluated, %.2f million blended (%.0f %%); counted on %d views at the end\n",
			w.Evaluated/1e6, w.Blended/1e6, 100*w.Blended/max(w.Evaluated, 1), w.CountedViews)
	}
	if r.Peaks.Bytes > 0 {
		text += fmt.Sprintf("peaks, measured: %.1f GB/s copied", r.Peaks.Bytes/1e9)
		if r.Peaks.Ops > 0 {
			text += fmt.Sprintf(", %.1f Gop/s float32", r.Peaks.Ops/1e9)
		} else {
			text += ", operations not measured on this device"
		}
		text += "; MB and Mop are a model (docs/profiling.md), not counted\n"
	}
	return text
}

func (r *Report) compiledText() string {
	var b strings.Builder
	for _, c := range r.Compiled {
		var facts []string
		for name, v := range c.Facts {
			facts = append(facts, fmt.Sprintf("%s %g", name, v))
		}
		slices.Sort(facts)
		if c.Subgroup > 0 {
			facts = append([]string{fmt.Sprintf("subgroup %d", c.Subgroup)}, facts...)
		}
		fmt.Fprintf(&b, "compiled: %s: %s\n", c.Kernel, strings.Join(facts, ", "))
	}
	return b.String()
}

// Words says which groups dominate, and what the table cannot tell.
func (t *Table) Words() (out []string) {
	groups := t.Groups()
	slices.SortStableFunc(groups, func(a, b Group) int { return int(b.Total - a.Total) })
	var names []string
	sum, total := 0.0, t.total()
	for _, g := range groups {
		if sum >= 0.6 {
			break
		}
		s := share(g.Total, total)
		names = append(names, fmt.Sprintf("%s %.0f %%", g.Name, 100*s))
		sum += s
	}
	if len(names) == 0 {
		return nil
	}
	out = append(out, "most of the measured time: "+strings.Join(names, ", "))
	if t.how.Every > 1 || t.how.Cost > 0 {
		out = append(out, fmt.Sprintf("a measured step takes %.1f %% longer than a plain one, the average step %.2f %%", 100*t.how.Cost, 100*t.averageCost()))
	}
	if e := t.Error(); e > sumTolerance {
		out = append(out, fmt.Sprintf("warning: kernels and gaps are %.1f %% off the steps they belong to: do not trust this table", 100*e))
	}
	return append(out, "a kernel's share is not its saving: without it others may take longer, and the host may become the limit. Measure a change with splat ab",
		"the table does not tell whether the device waited for the host between steps: see the host's side below, or splat train --trace")
}

// sumTolerance is how far kernels and gaps together may be off.
const sumTolerance = 0.03
