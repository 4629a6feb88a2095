package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"splat/internal/fault"
	"splat/internal/process"
)

// ownProgram is the file of this program, under the name that it was called by where that
// leads to the same file.
func ownProgram() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the file of this program: %w", err)
	}
	called, err := exec.LookPath(os.Args[0])
	if err == nil && sameFolder(called, path) {
		return called, nil
	}
	return path, nil
}

// runSelf runs this program in a process of its own, so that a crash or a lost device
// ends one training and not an experiment. Both its outputs are added to the log. When
// ctx ends it is asked to save and waited for.
func runSelf(ctx context.Context, log string, args ...string) (process.Exit, error) {
	path, err := ownProgram()
	if err != nil {
		return process.Exit{}, err
	}
	out, err := openLog(log)
	if err != nil {
		return process.Exit{}, err
	}
	defer out.Close()
	fmt.Fprintf(out, "%s splat %s\n", time.Now().Format(time.DateTime), strings.Join(shellWords(args), " "))
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = out, out
	return process.Run(ctx, cmd, 0)
}

func shellWords(args []string) (words []string) {
	for _, a := range args {
		words = append(words, shellWord(a))
	}
	return words
}

// openLog opens a file to add to.
func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fault.AtFile(filepath.Dir(path), err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fault.AtFile(path, err)
	}
	return f, nil
}

// logTail is how much of a log's end is looked at.
const logTail = 16 << 10

// lastLine is the last line of a log that begins with the prefix, without it; "" where
// there is none near the end.
func lastLine(path, prefix string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > logTail {
		_, _ = f.Seek(-logTail, io.SeekEnd) // else more is read
	}
	text, _ := io.ReadAll(f)
	found := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if rest, ok := strings.CutPrefix(line, prefix); ok && strings.TrimSpace(rest) != "" {
			found = rest
		}
	}
	return found
}

// codeOf is the exit code of this program that a child's end stands for.
func codeOf(e process.Exit) int {
	if e.Code < 0 {
		return int(fault.Failed)
	}
	return e.Code
}
