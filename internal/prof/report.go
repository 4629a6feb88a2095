package prof

import (
	"time"
)

// Report is the table as a document. Times are in milliseconds.
type Report struct {
	Measured int              `json:"measured_steps"`
	Every    int              `json:"measured_every"`
	Clock    string           `json:"clock"`
	Off      string           `json:"not_measured,omitempty"` // why there is no table
	Cost     float64          `json:"measuring_costs"`        // of a step, as a part of it, on average
	StepMS   float64          `json:"step_ms"`                // average measured step
	KernelMS float64          `json:"kernels_ms"`
	GapMS    float64          `json:"gaps_ms"`
	Error    float64          `json:"sum_error"` // of kernels and gaps against steps
	Groups   []GroupReport    `json:"groups"`
	Rows     []RowReport      `json:"kernels"`
	Work     Work             `json:"work"`
	Peaks    Peaks            `json:"peaks"`
	Compiled []CompiledReport `json:"compiled"`
	Words    []string         `json:"words"`
}

// GroupReport is a line of Report.Groups.
type GroupReport struct {
	Group   string  `json:"group"`
	TotalMS float64 `json:"total_ms"`
	Calls   int     `json:"calls"`
	Share   float64 `json:"share"` // of all groups
}

// RowReport is a line of Report.Rows. Average, median and 95 % are of a run's sums.
type RowReport struct {
	Group     string  `json:"group"`
	Stage     string  `json:"stage"`
	Kernel    string  `json:"kernel"`
	Calls     int     `json:"calls"`
	TotalMS   float64 `json:"total_ms"`
	AverageMS float64 `json:"average_ms"`
	MedianMS  float64 `json:"median_ms"`
	P95MS     float64 `json:"p95_ms"`
	Share     float64 `json:"share"`
	Bytes     float64 `json:"model_bytes"`
	Ops       float64 `json:"model_operations"`
	OfBytes   float64 `json:"of_peak_bytes"` // 0 where no peak is known
	OfOps     float64 `json:"of_peak_operations"`
}

// CompiledReport is what the driver tells of a kernel.
type CompiledReport struct {
	Kernel   string             `json:"kernel"`
	Subgroup int                `json:"subgroup_size"`
	Facts    map[string]float64 `json:"driver"`
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// Report makes the document.
func (t *Table) Report() Report {
	runs := time.Duration(max(t.steps.runs, 1))
	r := Report{
		Measured: t.steps.runs, Every: t.how.Every, Clock: t.how.Clock, Off: t.how.Off, Cost: t.averageCost(),
		StepMS: ms(t.Step()), KernelMS: ms(t.steps.kernels / runs), GapMS: ms(t.steps.gaps / runs), Error: t.Error(),
		Groups: []GroupReport{}, Rows: []RowReport{}, Work: t.Work(), Peaks: t.peaks, Compiled: []CompiledReport{},
	}
	total := t.total()
	for _, g := range t.Groups() {
		r.Groups = append(r.Groups, GroupReport{g.Name, ms(g.Total), g.Calls, share(g.Total, total)})
	}
	costs := t.costs(&r.Work)
	for _, row := range t.rows {
		r.Rows = append(r.Rows, t.rowReport(row, total, costs[[2]string{row.Stage, row.Kernel}]))
	}
	for _, c := range t.facts {
		facts := map[string]float64{}
		for _, f := range c.Facts {
			facts[f.Name] = f.Value
		}
		r.Compiled = append(r.Compiled, CompiledReport{c.Kernel, c.Subgroup, facts})
	}
	r.Words = t.Words()
	return r
}

func (t *Table) rowReport(row *Row, total time.Duration, c Cost) RowReport {
	out := RowReport{
		Group: row.Group, Stage: row.Stage, Kernel: row.Kernel, Calls: row.Calls, TotalMS: ms(row.Total),
		AverageMS: ms(row.Average()), MedianMS: ms(row.Median()), P95MS: ms(row.P95()), Share: share(row.Total, total),
		Bytes: c.Bytes, Ops: c.Ops,
	}
	if s := row.Average().Seconds(); s > 0 && t.peaks.Bytes > 0 {
		out.OfBytes = c.Bytes / s / t.peaks.Bytes
	}
	if s := row.Average().Seconds(); s > 0 && t.peaks.Ops > 0 {
		out.OfOps = c.Ops / s / t.peaks.Ops
	}
	return out
}

// averageCost is what measuring adds to the average step, as a part of it.
func (t *Table) averageCost() float64 {
	if t.how.Every == 0 {
		return 0
	}
	return t.how.Cost / float64(t.how.Every)
}

// total is the sum of all rows, gaps too.
func (t *Table) total() (sum time.Duration) {
	for _, r := range t.rows {
		sum += r.Total
	}
	return sum
}

func share(part, whole time.Duration) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// costs models each row of a step.
func (t *Table) costs(w *Work) map[[2]string]Cost {
	out := map[[2]string]Cost{}
	if t.rec == nil || w.Steps == 0 {
		return out
	}
	labels := t.labelsOf(t.rec)
	for i := range t.rec.Dispatches {
		d := &t.rec.Dispatches[i]
		key := [2]string{labels[i], d.Kernel.Name}
		c := costOf(d, w)
		out[key] = Cost{out[key].Bytes + c.Bytes, out[key].Ops + c.Ops}
	}
	return out
}
