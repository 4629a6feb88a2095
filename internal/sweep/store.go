package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"splat/internal/atomicfile"
	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/lab"
)

// The files of a sweep's folder, beside the run folders.
const (
	SettingsFile = "sweep.json"   // what is swept over; another sweep is refused
	ResultsFile  = "results.json" // what came out
	TableFile    = "table.txt"    // the same for people
	PlotFile     = "pareto.svg"   // quality against time
	LogDir       = "logs"         // what each training wrote to standard error
)

// settingsVersion is the form of SettingsFile.
const settingsVersion = 1

// Plan is a sweep: every case on every capture.
type Plan struct {
	Dir      string // as given
	Captures []Capture
	Cases    []Case
	Jobs     []Job // in the order that they are begun in
}

// NewPlan puts cases and captures together; resolve gives the configuration of a case on
// the capture at a path.
func NewPlan(dir string, captures []Capture, cases []Case, resolve func(c Case, path string) (config.Run, error)) (*Plan, error) {
	p := &Plan{Dir: dir, Captures: captures, Cases: cases}
	names := nameCaptures(captures)
	for i, capture := range captures {
		for k, c := range cases {
			cfg, err := resolve(c, capture.Path)
			if err != nil {
				return nil, err
			}
			name := names[i] + "," + c.Name
			p.Jobs = append(p.Jobs, Job{Name: name, Dir: filepath.Join(dir, name), Case: k, Capture: i, Config: cfg})
		}
	}
	return p, nil
}

// settings is SettingsFile.
type settings struct {
	Version  int       `json:"sweep"`
	Captures []Capture `json:"captures"`
	Runs     []planned `json:"runs"`
}

type planned struct {
	Name   string            `json:"name"`
	Config map[string]string `json:"config"` // every key, its value in TOML notation
}

// free are the keys, and sections, that do not change what comes out, but for the
// rounding of another device.
var free = []string{"data.path", "output.", "backend.device", "backend.threads", "backend.in_flight"}

func isFree(key string) bool {
	return slices.ContainsFunc(free, func(k string) bool {
		return k == key || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k)
	})
}

// Open checks that the plan is the one that its folder was begun with, and stores it
// where nothing is there yet. Differences are wrong usage and named.
func (p *Plan) Open() error {
	path := filepath.Join(p.Dir, SettingsFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := checkEmpty(p.Dir); err != nil {
			return err
		}
		return p.store(path)
	}
	if err != nil {
		return fault.Unreadable(path, err)
	}
	var old settings
	switch err := json.Unmarshal(text, &old); {
	case err != nil:
		return fault.Dataf("%s: not JSON, expected the settings of a sweep: %v", path, err)
	case old.Version != settingsVersion:
		return fault.Dataf("%s: sweep: found %d, expected %d: written by another version of splat", path, old.Version, settingsVersion)
	}
	if found := p.differences(old); len(found) > 0 {
		return fault.Usagef("sweep folder %s: holds another sweep: %s; give the same settings to go on, or choose another --out", p.Dir, shorten(found))
	}
	return nil
}

// checkEmpty refuses a folder with something else in it.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.AtFile("sweep folder "+dir, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			return fault.Usagef("sweep folder %s: found %s and no %s, expected an empty folder or that of a sweep", dir, e.Name(), SettingsFile)
		}
	}
	return nil
}

func (p *Plan) store(path string) error {
	s := settings{Version: settingsVersion, Captures: p.Captures}
	for _, j := range p.Jobs {
		s.Runs = append(s.Runs, planned{j.Name, config.Values(j.Config)})
	}
	return writeJSON(path, s)
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(text, '\n'))
}

func writeFile(path string, text []byte) error {
	if err := atomicfile.WriteBytes(path, text); err != nil {
		return fault.AtFile(path, err)
	}
	return nil
}

// differences lists, once each, what is not as it was.
func (p *Plan) differences(old settings) (list []string) {
	list = captureDifferences(old.Captures, p.Captures)
	was := map[string]map[string]string{}
	for _, r := range old.Runs {
		was[r.Name] = r.Config
	}
	for _, j := range p.Jobs {
		values, ok := was[j.Name]
		delete(was, j.Name)
		if !ok {
			list = append(list, "run "+j.Name+" not there before")
			continue
		}
		for _, c := range config.Compare(values, j.Config) {
			if text := c.String(); !isFree(c.Key) && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	for _, r := range old.Runs {
		if _, gone := was[r.Name]; gone {
			list = append(list, "run "+r.Name+" missing")
		}
	}
	return list
}

// captureDifferences compares what the captures hold; where they lie does not count.
func captureDifferences(old, now []Capture) (list []string) {
	for i, c := range now {
		if i < len(old) && old[i].Name == c.Name && old[i].SHA256 != c.SHA256 {
			list = append(list, fmt.Sprintf("capture %s has other pictures or cameras (fingerprint %.8s -> %.8s)", c.Name, old[i].SHA256, c.SHA256))
		}
	}
	return list
}

// shorten joins the first few differences.
func shorten(list []string) string {
	const most = 6
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// State is how far a run is.
type State string

// The states of a run.
const (
	Complete State = "complete"
	Partial  State = "begun"     // to be gone on with, or begun anew
	Missing  State = "not begun" // nothing is there
	Failed   State = "failed"    // in this invocation
)

// Look tells how far a run is, by its folder. Only a run whose result says that it
// came to its end, and whose splats are the ones that the result tells of, is
// complete. One with other settings is refused.
func (j Job) Look() (State, *lab.Result, error) {
	if !lab.Is(j.Dir) {
		return Missing, nil, nil
	}
	cfg, err := config.Resolve(config.Source{File: filepath.Join(j.Dir, lab.ConfigFile)})
	if err != nil { // it was cut off
		return Partial, nil, nil
	}
	for _, c := range config.Compare(config.Values(cfg), j.Config) {
		if !isFree(c.Key) {
			return Partial, nil, fault.Usagef("run folder %s: holds a run with other settings: %s; move it away, or choose another --out", j.Dir, c)
		}
	}
	rec, err := lab.Open(j.Dir)
	if err != nil || !rec.Whole() { // no splats yet, or no result
		return Partial, nil, nil
	}
	return Complete, rec.Result, nil
}

// LogFile is where a run's output to the terminal goes.
func (p *Plan) LogFile(j Job) string { return filepath.Join(p.Dir, LogDir, j.Name+".txt") }

// ConfigFile writes the configuration of a run beside its log, for one that begins
// anew, and returns the path.
func (p *Plan) ConfigFile(j Job) (string, error) {
	var text bytes.Buffer
	if err := config.Write(&text, j.Config); err != nil {
		return "", err
	}
	path := filepath.Join(p.Dir, LogDir, j.Name+".toml")
	return path, writeFile(path, text.Bytes())
}
