package finding

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ExperimentFile is the record of a paired experiment in its folder.
const ExperimentFile = "ab.json"

// Experiment is what a finding takes from the record of a paired experiment. Changes
// are in per cent of the time of A, negative where B is faster: the other way round
// than in the record, which counts what B saves.
type Experiment struct {
	File           string // path of the record
	Key            string // what was varied
	A, B           string // its values
	Device, Commit string // "" where the record does not tell
	Date           string // YYYY-MM-DD of the first session, "" where unknown
	Pairs          int
	Gate           *float64 // change that counts, as a saving in per cent
	Verdict        string   // one of Verdicts, "" where there is none
	Why            string
	DeltaWallclock *float64 // of the step time
	DeltaPSNR      *float64 // dB, B less A
	SameBytes      *bool    // the splats of both are equal
	Times          []Change // step time, whole training
	Kernels        []Change // those that count
	Minor          int      // kernels that do not
	Notes          []string
}

// Change is a time in both arms and the interval of its change.
type Change struct {
	Name      string
	Unit      string   // of A and B
	A, B      float64  // medians
	Median    float64  // per cent
	Low, High *float64 // nil where no interval exists
	Noise     *float64 // noise floor, per cent either way; nil: unknown
	Verdict   string
	Share     *float64 // of a kernel in the time of all, per cent; nil: unknown
	Changed   bool     // a kernel that the record accuses
}

// Counts reports whether a change is worth a row: not that of a kernel with less than
// one per cent of the time, unless it is accused.
func (c Change) Counts() bool { return c.Changed || c.Share == nil || *c.Share >= 1 }

// document is the part of ab.json that is read; what is not there stays zero.
type document struct {
	AB   int `json:"ab"`
	Plan struct {
		Key    string   `json:"key"`
		Values []string `json:"values"`
		Gate   *float64 `json:"gate_percent"`
		Pairs  int      `json:"pairs"`
	} `json:"plan"`
	Origin struct {
		Sessions []struct {
			Began string `json:"began"`
			Build struct {
				Commit string `json:"commit"`
			} `json:"build"`
			Device struct {
				Name string `json:"name"`
			} `json:"device"`
		} `json:"sessions"`
	} `json:"origin"`
	Complete *bool  `json:"complete"`
	Failure  string `json:"failure"`
	Analysis struct {
		judgement
		Quantities []quantity `json:"quantities"`
		Kernels    *struct {
			Rows []quantity `json:"rows"`
		} `json:"kernels"`
		Arms []struct {
			PSNR   *float64 `json:"psnr"`
			SHA256 string   `json:"sha256"`
		} `json:"arms"`
	} `json:"analysis"`
	Notes []string `json:"notes"`
}

type judgement struct {
	Verdict string `json:"verdict"`
	Slower  bool   `json:"slower"`
	Why     string `json:"why"`
}

type quantity struct {
	Name       string     `json:"name"`
	Unit       string     `json:"unit"`
	A          float64    `json:"a_seconds"`
	B          float64    `json:"b_seconds"`
	NoiseFloor *float64   `json:"noise_floor_percent"`
	Share      *float64   `json:"share_percent"`
	Changed    bool       `json:"changed"`
	Difference difference `json:"difference"`
	judgement
}

type difference struct {
	Percent  float64 `json:"median_percent"`
	Interval *struct {
		Low  float64 `json:"low"`
		High float64 `json:"high"`
	} `json:"interval_percent"`
}

// ReadExperiment reads the record of the experiment that a finding links to.
func (f *Finding) ReadExperiment() (*Experiment, error) {
	return ReadExperiment(filepath.Join(filepath.Dir(f.File), filepath.FromSlash(f.Experiment)))
}

// ReadExperiment reads the record of the experiment in a folder. Keys that it does not
// know are another version's.
func ReadExperiment(dir string) (*Experiment, error) {
	path := filepath.Join(dir, ExperimentFile)
	text, err := os.ReadFile(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
		return nil, err
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("%s: %w, expected the record of an experiment", path, err)
	}
	switch {
	case d.AB < 1 || len(d.Plan.Values) != 2:
		return nil, fmt.Errorf("%s: found no plan with two values, expected the record of an experiment", path)
	case d.Complete != nil && !*d.Complete:
		return nil, fmt.Errorf("%s: found an experiment that is not complete %s, expected a complete one", path, d.Failure)
	}
	return d.experiment(path), nil
}

