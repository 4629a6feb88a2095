package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk full"), 1},
		{Usagef("bad flag"), 2},
		{Dataf("bad file"), 3},
		{Devicef("no GPU"), 4},
		{&Error{Interrupted, errors.New("stopped")}, 130},
		{fmt.Errorf("while reading: %w", Dataf("bad file")), 3},
		{errors.Join(errors.New("first"), Usagef("second")), 2},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
}

func TestErrorKeepsCause(t *testing.T) {
	cause := errors.New("cause")
	err := Dataf("cameras.bin: %w", cause)
	if !errors.Is(err, cause) || err.Error() != "cameras.bin: cause" {
		t.Errorf("got %v", err)
	}
}

// A file error begins with the file, names it once, and keeps kind and cause.
func TestFileErrors(t *testing.T) {
	_, missing := os.Stat(filepath.Join(t.TempDir(), "none"))
	link := &os.LinkError{Op: "rename", Old: "a.tmp-1", New: "a", Err: errors.New("file exists")}
	call := os.NewSyscallError("fsync", errors.New("no space"))
	for _, c := range []struct {
		err  error
		want string
		code int
	}{
		{Unreadable("a.ply", missing), "a.ply: " + missing.(*fs.PathError).Err.Error(), 3},
		{AtFile("a.ply", missing), "a.ply: " + missing.(*fs.PathError).Err.Error(), 1},
		{AtFile("a.ply", fmt.Errorf("write: %w", link)), "a.ply: file exists", 1},
		{AtFile("a.ply", call), "a.ply: no space", 1},
		{AtFile("a.ply", Usagef("bad name")), "a.ply: bad name", 2},
	} {
		if c.err.Error() != c.want || ExitCode(c.err) != c.code {
			t.Errorf("found %q and code %d, expected %q and %d", c.err, ExitCode(c.err), c.want, c.code)
		}
	}
	if !errors.Is(Unreadable("a.ply", missing), fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
}
