package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: errors.New("no space left on device")}
}

// What was asked for and could not be printed is a failure, in text and in JSON.
func TestOutputThatFails(t *testing.T) {
	for _, args := range []string{"--help", "info --help", "train --print-config", "doctor", "doctor --json", "bench --list", "completion bash", "--version"} {
		var stderr bytes.Buffer
		code := Main(strings.Fields(args), strings.NewReader(""), full{}, &stderr)
		if code != 1 || stderr.String() != "splat: standard output: no space left on device\n" {
			t.Errorf("%s: exit code %d, %q", args, code, &stderr)
		}
	}
	var stderr bytes.Buffer
	if code := Main([]string{"info", "nowhere"}, strings.NewReader(""), full{}, &stderr); code != 3 {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain text, caf\u00e9 \u6f22\u5b57 \U0001f469\u200d\U0001f466\tx\n": "plain text, caf\u00e9 \u6f22\u5b57 \U0001f469\u200d\U0001f466\tx\n",
		"\x1b[31mred.png": `\x1b[31mred.png`, "a\x00b": `a\x00b`, "bad \xff": `bad \xff`, "left\u202eright": `left\u202eright`,
		"cr\rlf": `cr\rlf`, "\u009b1m": `\u009b1m`,
	} {
		if got := visible(text); got != want {
			t.Errorf("%q: found %q, expected %q", text, got, want)
		}
	}
}
