package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"splat/internal/atomicfile"
	"splat/internal/checkpoint"
	"splat/internal/fault"
)

// keptCheckpoints is how many checkpoints are kept: one more than needed, since a
// disk may lose one.
const keptCheckpoints = 2

// checkpointName is the name of a checkpoint inside the run folder, with slashes.
func checkpointName(step int) string {
	return fmt.Sprintf("%s/step-%08d.ckpt", CheckpointDir, step)
}

// checkpointsIn lists the steps of the checkpoints in a run folder, newest first, as
// far as they can be seen.
func checkpointsIn(dir string) []int {
	steps, _ := listCheckpoints(dir)
	return steps
}

// listCheckpoints is checkpointsIn that says why not all can be seen. It is no error
// that there is no folder of checkpoints.
func listCheckpoints(dir string) (steps []int, err error) {
	path := filepath.Join(dir, CheckpointDir)
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		err = fault.Unreadable(path, err)
	}
	for _, e := range entries {
		if step, ok := checkpointStep(e.Name()); ok {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	slices.Reverse(steps)
	return steps, err
}

// checkpointStep reads the step out of a checkpoint's file name.
func checkpointStep(name string) (int, bool) {
	digits, prefix := strings.CutPrefix(name, "step-")
	digits, suffix := strings.CutSuffix(digits, ".ckpt")
	step, err := strconv.Atoi(digits)
	return step, prefix && suffix && err == nil && step >= 0 && filepath.Base(checkpointName(step)) == name
}

// SaveCheckpoint stores a state and then removes all checkpoints but the last two
// that are known to be whole. Before that the lines written so far are made
// durable, so that none is missing where the run goes on from here. On an error
// the earlier checkpoints are untouched.
func (r *Run) SaveCheckpoint(s *checkpoint.Snapshot) error {
	if err := r.Begin(); err != nil {
		return err
	}
	for _, l := range []*lines{r.metrics, r.eval, r.log} {
		if err := l.sync(); err != nil {
			return err
		}
	}
	size, err := s.Size()
	if err != nil {
		return err
	}
	name := checkpointName(s.Step)
	if err := r.write(r.file(name), s.Write); err != nil {
		return writeError(r.file(name), size, err)
	}
	r.whole = append(slices.DeleteFunc(r.whole, func(step int) bool { return step == s.Step }), s.Step)
	if n := len(r.whole); n > keptCheckpoints {
		r.whole = r.whole[n-keptCheckpoints:]
	}
	if err := r.removeCheckpoints(r.whole); err != nil {
		return r.Log(fmt.Sprintf("warning: an older checkpoint could not be removed: %v", err))
	}
	return nil
}

// Intact returns the newest checkpoint that is known to be whole: its path, and
// its step; "" where there is none.
func (r *Run) Intact() (path string, step int) {
	if len(r.whole) == 0 {
		return "", 0
	}
	step = r.whole[len(r.whole)-1]
	return r.file(checkpointName(step)), step
}

// Complete removes the checkpoints: splats and result are safe, and nothing is
// left to go on with.
func (r *Run) Complete() error {
	r.whole = nil
	return r.removeCheckpoints(nil)
}

// removeCheckpoints removes all checkpoints but those of the given steps, and the
// folder where nothing is left in it.
func (r *Run) removeCheckpoints(but []int) error {
	var errs []error
	for _, step := range checkpointsIn(r.dir) {
		if slices.Contains(but, step) {
			continue
		}
		if err := os.Remove(r.file(checkpointName(step))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("%s: %w", r.file(checkpointName(step)), fault.Reason(err)))
		}
	}
	if len(but) == 0 {
		os.Remove(r.file(CheckpointDir)) // fails where foreign files are in it
	}
	return errors.Join(errs...)
}

// removeTemporary removes what a killed process left of files that a run writes.
func (r *Run) removeTemporary() error {
	ours := func(name string) bool { return slices.Contains(runFiles, name) }
	if err := atomicfile.RemoveTemporary(r.dir, ours); err != nil {
		return folderError(r.dir, err)
	}
	dir := r.file(CheckpointDir)
	err := atomicfile.RemoveTemporary(dir, func(name string) bool { _, ok := checkpointStep(name); return ok })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.AtFile(dir, err)
	}
	return nil
}

// newest opens the newest checkpoint that is whole. damage has an entry for each
// one that is not and was passed over; nil, nil, nil tells that there are none. It
// is an error where there are some, but none is whole, and also where one cannot be
// read though it may well be whole: whoever passes it over would lose it, since the
// run that goes on from an older one removes it.
func newest(dir string) (f *checkpoint.File, damage []error, err error) {
	steps, err := listCheckpoints(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, step := range steps {
		path := filepath.Join(dir, filepath.FromSlash(checkpointName(step)))
		f, err := checkpoint.Open(path)
		if err == nil && f.Step != step {
			f.Close()
			err = fault.Dataf("%s: %w: holds step %d, expected %d", path, checkpoint.ErrDamaged, f.Step, step)
		}
		if err == nil {
			return f, damage, nil
		}
		if !errors.Is(err, checkpoint.ErrDamaged) {
			return nil, damage, fmt.Errorf("%w; see to it, or remove the file to go on from what is older", err)
		}
		damage = append(damage, err)
	}
	if len(damage) > 0 {
		return nil, damage, fault.Dataf("no checkpoint is whole: %w", errors.Join(damage...))
	}
	return nil, nil, nil
}
