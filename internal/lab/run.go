package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"splat/internal/atomicfile"
	"splat/internal/config"
)

// Run is a run folder that is being written. Nothing that was in the folder is
// touched before Begin; log lines that come earlier are kept until then. Its
// methods are called from one goroutine.
type Run struct {
	dir       string // as given
	config    config.Run
	created   []string // folders that Create made, innermost last
	overwrite bool
	began     bool
	early     []string // log lines from before Begin
	log       *os.File
	metrics   *os.File
	eval      *os.File
	now       func() time.Time
}

// Create prepares dir for a run: it makes the folder where it is absent, checks
// that it can be written, and refuses one that already holds a run unless
// overwrite is set.
func Create(dir string, overwrite bool, cfg config.Run) (*Run, error) {
	if err := Check(dir, overwrite); err != nil {
		return nil, err
	}
	r := newRun(dir, cfg)
	r.overwrite, r.created = overwrite, absent(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("run folder %s: %w", dir, plain(err))
	}
	return r, r.probe()
}

// CreateNew prepares a new folder runs/<date>-<capture> in the current folder.
func CreateNew(capture string, cfg config.Run) (*Run, error) {
	dir, err := newDir(capture, time.Now())
	if err != nil {
		return nil, err
	}
	r := newRun(dir, cfg)
	r.created = []string{dir}
	return r, r.probe()
}

func newRun(dir string, cfg config.Run) *Run {
	return &Run{dir: dir, config: portable(cfg), now: time.Now}
}

// absent lists the folders on the way to dir that do not exist, innermost last.
func absent(dir string) []string {
	var missing []string
	for p := filepath.Clean(dir); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) {
			return missing
		}
		missing = append([]string{p}, missing...)
	}
}

// probe checks that files can be made in the folder, before hours are spent.
func (r *Run) probe() error {
	f, err := os.CreateTemp(r.dir, ".probe-*")
	if err != nil {
		r.removeEmpty()
		return fmt.Errorf("run folder %s: cannot write there: %w", r.dir, plain(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

// portable is the configuration as it is stored: it repeats the run from any
// folder, and into a folder of its own.
func portable(cfg config.Run) config.Run {
	for _, p := range []*string{&cfg.Data.Path, &cfg.Model.Init} {
		if abs, err := filepath.Abs(*p); err == nil && *p != "" {
			*p = abs
		}
	}
	cfg.Parent = ""
	cfg.Output = config.Output{}
	return cfg
}

// Dir returns the folder as it was given.
func (r *Run) Dir() string { return r.dir }

// Path returns the absolute path of a file in the folder, or of the folder
// itself for "".
func (r *Run) Path(file string) string {
	path := filepath.Join(r.dir, file)
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Begin starts the record: an older run's files go, the configuration and the
// log lines so far are written. Calling it again does nothing.
func (r *Run) Begin() error {
	if r.began {
		return nil
	}
	if err := r.clear(); err != nil {
		return err
	}
	r.began = true
	err := atomicfile.Write(r.file(ConfigFile), func(w io.Writer) error { return config.Write(w, r.config) })
	if err != nil {
		return err
	}
	for name, f := range map[string]**os.File{LogFile: &r.log, MetricsFile: &r.metrics, EvalFile: &r.eval} {
		if *f, err = os.OpenFile(r.file(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
			return err
		}
	}
	_, err = r.log.WriteString(join(r.early))
	r.early = nil
	return err
}

// clear removes what an older run wrote, and nothing else. Where that was not
// asked for, it checks once more that nothing is there.
func (r *Run) clear() error {
	if !r.overwrite {
		return Check(r.dir, false)
	}
	for _, name := range runFiles {
		if err := os.Remove(r.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (r *Run) file(name string) string { return filepath.Join(r.dir, name) }

// Log adds a line to log.txt, with the time.
func (r *Run) Log(line string) error {
	stamped := r.now().Format("15:04:05") + " " + line + "\n"
	if r.log == nil {
		r.early = append(r.early, stamped)
		return nil
	}
	_, err := r.log.WriteString(stamped)
	return err
}

func join(lines []string) string {
	var all []byte
	for _, l := range lines {
		all = append(all, l...)
	}
	return string(all)
}

// Metrics adds a line to metrics.jsonl.
func (r *Run) Metrics(row any) error { return r.row(&r.metrics, row) }

// Eval adds a line to eval.jsonl.
func (r *Run) Eval(row any) error { return r.row(&r.eval, row) }

func (r *Run) row(f **os.File, row any) error {
	if err := r.Begin(); err != nil {
		return err
	}
	line, err := json.Marshal(row)
	if err != nil {
		return err
	}
	_, err = (*f).Write(append(line, '\n'))
	return err
}

// SaveModel writes splats.ply through write, which must replace the file at its
// path only when all went well, and returns the SHA-256 of the file's bytes in
// hexadecimal.
func (r *Run) SaveModel(write func(path string) error) (string, error) {
	if err := r.Begin(); err != nil {
		return "", err
	}
	if err := write(r.file(ModelFile)); err != nil {
		return "", err
	}
	return fileSum(r.file(ModelFile))
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// SaveResult writes result.json.
func (r *Run) SaveResult(res Result) error {
	if err := r.Begin(); err != nil {
		return err
	}
	text, err := json.Marshal(res)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(r.file(ResultFile), append(text, '\n'))
}

// Close ends the record. A run that never began leaves no folder behind.
func (r *Run) Close() error {
	if !r.began {
		r.removeEmpty()
		return nil
	}
	var errs []error
	for _, f := range []*os.File{r.log, r.metrics, r.eval} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// removeEmpty removes the folders that Create made, as far as they are empty.
func (r *Run) removeEmpty() {
	for i := len(r.created) - 1; i >= 0; i-- {
		if os.Remove(r.created[i]) != nil {
			return
		}
	}
}
