// Package lab keeps the record of training runs: the run folder with its fixed
// file names, written so that neither a crash nor a second run can take the
// results of the first, and so that a run can go on after either.
package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"splat/internal/fault"
)

// The files of a run folder.
const (
	ConfigFile  = "config.toml"   // the resolved configuration; repeats the run
	MetricsFile = "metrics.jsonl" // one line every train.log_every steps
	EvalFile    = "eval.jsonl"    // one line an evaluation
	ModelFile   = "splats.ply"    // the splats, in the capture's world frame
	LogFile     = "log.txt"       // the choices and warnings of the run
	ResultFile  = "result.json"   // what came out

	CheckpointDir = "checkpoint" // states to go on from, while the run is not complete
)

// runFiles lists what a run writes and --overwrite may therefore remove, beside the
// checkpoints.
var runFiles = []string{ResultFile, ModelFile, MetricsFile, EvalFile, LogFile, ConfigFile}

// guarded lists the files whose presence keeps a folder from being used again.
// log.txt is not among them: a shell redirection may have made it, and a run
// only appends to it.
var guarded = []string{ConfigFile, ResultFile, ModelFile, MetricsFile, EvalFile}

// Check reports whether dir can take a new run: it must be absent or a folder,
// and hold no run unless overwrite is set. It changes nothing.
func Check(dir string, overwrite bool) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Usagef("run folder %s: %v", dir, plain(err))
	}
	if !info.IsDir() {
		return fault.Usagef("run folder %s: found a file, expected a folder or nothing", dir)
	}
	if overwrite {
		return nil
	}
	return vacant(dir, func(string) bool { return false })
}

// vacant reports whether a folder holds no run, apart from files that are ours.
func vacant(dir string, ours func(name string) bool) error {
	for _, name := range guarded {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil && !ours(name) {
			return holdsRun(dir, name)
		}
	}
	if steps := checkpointsIn(dir); len(steps) > 0 {
		return holdsRun(dir, checkpointName(steps[0]))
	}
	return nil
}

func holdsRun(dir, name string) error {
	return fault.Usagef("run folder %s already holds a run (%s); go on with it by train --resume, choose another --out, or replace it with --overwrite", dir, name)
}

// newRuns is the folder of runs that have no name of their own.
const newRuns = "runs"

// newDir makes runs/<date>-<capture> in the current folder, with -2, -3, ...
// added where that name is taken, also by a run that starts at the same moment.
func newDir(capture string, now time.Time) (string, error) {
	if err := os.MkdirAll(newRuns, 0o755); err != nil {
		return "", fmt.Errorf("run folder %s: %w", newRuns, plain(err))
	}
	base := filepath.Join(newRuns, now.Format("2006-01-02")+"-"+folderName(capture))
	for n := 1; ; n++ {
		dir := base
		if n > 1 {
			dir = fmt.Sprintf("%s-%d", base, n)
		}
		if err := os.Mkdir(dir, 0o755); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

// folderName replaces what is awkward in a folder's name on some system.
func folderName(s string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || unicode.IsSpace(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, s)
	if name = strings.Trim(name, "._"); name == "" {
		return "capture"
	}
	return name
}

// plain is the reason of a file error without the name, which messages give
// themselves.
func plain(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}