func (d *document) experiment(path string) *Experiment {
	e := &Experiment{
		File: path, Key: d.Plan.Key, A: d.Plan.Values[0], B: d.Plan.Values[1], Pairs: d.Plan.Pairs, Gate: d.Plan.Gate,
		Verdict: d.Analysis.word(), Why: d.Analysis.Why, Notes: d.Notes,
	}
	if s := d.Origin.Sessions; len(s) > 0 {
		e.Device, e.Commit = s[0].Device.Name, s[0].Build.Commit
		e.Date = s[0].Began[:min(len(s[0].Began), len(time.DateOnly))]
	}
	if _, err := time.Parse(time.DateOnly, e.Date); err != nil {
		e.Date = ""
	}
	for _, q := range d.Analysis.Quantities {
		e.Times = append(e.Times, q.change())
	}
	if len(e.Times) > 0 {
		e.DeltaWallclock = &e.Times[0].Median
	}
	if k := d.Analysis.Kernels; k != nil {
		for _, q := range k.Rows {
			q.Unit = "ms"
			if c := q.change(); c.Counts() {
				e.Kernels = append(e.Kernels, c)
			} else {
				e.Minor++
			}
		}
	}
	if a := d.Analysis.Arms; len(a) == 2 {
		same := a[0].SHA256 == a[1].SHA256
		if e.SameBytes = &same; a[0].SHA256 == "" {
			e.SameBytes = nil
		}
		if a[0].PSNR != nil && a[1].PSNR != nil {
			v := *a[1].PSNR - *a[0].PSNR
			e.DeltaPSNR = &v
		}
	}
	return e
}

// word is a verdict as findings tell it, "" where it is none that they know.
func (j judgement) word() string {
	if j.Slower {
		return "slower"
	}
	if !slices.Contains(Verdicts, j.Verdict) {
		return ""
	}
	return j.Verdict
}

func (q quantity) change() Change {
	c := Change{Name: q.Name, Unit: q.Unit, A: q.A, B: q.B, Median: negative(q.Difference.Percent), Noise: q.NoiseFloor, Verdict: q.word(), Share: q.Share, Changed: q.Changed}
	if q.Unit == "ms" {
		c.A, c.B = 1000*c.A, 1000*c.B
	}
	if iv := q.Difference.Interval; iv != nil {
		low, high := negative(iv.High), negative(iv.Low)
		c.Low, c.High = &low, &high
	}
	return c
}

// negative is -v, and 0 of 0.
func negative(v float64) float64 { return 0 - v }

// Markdown is the measurement as a section's text: the facts, and a table of times.
func (e *Experiment) Markdown() string {
	var b strings.Builder
	b.WriteString("```kv\n")
	pair := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, oneLine(value))
		}
	}
	pair("varied", e.Key)
	pair("A", e.A)
	pair("B", e.B)
	pair("device", e.Device)
	pair("commit", e.Commit)
	if e.Pairs > 0 {
		pair("pairs", fmt.Sprint(e.Pairs))
	}
	if e.Gate != nil {
		pair("gate", fmt.Sprintf("a saving of %g %%", *e.Gate))
	}
	if e.SameBytes != nil {
		pair("splats", map[bool]string{true: "the same bytes", false: "different bytes"}[*e.SameBytes])
	}
	b.WriteString("```\n\n")
	e.table(&b)
	if e.Verdict != "" {
		fmt.Fprintf(&b, "> [!IMPORTANT]\n> %s: %s\n", strings.ToUpper(e.Verdict[:1])+e.Verdict[1:], oneLine(e.Why))
	}
	return b.String()
}

// oneLine keeps a text of a record from ending the block that it is put into.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// table lists the times and the kernels that changed.
func (e *Experiment) table(b *strings.Builder) {
	b.WriteString("| time | A | B | change | interval | noise floor |\n|---|--:|--:|--:|--:|--:|\n")
	for _, c := range e.Times {
		b.WriteString(c.row())
	}
	for _, c := range e.Kernels {
		if c.Changed {
			b.WriteString(c.row())
		}
	}
	b.WriteString("\n")
}

func (c Change) row() string {
	interval, noise := "none", "unknown"
	if c.Low != nil {
		interval = fmt.Sprintf("%+.2f to %+.2f %%", *c.Low, *c.High)
	}
	if c.Noise != nil {
		noise = fmt.Sprintf("%.2f %%", *c.Noise)
	}
	return fmt.Sprintf("| %s | %.4g %s | %.4g %s | %+.2f %% | %s | %s |\n", oneLine(strings.ReplaceAll(c.Name, "|", "/")), c.A, c.Unit, c.B, c.Unit, c.Median, interval, noise)
}
