//go:build unix

package process

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func shell(script string) *exec.Cmd { return exec.Command("sh", "-c", script) }

func TestExit(t *testing.T) {
	for script, want := range map[string]string{"exit 0": "exit code 0", "exit 7": "exit code 7", "kill -9 $$": "ended by the signal killed"} {
		e, err := Run(t.Context(), shell(script), 0)
		if err != nil || e.String() != want || e.Wall <= 0 {
			t.Errorf("%s: found %v, %v, expected %s", script, e, err, want)
		}
	}
	if _, err := Run(t.Context(), exec.Command("no-such-program-anywhere"), 0); err == nil {
		t.Error("a program that is not there runs")
	}
}

// waitFor waits for a file to appear.
func waitFor(t *testing.T, path string) {
	t.Helper()
	for range 1000 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s did not appear", path)
}

// One interrupt reaches the command, which may take its time to save.
func TestInterruptedOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ready")
	cmd := shell("trap 'echo interrupted; n=1' INT; touch " + file + "; while [ -z \"$n\" ]; do sleep 0.01; done; sleep 0.1; echo saved; exit 130")
	var out bytes.Buffer
	cmd.Stdout = &out
	ctx, cancel := context.WithCancel(t.Context())
	go func() { waitFor(t, file); cancel() }()
	e, err := Run(ctx, cmd, 0)
	if err != nil || e.Code != 130 || strings.Count(out.String(), "interrupted\n") != 1 || !strings.Contains(out.String(), "saved") {
		t.Errorf("found %v, %v, %q", e, err, &out)
	}
}

// What does not heed the interrupt is killed with its children.
func TestKilledAfterGrace(t *testing.T) {
	dir := t.TempDir()
	file, late := filepath.Join(dir, "ready"), filepath.Join(dir, "late")
	cmd := shell("trap '' INT; (trap '' INT; sleep 1; touch " + late + ") & touch " + file + "; sleep 10; true")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { waitFor(t, file); cancel() }()
	e, err := Run(ctx, cmd, 100*time.Millisecond)
	if err != nil || e.Signal != "killed" || e.Wall > 5*time.Second {
		t.Errorf("found %v, %v after %v", e, err, e.Wall)
	}
	time.Sleep(1200 * time.Millisecond)
	if _, err := os.Stat(late); err == nil {
		t.Error("a child lived on")
	}
}
