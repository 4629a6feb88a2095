package lab

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"splat/internal/atomicfile"
	"splat/internal/config"
	"splat/internal/fault"
)

// Run is a run folder that is being written. Nothing that was in the folder is
// touched before Begin; log lines that come earlier are kept until then. A new run
// stores its configuration at once, so that it can be begun by --resume if it is
// killed before its first step. Its methods are called from one goroutine.
type Run struct {
	dir       string // as given
	config    config.Run
	created   []string // folders that Create made, innermost last
	lock      *lock
	overwrite bool
	promised  bool // the configuration was stored before Begin
	resumed   bool // an earlier session's files are gone on with
	step      int  // where it goes on; 0 for a new run
	began     bool
	broken    error  // why the record could not be begun
	early     []byte // log lines from before Begin
	log       *lines
	metrics   *lines
	eval      *lines
	origin    *Origin
	whole     []int // steps of the checkpoints that are known to be whole, oldest first
	now       func() time.Time
	write     func(path string, fill func(io.Writer) error) error // all of a file, durably, or nothing
}

// Create prepares dir for a run: it makes the folder where it is absent, checks
// that it can be written, and refuses one that already holds a run unless
// overwrite is set.
func Create(dir string, overwrite bool, cfg config.Run) (*Run, error) {
	if err := Check(dir, overwrite); err != nil {
		l, busy := takeLock(dir)
		l.release()
		if fault.ExitCode(busy) == 2 {
			return nil, busy // says more
		}
		return nil, err
	}
	r := newRun(dir, cfg)
	r.overwrite, r.created = overwrite, absent(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, folderError(dir, err)
	}
	return r.open()
}

// CreateNew prepares a new folder runs/<date>-<capture> in the current folder.
func CreateNew(capture string, cfg config.Run) (*Run, error) {
	above := absent(newRuns)
	dir, err := newDir(capture, time.Now())
	if err != nil {
		return nil, err
	}
	r := newRun(dir, cfg)
	r.created = append(above, dir)
	return r.open()
}

func newRun(dir string, cfg config.Run) *Run {
	return &Run{dir: dir, config: portable(cfg), now: time.Now, write: atomicfile.WriteDurable}
}

// open locks the folder, checks that files can be made there, and stores the
// configuration of a new run.
func (r *Run) open() (*Run, error) {
	var err error
	if r.lock, err = takeLock(r.dir); err == nil {
		err = r.probe()
	}
	if err == nil && !r.overwrite {
		r.promised = true
		if err = r.writeConfig(); IsFull(err) {
			err = fmt.Errorf("%w; make room, then begin again", err)
		}
	}
	if err != nil {
		r.lock.release()
		r.removeEmpty()
		return nil, err
	}
	return r, nil
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
		return fmt.Errorf("run folder %s: cannot write there: %w", r.dir, fault.Reason(err))
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return fault.AtFile(f.Name(), err)
	}
	return nil
}

// portable is the configuration as it is stored: it repeats the run from any
// folder, and into a folder of its own.
func portable(cfg config.Run) config.Run {
	for _, p := range []*string{&cfg.Data.Path, &cfg.Model.Init} {
		if abs, err := filepath.Abs(*p); err == nil && *p != "" && !strings.Contains(*p, "://") {
			*p = abs
		}
	}
	cfg.Parent = ""
	cfg.Output = config.Output{}
	return cfg
}

// Configure replaces the configuration that Begin will store.
func (r *Run) Configure(cfg config.Run) { r.config = portable(cfg) }

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

// Begin starts the record: what an older run, or a later part of this one, left is
// cut away, the configuration and the log lines so far are written. Calling it
// again does nothing.
func (r *Run) Begin() error {
	if r.began {
		return r.broken
	}
	prepare := r.clear
	if r.resumed {
		prepare = r.rewind
	}
	if err := prepare(); err != nil {
		return err
	}
	if err := r.removeTemporary(); err != nil {
		return err
	}
	r.began = true
	r.broken = r.openRecord()
	return r.broken
}

