// Package cli is the command line: one file a command, flags and help generated
// from package config, exit codes from package fault. Results go to standard
// output, everything else to standard error.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/train"
)

// Main runs the program with the given arguments (without its name) and returns
// the exit code. The first interrupt or termination signal asks the command to
// stop and save, a second one ends the process at once.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := interruptible()
	defer stop()
	return newApp(stdin, stdout, stderr).run(ctx, args)
}

// app is one invocation of the program.
type app struct {
	stdin  io.Reader
	stdout *output
	log    *console
	start  time.Time
	engine func(context.Context, train.Options) (*train.Result, error)

	json     bool             // --json
	flags    []config.Setting // field flags in the order they were given
	flagErr  error            // the first field flag that could not be read
	accepted bool             // the command line was understood

	traceFile string // --trace of train; "": none
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{stdin: stdin, stdout: &output{to: stdout}, log: newConsole(stderr), start: time.Now(), engine: train.Run}
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.rootCommand()
	root.SetArgs(append([]string{}, args...)) // never nil, which means os.Args
	err := unknownCommand(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if out := a.stdout.err; out != nil && (err == nil || errors.Is(err, out)) {
		err = &fault.Error{Kind: fault.Failed, Err: fault.AtFile("standard output", out)}
	}
	err = a.classify(ctx, err)
	if err != nil {
		a.log.fail(message(err))
	}
	return fault.ExitCode(err)
}

// classify gives an exit code to errors that come without one: the command line
// library's own are wrong usage, what follows an interrupt is the interrupt.
func (a *app) classify(ctx context.Context, err error) error {
	var known *fault.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case !a.accepted:
		return &fault.Error{Kind: fault.Usage, Err: err}
	case ctx.Err() != nil:
		return &fault.Error{Kind: fault.Interrupted, Err: errors.New("interrupted")}
	}
	return err
}

// message is an error's text on one line. Only commands to copy, which are
// indented, get lines of their own, after it.
func message(err error) string {
	var b strings.Builder
	for i, line := range strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }) {
		switch {
		case i == 0:
		case strings.HasPrefix(line, "  "):
			b.WriteByte('\n')
		default:
			b.WriteString("; ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// print writes a line of the result to standard output, unless --json asked for
// the document alone.
func (a *app) print(format string, args ...any) {
	if !a.json {
		io.WriteString(a.stdout, visible(fmt.Sprintf(format+"\n", args...)))
	}
}

// document writes the result as JSON where --json asked for it.
func (a *app) document(v any) error {
	if !a.json {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, _ = a.stdout.Write(append(text, '\n')) // run looks at the output's error
	return nil
}

// command fills in what all commands share.
func (a *app) command(c *cobra.Command) *cobra.Command {
	c.DisableFlagsInUseLine = true
	return c
}
