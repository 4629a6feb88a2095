package sweep

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"

	"splat/internal/fault"
	"splat/internal/lab"
)

// Report is what a sweep came to: results.json, and what --json prints.
type Report struct {
	Version  int           `json:"sweep"`
	Dir      string        `json:"out"`
	Sort     string        `json:"sort"`
	Complete int           `json:"complete"` // runs
	Runs     int           `json:"runs"`
	Captures []Capture     `json:"captures"`
	Rows     []Row         `json:"configurations"` // sorted by the mean
	Scenes   []SceneReport `json:"scenes"`
	Plot     string        `json:"plot,omitempty"` // "" where there is nothing to draw
}

// Row is one configuration.
type Row struct {
	Name   string  `json:"name"`
	Values []Value `json:"values"`
	Mean   *Scores `json:"mean"` // null unless the runs on all captures are complete
	Pareto bool    `json:"pareto"`
	Runs   []Line  `json:"runs"` // in the order of captures
}

// Line is one run.
type Line struct {
	Run     string      `json:"run"` // folder, below out
	Capture string      `json:"capture"`
	State   State       `json:"state"`
	Scores  *Scores     `json:"scores"` // null unless complete
	Pareto  bool        `json:"pareto"` // among the runs on its capture
	Code    int         `json:"exit_code,omitempty"`
	Reason  string      `json:"reason,omitempty"`
	Result  *lab.Result `json:"result"`
}

// SceneReport names the configurations in the order of one capture's results.
type SceneReport struct {
	Capture string   `json:"capture"`
	Order   []string `json:"order"`
}

// Scores are what configurations are compared by.
type Scores struct {
	PSNR    *float64 `json:"psnr"`
	SSIM    *float64 `json:"ssim"`
	Seconds float64  `json:"train_seconds"`
	Splats  float64  `json:"splats"`
}

// Sorts are the orders of a table, best first.
var Sorts = []string{"psnr", "seconds", "splats"}

// CheckSort refuses an order that is none.
func CheckSort(name string) error {
	if slices.Contains(Sorts, name) {
		return nil
	}
	return fault.Usagef("--sort: found %q, expected psnr, seconds or splats", name)
}

// Report reads all run folders. outcomes tells what failed in this invocation.
func (p *Plan) Report(sort string, outcomes map[string]Outcome) (*Report, error) {
	r := &Report{Version: settingsVersion, Dir: p.Dir, Sort: sort, Runs: len(p.Jobs), Captures: p.Captures}
	for _, c := range p.Cases {
		r.Rows = append(r.Rows, Row{Name: c.Name, Values: append([]Value{}, c.Values...)})
	}
	names := nameCaptures(p.Captures)
	for _, j := range p.Jobs {
		state, res, err := j.Look()
		if err != nil {
			return nil, err
		}
		line := Line{Run: filepath.Base(j.Dir), Capture: names[j.Capture], State: state, Result: res}
		if res != nil {
			line.Scores = &Scores{res.PSNR, res.SSIM, res.TrainSeconds, float64(res.Splats)}
			r.Complete++
		} else if out, ok := outcomes[j.Name]; ok && out.Code != 0 {
			line.Code, line.Reason = out.Code, out.Reason
			if out.Code != int(fault.Interrupted) {
				line.State = Failed
			}
		}
		r.Rows[j.Case].Runs = append(r.Rows[j.Case].Runs, line)
	}
	r.finish(names)
	return r, nil
}

// finish computes means, fronts and orders.
func (r *Report) finish(captures []string) {
	var means []*Scores
	for i := range r.Rows {
		r.Rows[i].Mean = mean(r.Rows[i].Runs)
		means = append(means, r.Rows[i].Mean)
	}
	for i, on := range front(means) {
		r.Rows[i].Pareto = on
	}
	for k, name := range captures {
		var scores []*Scores
		for i := range r.Rows {
			scores = append(scores, r.Rows[i].Runs[k].Scores)
		}
		for i, on := range front(scores) {
			r.Rows[i].Runs[k].Pareto = on
		}
		rows := slices.Clone(r.Rows)
		slices.SortStableFunc(rows, func(a, b Row) int { return compare(r.Sort, a.Runs[k].Scores, b.Runs[k].Scores) })
		scene := SceneReport{Capture: name}
		for _, row := range rows {
			scene.Order = append(scene.Order, row.Name)
		}
		r.Scenes = append(r.Scenes, scene)
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int { return compare(r.Sort, a.Mean, b.Mean) })
}

// mean is the mean over all captures; nil where one is not there: a mean over others
// could not be compared.
func mean(lines []Line) *Scores {
	m := &Scores{PSNR: new(float64), SSIM: new(float64)}
	n := float64(len(lines))
	for _, l := range lines {
		s := l.Scores
		if s == nil {
			return nil
		}
		m.Seconds += s.Seconds / n
		m.Splats += s.Splats / n
		m.PSNR, m.SSIM = add(m.PSNR, s.PSNR, n), add(m.SSIM, s.SSIM, n)
	}
	return m
}

func add(sum, v *float64, n float64) *float64 {
	if sum == nil || v == nil {
		return nil
	}
	total := *sum + *v/n
	return &total
}

// compare orders scores, the best first and what is not there last.
func compare(sort string, a, b *Scores) int {
	worth := func(s *Scores) float64 {
		switch {
		case s == nil || sort == "psnr" && s.PSNR == nil:
			return math.Inf(1)
		case sort == "psnr":
			return -*s.PSNR
		case sort == "seconds":
			return s.Seconds
		}
		return s.Splats
	}
	return cmp.Compare(worth(a), worth(b))
}

// front tells which scores are on the Pareto front: none is at least as good in both
// PSNR and time, and better in one.
func front(list []*Scores) []bool {
	on := make([]bool, len(list))
	for i, a := range list {
		on[i] = a != nil && a.PSNR != nil && !slices.ContainsFunc(list, func(b *Scores) bool {
			return b != nil && b.PSNR != nil && *b.PSNR >= *a.PSNR && b.Seconds <= a.Seconds && (*b.PSNR > *a.PSNR || b.Seconds < a.Seconds)
		})
	}
	return on
}

// Save writes results, table and plot into the sweep's folder.
func (r *Report) Save() error {
	plot := r.SVG()
	if plot != nil {
		r.Plot = PlotFile
		if err := writeFile(filepath.Join(r.Dir, PlotFile), plot); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(r.Dir, TableFile), []byte(r.Table())); err != nil {
		return err
	}
	return writeJSON(filepath.Join(r.Dir, ResultsFile), r)
}
