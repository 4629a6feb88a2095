// Package fault classifies errors by what the user can do about them, so that
// the command line can choose an exit code without knowing where they arose.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Kind says whose turn it is when an error arises.
type Kind int

// The kinds of failure and the exit code each maps to.
const (
	Failed      Kind = 1   // the work itself failed: disk full, out of memory, training collapsed
	Usage       Kind = 2   // wrong flags or configuration
	Data        Kind = 3   // bad input data
	Device      Kind = 4   // no such device
	Interrupted Kind = 130 // stopped by the user, state saved
)

// Error is a classified error. Its message must stand alone on one line: the
// file, the place in it, what was found, what was expected.
type Error struct {
	Kind Kind
	Err  error
}

// Error returns the message of the wrapped error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// Dataf reports bad input data (exit code 3).
func Dataf(format string, args ...any) error {
	return &Error{Data, fmt.Errorf(format, args...)}
}

// Unreadable reports a file or folder of the input that cannot be read (exit code
// 3): the path, then the reason.
func Unreadable(path string, err error) error { return &Error{Data, AtFile(path, err)} }

// Usagef reports wrong flags or configuration (exit code 2).
func Usagef(format string, args ...any) error {
	return &Error{Usage, fmt.Errorf(format, args...)}
}

// Devicef reports a device that is not there (exit code 4).
func Devicef(format string, args ...any) error {
	return &Error{Device, fmt.Errorf(format, args...)}
}

// ExitCode returns the exit code for err: 0 for nil, the kind of the outermost
// classified error in its chain, else 1.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	var e *Error
	if errors.As(err, &e) {
		return int(e.Kind)
	}
	return int(Failed)
}

// AtFile is a failed file operation as messages tell it: the path, then the reason.
// Its kind stays, and what errors.Is and errors.As find.
func AtFile(path string, err error) error { return &fileError{path, err} }

type fileError struct {
	path string
	err  error
}

func (e *fileError) Error() string { return e.path + ": " + Reason(e.err).Error() }

func (e *fileError) Unwrap() error { return e.err }

// Reason returns why a file operation failed, without the operation and the path:
// a message names the file itself, and first.
func Reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &call):
		return call.Err
	}
	return err
}
