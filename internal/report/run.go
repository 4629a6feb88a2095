package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/lab"
)

// Run is a run folder, read as far as it can be. Nothing in it is required: what is
// missing is nil, and Missing says so.
type Run struct {
	Dir     string   `json:"dir"`
	Name    string   `json:"name"` // the folder as seen from where it was looked for
	Result  Result   `json:"result"`
	Done    bool     `json:"finished"` // there is a result
	Capture string   `json:"capture"`  // path of the pictures, "" where unknown
	Began   string   `json:"began"`    // RFC 3339, "" where unknown
	Missing []string `json:"missing"`  // what is not there, or cannot be read

	strategy string
	config   string // text of config.toml
	facts    []pair // of result.json and run.json, for people
	metrics  []metric
	evals    []evaluation
	kernels  []kernelShare
}

// Result is the part of result.json that tables show.
type Result struct {
	Steps        *int     `json:"steps"`
	TrainSeconds *float64 `json:"train_seconds"`
	PSNR         *float64 `json:"psnr"`
	SSIM         *float64 `json:"ssim"`
	Splats       *int     `json:"splats"`
	Device       string   `json:"device"`
	Backend      string   `json:"backend"`
	Seed         *int     `json:"seed"`
	StopReason   string   `json:"stop_reason"`
	SHA256       string   `json:"sha256"`
}

type pair struct{ Key, Value string }

// metric is a line of metrics.jsonl.
type metric struct {
	Step    *float64 `json:"step"`
	Loss    *float64 `json:"loss"`
	Splats  *float64 `json:"splats"`
	MS      *float64 `json:"ms_per_step"`
	Seconds *float64 `json:"train_seconds"`
}

// evaluation is a line of eval.jsonl.
type evaluation struct {
	Step    *float64 `json:"step"`
	Split   string   `json:"split"`
	PSNR    *float64 `json:"psnr"`
	Seconds *float64 `json:"train_seconds"`
}

// deepest is how far below a folder runs are looked for: sweeps keep theirs in
// folders of their own.
const deepest = 4

// marks are the files of which one makes a folder a run's.
var marks = []string{lab.ResultFile, lab.ConfigFile, lab.MetricsFile}

// FindRuns reads the runs in a folder and the folders below it, or the one that it is,
// the newest first as far as they tell. experiments are the folders of paired
// experiments.
func FindRuns(dir string) (runs []*Run, experiments []string, err error) {
	if _, err := os.ReadDir(dir); err != nil {
		return nil, nil, fault.Unreadable(dir, err)
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, nil, fault.Unreadable(dir, err)
	}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil // what cannot be opened is no run of ours
		}
		name, _ := filepath.Rel(root, path)
		path = filepath.Join(dir, name)
		if name != "." && (strings.HasPrefix(e.Name(), ".") || strings.Count(name, string(filepath.Separator)) >= deepest || Is(path)) {
			return fs.SkipDir
		}
		if there(filepath.Join(path, "ab.json")) {
			experiments = append(experiments, path)
		}
		if !slices.ContainsFunc(marks, func(f string) bool { return there(filepath.Join(path, f)) }) {
			return nil
		}
		if name == "." {
			name = filepath.Base(absolute(dir))
		}
		runs = append(runs, ReadRun(path, filepath.ToSlash(name)))
		return fs.SkipDir
	})
	slices.SortStableFunc(runs, func(a, b *Run) int {
		return strings.Compare(b.order()+"\x00"+a.Name, a.order()+"\x00"+b.Name)
	})
	return runs, experiments, err
}

// order is what runs are sorted by: the date of the record, else one in the name.
func (r *Run) order() string {
	day := r.Date()
	if r.Began != "" {
		return r.Began
	}
	return day
}

