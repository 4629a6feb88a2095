package cli

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"splat/internal/compare"
	"splat/internal/lab"
	"splat/internal/sweep"
)

// lambdaSweep are the flags of a sweep of lambda and strategy.
func lambdaSweep(capture, out string) []string {
	args := []string{"sweep", capture, "--vary", "loss.ssim_lambda=0.1,0.2,0.3", "--vary", "strategy.name=mcmc,adc", "--out", out, "--save-every", "7"}
	for i, flag := range tinyRun("") {
		if flag != "--strategy" && (i == 0 || tinyRun("")[i-1] != "--strategy") {
			args = append(args, flag)
		}
	}
	return args
}

// sweptSums are the splats of all runs of a sweep.
func sweptSums(t *testing.T, dir string) map[string]string {
	t.Helper()
	var r sweep.Report
	text, err := os.ReadFile(filepath.Join(dir, sweep.ResultsFile))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.Complete != 6 || r.Runs != 6 || len(r.Rows) != 6 {
		t.Fatalf("%d of %d runs complete", r.Complete, r.Runs)
	}
	sums := map[string]string{}
	for _, row := range r.Rows {
		line := row.Runs[0]
		sums[line.Run] = sumOf(t, filepath.Join(dir, line.Run))
		if line.Result.SHA256 != sums[line.Run] || line.Result.Steps != 150 || row.Mean == nil || row.Mean.PSNR == nil {
			t.Errorf("%s: %+v", line.Run, line.Result)
		}
	}
	return sums
}

// TestKilledSweepGoesOn kills a sweep in the middle of a run, with the training that
// it began, and starts it again. Runs that were complete are left alone, and all end
// with the bytes that they have without the break.
func TestKilledSweepGoesOn(t *testing.T) {
	capture := tinyCapture(t)
	whole, broken := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "broken")
	mustSplat(t, lambdaSweep(capture, whole)...)
	want := sweptSums(t, whole)

	cmd, out := program(lambdaSweep(capture, broken)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	names := []string{"capture,ssim_lambda=0.1,strategy=mcmc", "capture,ssim_lambda=0.1,strategy=adc", "capture,ssim_lambda=0.2,strategy=mcmc"}
	waitForFile(t, filepath.Join(broken, names[2], lab.MetricsFile))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if _, err := os.Stat(filepath.Join(broken, sweep.ResultsFile)); err == nil {
		t.Fatalf("the sweep was done before it was killed:\n%s", out)
	}
	done, err := os.Stat(filepath.Join(broken, names[0], lab.ResultFile))
	if err != nil {
		t.Fatal(err)
	}
	said := mustSplat(t, lambdaSweep(capture, broken)...)
	if strings.Contains(said, names[0]+" ") || strings.Contains(said, names[1]+" ") || !strings.Contains(said, "of 6 runs complete already") {
		t.Errorf("complete runs were not left alone:\n%s", said)
	}
	if again, err := os.Stat(filepath.Join(broken, names[0], lab.ResultFile)); err != nil || !again.ModTime().Equal(done.ModTime()) {
		t.Errorf("a complete run was written again: %v", err)
	}
	got := sweptSums(t, broken)
	for name, sum := range want {
		if got[name] != sum {
			t.Errorf("%s: other splats than without the break", name)
		}
	}
}

func waitForFile(t *testing.T, path string) {
	t.Helper()
	for range 6000 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s did not appear", path)
}

// TestInterruptedSweep interrupts a sweep: the training under way is saved, the exit
// code is that of an interrupt, and the same command goes on.
func TestInterruptedSweep(t *testing.T) {
	capture, out := tinyCapture(t), filepath.Join(t.TempDir(), "s")
	args := []string{"sweep", capture, "--vary", "strategy.name=mcmc,adc", "--out", out, "--max-splats", "2000", "--log-every", "1", "--json"}
	cmd := exec.Command("splat", append(args, "--steps", "1000000")...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(out, "capture,strategy=mcmc")
	waitForFile(t, filepath.Join(run, lab.MetricsFile))
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip("no interrupts here: ", err)
	}
	err := cmd.Wait()
	if cmd.ProcessState.ExitCode() != 130 || !strings.Contains(stderr.String(), "splat: interrupted with 0 of 2 runs complete; the same command with --out") {
		t.Errorf("%v\n%s", err, &stderr)
	}
	if res := readResult(t, run); res.StopReason != "interrupted" {
		t.Errorf("the training was not saved: %+v", res)
	}
	var r sweep.Report
	if err := json.Unmarshal([]byte(stdout.String()), &r); err != nil || r.Complete != 0 || r.Rows[0].Runs[0].State != sweep.Partial {
		t.Errorf("%v: %s", err, &stdout)
	}
	if _, err := os.Stat(filepath.Join(out, "capture,strategy=adc")); err == nil {
		t.Error("another run was begun after the interrupt")
	}
}

// comparedScores: compared FILE TRAINER DOCUMENT compares the scores of a trainer in a
// comparison with those of eval or of a run.
func comparedScores(ts *testscript.TestScript, _ bool, args []string) {
	var r compare.Report
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &r))
	var want struct{ PSNR, SSIM float64 }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[2])), &want))
	for _, t := range r.Trainers {
		if t.Name == args[1] {
			if t.PSNR == nil || math.Abs(*t.PSNR-want.PSNR) > 0.01 || math.Abs(*t.SSIM-want.SSIM) > 1e-3 || want.PSNR == 0 {
				ts.Fatalf("found %v, expected %v", *t.PSNR, want)
			}
			return
		}
	}
	ts.Fatalf("no trainer %s", args[1])
}
