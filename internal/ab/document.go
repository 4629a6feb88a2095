package ab

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"splat/internal/atomicfile"
	"splat/internal/fault"
	"splat/internal/lab"
	"splat/internal/loadwatch"
)

// The files of an experiment's folder.
const (
	DocumentFile = "ab.json"    // the record: plan, analysis and every run
	JournalFile  = "runs.jsonl" // the plan, then every run as soon as it is done
	ConfigA      = "a.toml"     // the configuration of A
	ConfigB      = "b.toml"
)

// Version of the form of Document and of the journal.
const Version = 1

// Document is the record of an experiment, and what --json prints.
type Document struct {
	Version  int        `json:"ab"`
	Plan     Plan       `json:"plan"`
	Origin   lab.Origin `json:"origin"` // data, program and device; its sessions are those of the experiment
	Complete bool       `json:"complete"`
	Failure  string     `json:"failure,omitempty"` // why it is not complete
	Analysis Analysis   `json:"analysis"`
	Notes    []string   `json:"notes"` // what to know when reading it
	// Environment is what the machine did besides; nil where nobody looked.
	Environment *loadwatch.Record `json:"environment,omitempty"`
	Runs        []Sample          `json:"runs"` // in their order; warm-up too, but for that of earlier sessions
}

// Write stores the document in a folder.
func (d *Document) Write(dir string) error {
	return atomicfile.WriteDurable(filepath.Join(dir, DocumentFile), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(d)
	})
}

// Read reads the record of an experiment. The analysis is made anew from its runs.
func Read(dir string) (*Document, error) {
	path := filepath.Join(dir, DocumentFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Unreadable(path, err)
	}
	d := &Document{}
	if err := decode(path, text, d, func() int { return d.Version }); err != nil {
		return nil, err
	}
	if err := d.Plan.check(path, d.Runs); err != nil {
		return nil, err
	}
	d.Analysis = Analyse(d.Plan, d.Runs)
	return d, nil
}

// decode reads one JSON value and checks its version.
func decode(place string, text []byte, into any, version func() int) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fault.Dataf("%s: %v, expected the record of an experiment", place, err)
	}
	if v := version(); v != Version {
		return fault.Dataf("%s: ab: found version %d, expected %d: written by another version of splat, or no record of an experiment", place, v, Version)
	}
	return nil
}

// check refuses a plan and samples that make no experiment.
func (p Plan) check(place string, samples []Sample) error {
	if p.Pairs < 1 || p.Pairs > MaxPairs || p.Floor < 1 || p.Floor > MaxPairs {
		return fault.Dataf("%s: plan: found %d pairs, and %d of A against A, expected 1 to %d", place, p.Pairs, p.Floor, MaxPairs)
	}
	if !(p.Level > 0 && p.Level < 1) {
		return fault.Dataf("%s: plan: found level %g, expected a number between 0 and 1", place, p.Level)
	}
	if p.Kernels != Separate && p.Kernels != Same && p.Kernels != None {
		return fault.Dataf("%s: plan: kernel_times: found %q, expected separate, same or none", place, p.Kernels)
	}
	planned := map[Job]bool{}
	for _, j := range p.Jobs() {
		planned[j] = true
	}
	for i, s := range samples {
		if s.Steps < 1 || !(s.Seconds >= 0) {
			return fault.Dataf("%s: run %d: found %d steps in %g s, expected at least one step", place, i+1, s.Steps, s.Seconds)
		}
		if !planned[s.Job] {
			return fault.Dataf("%s: run %d: found %s, expected a run of the plan, once", place, i+1, s.Job)
		}
		planned[s.Job] = false
	}
	return nil
}