func (r *Run) openRecord() error {
	if err := r.writeConfig(); err != nil {
		return err
	}
	if err := r.writeOrigin(); err != nil {
		return err
	}
	for name, l := range map[string]**lines{LogFile: &r.log, MetricsFile: &r.metrics, EvalFile: &r.eval} {
		var err error
		if *l, err = openLines(r.file(name)); err != nil {
			return err
		}
	}
	early := r.early
	r.early = nil
	return r.log.add(early)
}

// clear removes what an older run wrote, and nothing else. Where that was not
// asked for, it checks once more that nothing is there. The result goes first and
// the configuration last: a crash in between must not leave a run that looks
// complete, or a state without its configuration.
func (r *Run) clear() error {
	if !r.overwrite {
		return vacant(r.dir, func(name string) bool { return r.promised && name == ConfigFile })
	}
	for _, name := range runFiles {
		if err := os.Remove(r.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return writeError(r.file(name), 0, err)
		}
		if name == ResultFile {
			if err := r.removeCheckpoints(nil); err != nil {
				return err
			}
		}
	}
	if err := atomicfile.SyncDir(r.dir); err != nil {
		return folderError(r.dir, err)
	}
	return nil
}

// rewind removes what an earlier session recorded beyond the state that this one
// goes on from.
func (r *Run) rewind() error {
	for _, name := range []string{MetricsFile, EvalFile} {
		gone, err := cutAfter(r.file(name), r.step)
		if err != nil {
			return err
		}
		if gone > 0 {
			_ = r.Log(fmt.Sprintf("%s: %d lines beyond step %d removed", name, gone, r.step)) // kept in memory: cannot fail
		}
	}
	return nil
}

// writeConfig stores the configuration, unless it is there already.
func (r *Run) writeConfig() error {
	var text bytes.Buffer
	if err := config.Write(&text, r.config); err != nil {
		return err
	}
	path := r.file(ConfigFile)
	if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, text.Bytes()) {
		return nil
	}
	return r.writeBytes(path, text.Bytes())
}

func (r *Run) writeBytes(path string, data []byte) error {
	err := r.write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return writeError(path, int64(len(data)), err)
	}
	return nil
}

func (r *Run) file(name string) string { return filepath.Join(r.dir, name) }

// Log adds a line to log.txt, with the time.
func (r *Run) Log(line string) error {
	stamped := r.now().Format("15:04:05") + " " + line + "\n"
	if r.log == nil {
		r.early = append(r.early, stamped...)
		return nil
	}
	return r.log.add([]byte(stamped))
}

// Metrics adds a line to metrics.jsonl.
func (r *Run) Metrics(row any) error { return r.row(&r.metrics, row) }

// Eval adds a line to eval.jsonl.
func (r *Run) Eval(row any) error { return r.row(&r.eval, row) }

func (r *Run) row(l **lines, row any) error {
	if err := r.Begin(); err != nil {
		return err
	}
	text, err := json.Marshal(row)
	if err != nil {
		return err
	}
	return (*l).add(append(text, '\n'))
}

// SaveModel writes splats.ply, of about the given size, through write, which must
// replace the file at its path only when all went well. It returns the SHA-256 of
// the file's bytes in hexadecimal.
func (r *Run) SaveModel(size int64, write func(path string) error) (string, error) {
	if err := r.Begin(); err != nil {
		return "", err
	}
	path := r.file(ModelFile)
	if err := write(path); err != nil {
		return "", writeError(path, size, err)
	}
	if err := atomicfile.SyncDir(r.dir); err != nil {
		return "", writeError(path, 0, err)
	}
	return fileSum(path)
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fault.AtFile(path, err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fault.AtFile(path, err)
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
	return r.writeBytes(r.file(ResultFile), append(text, '\n'))
}

// Close ends the record and lets go of the folder. A run that never began leaves
// no folder behind.
func (r *Run) Close() error {
	err := errors.Join(r.log.close(), r.metrics.close(), r.eval.close())
	r.lock.release()
	if !r.began {
		r.removeEmpty()
	}
	return err
}

// removeEmpty removes what Create made: the configuration, and the folders as far as
// they are empty.
func (r *Run) removeEmpty() {
	if r.promised {
		os.Remove(r.file(ConfigFile))
	}
	for i := len(r.created) - 1; i >= 0; i-- {
		if os.Remove(r.created[i]) != nil {
			return
		}
	}
}
