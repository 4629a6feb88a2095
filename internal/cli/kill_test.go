package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"splat/internal/demo"
	"splat/internal/lab"
)

// tinyRun are the flags of a run of 150 steps that crosses refines and raises of
// the SH degree.
func tinyRun(strategy string) []string {
	args := []string{"--strategy", strategy, "--steps", "150", "--sh-degree", "2", "--max-splats", "90", "--log-every", "5", "--eval-every", "50", "--background", "random"}
	for _, set := range []string{
		"model.init_splats=60", "train.sh_interval=40", "strategy.refine_every=10", "strategy.refine_start=0",
		"strategy.grow_grad=1e-5", "strategy.prune_opacity=0.05", "strategy.opacity_decay=0.004",
	} {
		args = append(args, "--set", set)
	}
	return args
}

func tinyCapture(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "capture")
	if err := demo.WriteCapture(t.Context(), dir, demo.Options{Size: 24, Train: 6, Test: 2}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// program is the built program, in a process of its own.
func program(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command("splat", args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

func mustSplat(t *testing.T, args ...string) string {
	t.Helper()
	cmd, out := program(args...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("splat %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out.String()
}

func sumOf(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, lab.ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// TestKilledRunsGoOn kills a run again and again, whatever it is doing, until it
// comes to its end. It must end as if nothing had happened.
func TestKilledRunsGoOn(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	capture := tinyCapture(t)
	for _, strategy := range []string{"mcmc", "adc"} {
		args := append([]string{"train", capture}, tinyRun(strategy)...)
		whole := filepath.Join(t.TempDir(), "whole")
		mustSplat(t, append(args, "--save-every", "0", "--out", whole)...)
		args = append(args, "--save-every", "7")
		saved := filepath.Join(t.TempDir(), "saved")
		start := time.Now()
		mustSplat(t, append(args, "--out", saved)...)
		took := time.Since(start)
		if sumOf(t, saved) != sumOf(t, whole) {
			t.Fatalf("%s: saving changes the splats", strategy)
		}
		for range 3 {
			run := filepath.Join(t.TempDir(), "run")
			kills := killOften(t, r, append(args, "--resume", run), took)
			t.Logf("%s: %d kills", strategy, kills)
			if sumOf(t, run) != sumOf(t, whole) {
				t.Errorf("%s, seed %d: the run that was killed %d times ends with other splats", strategy, seed, kills)
			}
			sameRecord(t, run, whole)
		}
	}
}

// killOften runs the program until it ends by itself, and counts how often it was
// killed. The time it gets grows, so that it ends.
func killOften(t *testing.T, r *rand.Rand, args []string, took time.Duration) (kills int) {
	t.Helper()
	for {
		cmd, out := program(args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		limit := time.Duration((0.1 + 0.8*r.Float64()) * float64(took) * (1 + float64(kills)/6))
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("after %d kills: %v\n%s", kills, err, out)
			}
			return kills
		case <-time.After(limit):
			_ = cmd.Process.Kill() // it may have ended just now
			if err := <-ended; err == nil {
				return kills
			}
			kills++
		}
	}
}

// sameRecord compares what two runs recorded, but for the clock, and checks that
// nothing else is left in the folder.
func sameRecord(t *testing.T, run, whole string) {
	t.Helper()
	for _, name := range []string{lab.MetricsFile, lab.EvalFile} {
		if got, want := untimed(t, filepath.Join(run, name)), untimed(t, filepath.Join(whole, name)); got != want {
			t.Errorf("%s: found\n%s\nexpected\n%s", name, got, want)
		}
	}
	doc := readResult(t, run)
	if doc.Steps != readResult(t, whole).Steps || doc.StopReason != "steps" || doc.WallSeconds < doc.TrainSeconds || doc.SHA256 != sumOf(t, run) {
		t.Errorf("result: %+v", doc)
	}
	entries, err := os.ReadDir(run)
	if err != nil || len(entries) != 7 {
		t.Errorf("files left: %v, %v", entries, err)
	}
}

func readResult(t *testing.T, dir string) (doc lab.Result) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, lab.ResultFile))
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// untimed is a JSONL file without the times.
func untimed(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range bytes.Lines(text) {
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%s: %v: %q", path, err, line)
		}
		delete(row, "ms_per_step")
		delete(row, "train_seconds")
		again, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(again, '\n'))
	}
	return b.String()
}
