// Package finding keeps what was learned from experiments: a Markdown file each, with
// its facts as YAML in front, a prediction that was written before the measurement,
// and a first reading that stays when it is corrected. Reading is strict: what the
// format does not know is a problem with a file and a line.
package finding

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"splat/internal/fault"
)

// The states of a finding, in their order. Retrospective stands for measurements from
// before there were predictions: such a finding predicts nothing, and says so.
const (
	Hypothesis    = "hypothesis"
	Predicted     = "predicted"
	Measured      = "measured"
	Interpreted   = "interpreted"
	Corrected     = "corrected"
	Retrospective = "retrospective"
)

// The words that the fields of a finding may hold.
var (
	Statuses   = []string{Hypothesis, Predicted, Measured, Interpreted, Corrected, Retrospective}
	Categories = []string{"speed", "quality", "memory", "correctness", "method"}
	Polarities = []string{"positive", "negative", "neutral", "mixed"}
	Verdicts   = []string{"accepted", "refuted", "slower", "undecided"}
	Levels     = []string{"low", "medium", "high"}
	Quantities = []string{"wallclock", "psnr"}
)

// Sections are the headings of the text, in their order.
var Sections = []string{"Hypothesis", "Prediction", "Measurement", "Interpretation", "Correction"}

// ID is what a finding may be called: the name of its file without .md.
var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,79}$`)

// largest is the size of a file that is still read, in bytes.
const largest = 4 << 20

// Finding is one file.
type Finding struct {
	File       string     `json:"file"`
	ID         string     `json:"id"`
	Title      string     `json:"title"`
	Subtitle   string     `json:"subtitle"`
	Eyebrow    string     `json:"eyebrow"` // the line above the title
	Date       string     `json:"date"`    // of the measurement, or of the last change before it; YYYY-MM-DD
	Status     string     `json:"status"`
	Category   string     `json:"category"`
	Polarity   string     `json:"polarity"`
	Axes       []string   `json:"axes"` // what it is about: time, quality, memory
	Tags       []string   `json:"tags"`
	TaskCode   string     `json:"task_code"` // of the work it belongs to
	Related    Related    `json:"related"`
	Experiment string     `json:"experiment"` // folder of an ab.json, as seen from the file; "" where there is none
	Impact     Impact     `json:"impact"`
	First      *Impact    `json:"first_reading"` // what Impact was before the correction
	Cost       string     `json:"cost"`
	Risk       string     `json:"risk"`
	Confidence string     `json:"confidence"`
	Prediction Prediction `json:"prediction"`

	sections map[string]section
	lines    map[string]int    // line of each key, by its name with dots
	raw      map[string]string // numbers as written
	bad      map[string]bool   // keys whose values could not be read
}

// Related names runs (folders) and findings (ids).
type Related struct {
	Runs     []string `json:"runs"`
	Findings []string `json:"findings"`
}

// Impact is what came out.
type Impact struct {
	Summary        string   `json:"summary"`
	Rank           *int     `json:"rank"` // 1 matters most; nil: not ranked
	Verdict        string   `json:"verdict"`
	DeltaPSNR      *float64 `json:"delta_psnr"`      // dB, with the change less without; nil: not measured
	DeltaWallclock *float64 `json:"delta_wallclock"` // per cent of the time without the change, negative is faster
}

// Prediction is what was expected, as an interval of one quantity in the unit of
// Impact. A bound that is nil is open.
type Prediction struct {
	Written  string   `json:"written"` // YYYY-MM-DD; "" where nothing was predicted
	Text     string   `json:"text"`
	Quantity string   `json:"quantity"` // "wallclock" or "psnr"
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
}

// section is the text below a heading.
type section struct {
	line int // of the heading
	from int // line on which the text begins
	text string
}

// Problem is one thing that is wrong with a file.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line"` // 0: the file as a whole
	Text string `json:"text"` // what it is about: what was found, what was expected
}

// String is the problem on one line.
func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Folder is the findings of a folder, sorted by date, the newest first, and what is
// wrong with their form.
type Folder struct {
	Dir      string
	Findings []*Finding
	Problems []Problem
}

// ReadFolder reads all findings of a folder: its .md files but README.md. A file that
// is damaged beyond its facts is a problem and no finding.
func ReadFolder(dir string) (*Folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fault.Unreadable(dir, err)
	}
	f := &Folder{Dir: dir}
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".md" || strings.EqualFold(e.Name(), "README.md") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		one, problems, err := ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		f.Problems = append(f.Problems, problems...)
		if one != nil {
			f.Findings = append(f.Findings, one)
		}
	}
	slices.SortStableFunc(f.Findings, func(a, b *Finding) int {
		return strings.Compare(b.Date+"\x00"+a.ID, a.Date+"\x00"+b.ID)
	})
	return f, nil
}

// ReadFile reads a finding. It is nil where the front matter cannot be read at all.
func ReadFile(path string) (*Finding, []Problem, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, fault.Unreadable(path, err)
	}
	if info.Size() > largest {
		return nil, []Problem{{path, 0, fmt.Sprintf("found %d bytes, expected a text of at most %d", info.Size(), largest)}}, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fault.Unreadable(path, err)
	}
	f, problems := Parse(path, text)
	return f, problems, nil
}

// Find returns the finding of an id, nil where there is none.
func (f *Folder) Find(id string) *Finding {
	i := slices.IndexFunc(f.Findings, func(one *Finding) bool { return one.ID == id })
	if i < 0 {
		return nil
	}
	return f.Findings[i]
}

// Text returns the Markdown of a section, "" where it is missing or holds comments
// alone.
func (f *Finding) Text(name string) string {
	return strings.TrimSpace(comment.ReplaceAllString(f.sections[name].text, ""))
}

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// reaches reports whether a finding's state is the given one or a later one.
func (f *Finding) reaches(status string) bool {
	at := f.Status
	if at == Retrospective {
		at = Interpreted
	}
	return slices.Index(Statuses, at) >= slices.Index(Statuses, status)
}

// Done reports whether there is a measurement.
func (f *Finding) Done() bool { return f.reaches(Measured) }

// Measurement returns what was measured of the predicted quantity, nil where
// nothing was. Of a corrected finding it is the corrected one.
func (f *Finding) Measurement() *float64 {
	switch {
	case !f.Done():
		return nil
	case f.Prediction.Quantity == "wallclock":
		return f.Impact.DeltaWallclock
	case f.Prediction.Quantity == "psnr":
		return f.Impact.DeltaPSNR
	}
	return nil
}

// Decimals is how many digits after the point a number of the front matter, named
// with dots, is written with.
func (f *Finding) Decimals(key string) int {
	_, digits, _ := strings.Cut(f.raw[key], ".")
	return len(digits)
}

// errNoFront is a file without front matter.
var errNoFront = errors.New("expected --- on the first line, the facts of the finding as YAML, and --- after them")
