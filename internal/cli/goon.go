package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"splat/internal/fault"
	"splat/internal/lab"
)

// goOn is a failure with what is safe and how to go on from there. It has a kind
// in any case, so that an interrupt that came as well does not cover it.
func goOn(run *lab.Run, err error) error {
	text, room := eachOnce(err), ""
	if lab.IsFull(err) {
		room = "make room, then "
	}
	dir := shellWord(run.Dir())
	path, _ := run.Intact()
	switch {
	case path != "":
		text += fmt.Sprintf("; %s is intact; %sgo on with\n  splat train --resume %s", path, room, dir)
	case room != "" && lab.Is(run.Dir()):
		text += fmt.Sprintf("; no checkpoint was stored yet; %sbegin again with\n  splat train --config %s --out %s --overwrite",
			room, shellWord(run.Path(lab.ConfigFile)), dir)
	case room != "":
		text += "; " + room + "begin again"
	}
	return &fault.Error{Kind: fault.Kind(fault.ExitCode(err)), Err: errors.New(text)}
}

// eachOnce is the text of joined errors, each once: a full disk is found by all
// that write.
func eachOnce(err error) string {
	var texts []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !slices.Contains(texts, line) {
			texts = append(texts, line)
		}
	}
	return strings.Join(texts, "; ")
}

// plainly is a failure that still counts beside another one: not an interrupt.
func plainly(failure error) error {
	if interrupted(failure) {
		return nil
	}
	return failure
}

// interruption is the end of a run that was interrupted and saved.
func interruption(run *lab.Run, steps int) error {
	err := fmt.Errorf("interrupted at step %d; the splats so far are saved", steps)
	if path, _ := run.Intact(); path != "" {
		err = fmt.Errorf("interrupted at step %d; splats and checkpoint are saved; go on with\n  splat train --resume %s", steps, shellWord(run.Dir()))
	}
	return &fault.Error{Kind: fault.Interrupted, Err: err}
}

// shellWord makes a path safe to paste into a shell.
func shellWord(path string) string {
	if !strings.ContainsAny(path, " \t\n'\"\\$`*?[](){}<>|&;!#~") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
