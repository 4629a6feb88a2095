// Package process runs other programs for the length of an experiment: in a process
// group of their own, interrupted once when the experiment is, measured, and not
// left behind.
package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"time"
)

// Exit is how a process ended and what it took.
type Exit struct {
	Code   int    // -1 where a signal ended it
	Signal string // that signal
	Wall   time.Duration
	User   time.Duration // of the process and of those of its children that it waited for
	System time.Duration
}

// String says how the process ended.
func (e Exit) String() string {
	if e.Signal != "" {
		return "ended by the signal " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Run runs a command to its end. Where ctx ends first, the command and its children
// get one interrupt, and after grace, unless that is 0, they are killed. The error
// says why the command could not be run; how it ended is in Exit. Standard output and
// error should be files: a pipe is waited for until the last child has closed it.
//
// An interrupt from a terminal reaches this process alone, so that a command gets one
// and not two. On Linux a command whose parent is killed is asked to terminate.
func Run(ctx context.Context, cmd *exec.Cmd, grace time.Duration) (Exit, error) {
	runtime.LockOSThread() // the end of this thread would count as the end of the parent
	defer runtime.UnlockOSThread()
	isolate(cmd)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Exit{}, err
	}
	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch(ctx, cmd, grace, ended)
	}()
	err := cmd.Wait()
	close(ended)
	<-watched
	e := Exit{Code: cmd.ProcessState.ExitCode(), Signal: signalOf(cmd.ProcessState), Wall: time.Since(start)}
	e.User, e.System = cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return e, err
	}
	return e, nil
}

// watch ends a command when ctx ends.
func watch(ctx context.Context, cmd *exec.Cmd, grace time.Duration, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	interrupt(cmd)
	var late <-chan time.Time
	if grace > 0 {
		late = time.After(grace)
	}
	select {
	case <-ended:
	case <-late:
	}
	if grace > 0 {
		kill(cmd) // what is left of it
	}
}
