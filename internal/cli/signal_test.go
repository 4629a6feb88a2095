//go:build unix

package cli

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"splat/internal/demo"
	"splat/internal/lab"
)

// slowRun are the flags of a run whose steps take a second: many large splats that
// never change.
func slowRun(capture, out string) []string {
	args := []string{"train", capture, "--out", out, "--strategy", "adc", "--sh-degree", "0", "--max-splats", "10000", "--threads", "1", "--log-every", "1"}
	for _, set := range []string{
		"model.init_splats=10000", "model.init_scale=30", "model.init_opacity=0.02", "strategy.refine_every=100000",
		"optim.lr_means=0", "optim.lr_means_end=0", "optim.lr_scales=0", "optim.lr_quats=0", "optim.lr_opacities=0", "optim.lr_sh0=0",
	} {
		args = append(args, "--set", set)
	}
	return args
}

// TestSecondInterruptQuitsAtOnce interrupts in the middle of a step, twice. What
// was safe before must stay so, and the run goes on from there.
func TestSecondInterruptQuitsAtOnce(t *testing.T) {
	dir := t.TempDir()
	capture, run := filepath.Join(dir, "capture"), filepath.Join(dir, "run")
	if err := demo.WriteCapture(t.Context(), capture, demo.Options{Size: 400, Train: 2, Test: 1}); err != nil {
		t.Fatal(err)
	}
	mustSplat(t, append(slowRun(capture, run), "--stop-step", "1", "--no-eval")...)
	before := sumOf(t, run)

	cmd := exec.Command("splat", "train", "--resume", run, "--stop-step", "50")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForText(t, filepath.Join(run, lab.MetricsFile), `"step":2,`) // step 3 is under way
	err = cmd.Process.Signal(os.Interrupt)
	var said strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "interrupted: ") {
			err = errors.Join(err, cmd.Process.Signal(os.Interrupt))
		}
	}
	var exit *exec.ExitError
	if waited := cmd.Wait(); err != nil || !errors.As(waited, &exit) {
		t.Fatalf("%v, %v\n%s", err, waited, &said)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGINT {
		t.Errorf("ended by %v, expected the signal itself\n%s", exit, &said)
	}
	if strings.Contains(said.String(), "splat: ") || sumOf(t, run) != before {
		t.Errorf("it went on after the second interrupt:\n%s", &said)
	}
	out := mustSplat(t, "train", "--resume", run, "--stop-step", "1", "--no-eval")
	if !strings.Contains(out, filepath.Join(run, lab.CheckpointDir, "step-00000001.ckpt")) || sumOf(t, run) != before {
		t.Errorf("the run does not go on from where it was:\n%s", out)
	}
}

// TestInterruptWhileTheDemoIsDrawn leaves no run behind.
func TestInterruptWhileTheDemoIsDrawn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	cmd, out := program("demo", "--size", "64", "--train-views", "10000", "--out", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForText(t, filepath.Join(dir, "capture", "train", "r_0.png"), "PNG")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the code says more
	if cmd.ProcessState.ExitCode() != 130 || !strings.Contains(out.String(), "splat: interrupted while the capture was made") {
		t.Errorf("exit code %d\n%s", cmd.ProcessState.ExitCode(), out)
	}
	if lab.Is(dir) {
		t.Error("a run was left behind")
	}
}

// waitForText waits until a file holds a text.
func waitForText(t *testing.T, path, text string) {
	t.Helper()
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if there, err := os.ReadFile(path); err == nil && strings.Contains(string(there), text) {
			return
		}
	}
	t.Fatalf("%s does not hold %q after a minute", path, text)
}

// A terminal that closes is an interrupt, unless nohup said otherwise.
func TestHangUp(t *testing.T) {
	capture := tinyCapture(t)
	run := filepath.Join(t.TempDir(), "run")
	cmd, out := program(append([]string{"train", capture, "--out", run}, tinyRun("mcmc")...)...)
	cmd.Args = append(cmd.Args, "--steps", "10000000", "--log-every", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForText(t, filepath.Join(run, lab.MetricsFile), `"step":1,`)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if cmd.ProcessState.ExitCode() != 130 || !strings.Contains(out.String(), "splats and checkpoint are saved") {
		t.Errorf("%v\n%s", err, out)
	}
}
