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
var runFiles = []string{ResultFile, ModelFile, MetricsFile, EvalFile, LogFile, OriginFile, ConfigFile}

// guarded lists the files whose presence keeps a folder from being used again.
// log.txt is not among them: a shell redirection may have made it, and a run
// only appends to it.
var guarded = []string{ConfigFile, ResultFile, ModelFile, MetricsFile, EvalFile, OriginFile}

// newRuns is the folder of runs that have no name of their own.
const newRuns = "runs"

// newDir makes runs/<date>-<capture> in the current folder, with -2, -3, ...
// added where that name is taken, also by a run that starts at the same moment.
func newDir(capture string, now time.Time) (string, error) {
	if err := clearWay(newRuns); err != nil {
		return "", err
	}
	if err := os.MkdirAll(newRuns, 0o755); err != nil {
		return "", folderError(newRuns, err)
	}
	base := filepath.Join(newRuns, now.Format("2006-01-02")+"-"+folderName(capture))
	for n := 1; ; n++ {
		dir := base
		if n > 1 {
			dir = fmt.Sprintf("%s-%d", base, n)
		}
		switch err := os.Mkdir(dir, 0o755); {
		case err == nil:
			return dir, nil
		case !errors.Is(err, fs.ErrExist):
			return "", folderError(dir, err)
		}
	}
}

// folderError says why the folder of a run cannot be used.
func folderError(dir string, err error) error {
	return fmt.Errorf("run folder %s: %w", dir, fault.Reason(err))
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