// Date is the day of the run, "" where neither record nor name tells.
func (r *Run) Date() string {
	const form = "2006-01-02"
	if len(r.Began) >= len(form) {
		return r.Began[:len(form)]
	}
	base := r.Name[strings.LastIndexByte(r.Name, '/')+1:]
	if len(base) > len(form) && base[4] == '-' && base[7] == '-' && strings.Trim(base[:len(form)], "0123456789-") == "" {
		return base[:len(form)]
	}
	return ""
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func there(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// ReadRun reads the run folder dir, of any version.
func ReadRun(dir, name string) *Run {
	r := &Run{Dir: dir, Name: name, Missing: []string{}}
	r.readResult()
	r.readConfig()
	r.readOrigin()
	r.metrics = readLines[metric](r, lab.MetricsFile, "no curves of loss and splats")
	r.evals = readLines[evaluation](r, lab.EvalFile, "no curve of PSNR")
	r.readKernels()
	if !there(filepath.Join(dir, lab.ModelFile)) {
		r.miss("%s is not there: no pictures", lab.ModelFile)
	}
	return r
}

func (r *Run) miss(format string, args ...any) {
	r.Missing = append(r.Missing, fmt.Sprintf(format, args...))
}

// read returns a file's text; why says what its absence means.
func (r *Run) read(file, why string) []byte {
	text, err := os.ReadFile(filepath.Join(r.Dir, file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.miss("%s is not there: %s", file, why)
	case err != nil:
		r.miss("%s: %v", file, fault.Reason(err))
	}
	return text
}

func (r *Run) readResult() {
	text := r.read(lab.ResultFile, "the run has not finished, or was made by another program")
	if text == nil {
		return
	}
	r.Done = json.Unmarshal(text, &r.Result) == nil
	if !r.Done {
		r.partly(text)
	}
	r.facts = append(r.facts, flatten(text)...)
}

// partly reads the fields of a result one by one, so that a strange one does not hide
// the others.
func (r *Run) partly(text []byte) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		r.miss("%s: %v, expected an object", lab.ResultFile, err)
		return
	}
	r.Done, r.Result = true, Result{}
	for _, key := range slices.Sorted(keysOf(fields)) {
		one, err := json.Marshal(map[string]json.RawMessage{key: fields[key]})
		if err != nil || json.Unmarshal(one, &Result{}) != nil {
			r.miss("%s: %s: found %.40s, which is no value of that field", lab.ResultFile, key, fields[key])
			continue
		}
		_ = json.Unmarshal(one, &r.Result) // has been tried
	}
}

// readConfig tells capture and strategy; a configuration of another version is shown
// as it stands.
func (r *Run) readConfig() {
	text := r.read(lab.ConfigFile, "capture and settings are unknown")
	if text == nil {
		return
	}
	r.config = string(text)
	cfg, err := config.Resolve(config.Source{File: filepath.Join(r.Dir, lab.ConfigFile)})
	if err != nil {
		r.miss("%s: this version cannot read it, so there are no pictures: %s", lab.ConfigFile, strings.ReplaceAll(err.Error(), r.Dir+string(filepath.Separator), ""))
		return
	}
	r.Capture, r.strategy = cfg.Data.Path, cfg.Strategy.Name
}

// readOrigin reads run.json, which older runs do not have.
func (r *Run) readOrigin() {
	text, err := os.ReadFile(filepath.Join(r.Dir, "run.json"))
	if err != nil {
		r.miss("run.json is not there: commit, driver and fingerprint of the data are unknown")
		return
	}
	var o struct {
		Capture struct {
			Path        string `json:"path"`
			Fingerprint string `json:"fingerprint"`
		} `json:"capture"`
		Sessions []struct {
			Began string `json:"began"`
			Build struct {
				Commit string `json:"commit"`
			} `json:"build"`
			Device struct {
				Driver  string `json:"driver"`
				Version string `json:"driver_version"`
			} `json:"device"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal(text, &o); err != nil {
		r.miss("run.json: %v", err)
		return
	}
	add := func(key, value string) {
		if value != "" {
			r.facts = append(r.facts, pair{key, value})
		}
	}
	if r.Capture == "" {
		r.Capture = o.Capture.Path
	}
	add("capture.fingerprint", o.Capture.Fingerprint)
	for i, s := range o.Sessions {
		if i == 0 {
			r.Began = s.Began
		}
		add("began", s.Began)
		add("commit", s.Build.Commit)
		add("driver", strings.TrimSpace(s.Device.Driver+" "+s.Device.Version))
	}
}

// longestLine bounds a line of metrics.jsonl, in bytes.
const longestLine = 1 << 20

// readLines reads a file of JSON lines; lines that are none are counted.
func readLines[T any](r *Run, file, why string) (out []T) {
	f, err := os.Open(filepath.Join(r.Dir, file))
	if err != nil {
		r.read(file, why)
		return nil
	}
	defer f.Close()
	bad, s := 0, bufio.NewScanner(io.LimitReader(f, 1<<30))
	s.Buffer(nil, longestLine)
	for s.Scan() {
		var row T
		switch {
		case strings.TrimSpace(s.Text()) == "":
		case json.Unmarshal(s.Bytes(), &row) != nil:
			bad++
		default:
			out = append(out, row)
		}
	}
	if s.Err() != nil {
		bad++
	}
	switch {
	case bad > 0:
		r.miss("%s: %d of %d lines cannot be read", file, bad, bad+len(out))
	case len(out) == 0:
		r.miss("%s is empty: %s", file, why)
	}
	return out
}
