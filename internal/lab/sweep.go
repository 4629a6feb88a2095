package lab

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"

	"splat/internal/atomicfile"
	"splat/internal/config"
	"splat/internal/fault"
)

// ended are the stop reasons of runs that came to an end of their own.
var ended = []string{"steps", "stop-step", "time-limit", "plateau"}

// Whole reports whether the run came to an end that its configuration asked for, and
// its splats are those that its result tells of: their bytes are compared.
func (r *Record) Whole() bool {
	if r.Result == nil || !slices.Contains(ended, r.Result.StopReason) {
		return false
	}
	sum, err := fileSum(r.Model)
	return err == nil && sum == r.Result.SHA256
}

// Prepare makes a run folder that holds nothing but a configuration, for train
// --resume to begin. One that is there already is left as it is.
func Prepare(dir string, cfg config.Run) error {
	if Is(dir) {
		return nil
	}
	if err := Check(dir, false); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := config.Write(&text, portable(cfg)); err != nil {
		return err
	}
	path := filepath.Join(dir, ConfigFile)
	err := atomicfile.WriteDurable(path, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
	if err != nil {
		return writeError(path, int64(text.Len()), err)
	}
	return nil
}

// Lock makes a folder, where it is absent, and keeps other processes that ask for its
// lock out of it until release is called. what names the folder in messages.
func Lock(what, dir string) (release func(), err error) {
	if at, found := atomicfile.Obstacle(dir); at != "" {
		return nil, fault.Usagef("%s %s: found %s at %s, expected a folder or nothing", what, dir, found, at)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fault.AtFile(what+" "+dir, err)
	}
	l, err := takeLock(dir)
	if fault.ExitCode(err) == int(fault.Usage) {
		return nil, fault.Usagef("%s %s is being written by another splat process; wait for it, or stop it", what, dir)
	}
	if err != nil {
		return nil, err
	}
	return l.release, nil
}

// Busy reports whether another process writes the run folder at the moment.
func Busy(dir string) bool {
	if !Is(dir) {
		return false
	}
	l, err := takeLock(dir)
	l.release()
	return fault.ExitCode(err) == int(fault.Usage)
}

// Sum returns the SHA-256 of a file's bytes in hexadecimal.
func Sum(path string) (string, error) { return fileSum(path) }
