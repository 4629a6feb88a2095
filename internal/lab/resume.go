package lab

import (
	"fmt"
	"os"
	"path/filepath"

	"splat/internal/checkpoint"
	"splat/internal/config"
	"splat/internal/fault"
)

// Prior is a run folder whose run is to go on. It is locked, and unchanged until
// the run that Continue returns begins.
type Prior struct {
	Dir    string
	Config string  // path of its configuration; "" where no run was begun there
	Result *Result // of its last session; nil where that was killed

	lock *lock
}

// Reopen looks at a run folder to go on with. A folder that is absent, or holds
// nothing of a run, gives a Prior without Config.
func Reopen(dir string) (*Prior, error) {
	if err := checkResumable(dir); err != nil {
		return nil, err
	}
	if !Is(dir) {
		return &Prior{Dir: dir}, nil
	}
	l, err := takeLock(dir)
	if err != nil {
		return nil, err
	}
	p := &Prior{Dir: dir, Config: filepath.Join(dir, ConfigFile), lock: l}
	if p.Result, err = readResult(filepath.Join(dir, ResultFile)); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// checkResumable refuses what is no run folder and cannot become one.
func checkResumable(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return clearWay(dir)
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if filepath.Base(parent) == CheckpointDir {
		parent = filepath.Dir(parent)
	}
	switch {
	case Is(dir):
		return clearWay(dir)
	case Is(parent):
		return fault.Usagef("--resume %s: expected the run folder, %s", dir, parent)
	case !info.IsDir():
		return fault.Usagef("--resume %s: found a file, expected a run folder; --init starts a new run from the splats of a file", dir)
	case vacant(dir, func(string) bool { return false }) != nil:
		return fault.Dataf("run folder %s: no %s in it, expected the configuration of the run to go on with", dir, ConfigFile)
	}
	return clearWay(dir)
}

// Close lets go of the folder, unless Continue has taken it over.
func (p *Prior) Close() { p.lock.release() }

// Complete reports whether the run came to its last step and its results are
// there.
func (p *Prior) Complete() bool {
	_, err := os.Stat(filepath.Join(p.Dir, ModelFile))
	return err == nil && p.Result != nil && p.Result.StopReason == "steps"
}

// Newest opens the newest checkpoint that is whole; nil where none was ever
// stored. damage says, a line each, why newer ones were passed over. Where there
// are checkpoints, but none is whole, or a newer one is another version's or cannot
// be opened, that is an error of kind fault.Data.
func (p *Prior) Newest() (f *checkpoint.File, damage []error, err error) { return newest(p.Dir) }

// Continue returns the run that goes on from a checkpoint, or from step 0 where
// that is nil. The Prior is spent afterwards.
func (p *Prior) Continue(cfg config.Run, from *checkpoint.File) (*Run, error) {
	r := newRun(p.Dir, cfg)
	r.resumed = true
	if from != nil {
		r.step, r.whole = from.Step, []int{from.Step}
	}
	if err := r.probe(); err != nil {
		return nil, err
	}
	r.lock, p.lock = p.lock, nil
	return r, nil
}

// Tidy removes the checkpoints of a complete run that was killed before it could
// do so itself.
func (p *Prior) Tidy() error {
	r := Run{dir: p.Dir}
	if err := r.Complete(); err != nil {
		return fmt.Errorf("run folder %s: %w", p.Dir, err)
	}
	return nil
}
