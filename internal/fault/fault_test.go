package fault

import (
	"errors"
	"fmt"
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
