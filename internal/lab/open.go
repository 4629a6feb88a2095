package lab

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"splat/internal/config"
	"splat/internal/fault"
)

// Record is a run folder read back.
type Record struct {
	Dir    string
	Model  string     // path of its splats.ply
	Config config.Run // as resolved when it ran
	Result *Result    // nil where the run has not finished
}

// Is reports whether path is a run folder.
func Is(path string) bool {
	info, err := os.Stat(filepath.Join(path, ConfigFile))
	return err == nil && info.Mode().IsRegular()
}

// Owner returns the run folder that a model file belongs to, "" where it is not
// a run's splats.ply.
func Owner(model string) string {
	dir := filepath.Dir(model)
	if filepath.Base(model) == ModelFile && Is(dir) {
		return dir
	}
	return ""
}

// Open reads a run folder: its configuration, where its model is, and its result
// if it has one.
func Open(dir string) (*Record, error) {
	if !Is(dir) {
		return nil, fault.Dataf("%s: not a run folder: no %s in it", dir, ConfigFile)
	}
	cfg, err := config.Resolve(config.Source{File: filepath.Join(dir, ConfigFile)})
	if err != nil {
		return nil, err
	}
	rec := &Record{Dir: dir, Model: filepath.Join(dir, ModelFile), Config: cfg}
	if _, err := os.Stat(rec.Model); err != nil {
		return nil, fault.Dataf("%s: the run has no %s", dir, ModelFile)
	}
	rec.Result, err = readResult(filepath.Join(dir, ResultFile))
	return rec, err
}

func readResult(path string) (*Result, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Unreadable(path, err)
	}
	return parseResult(path, text)
}
