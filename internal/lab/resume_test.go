package lab

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/checkpoint"
	"splat/internal/config"
	"splat/internal/fault"
)

// state is a small checkpoint of a step.
func state(step int) *checkpoint.Snapshot {
	return &checkpoint.Snapshot{
		Header: checkpoint.Header{Step: step, Splats: 3, State: []byte("{}"), Sections: []checkpoint.Section{{Name: "a", Elem: checkpoint.F32, Count: 30}}},
		Read:   func(_ checkpoint.Section, _ int64, data []byte) error { clear(data); return nil },
	}
}

func reopen(t *testing.T, dir string) *Prior {
	t.Helper()
	p, err := Reopen(dir)
	must(t, err)
	t.Cleanup(p.Close)
	return p
}

// stopped is a folder whose run ended at step 30, with checkpoints 20 and 30.
func stopped(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	r := create(t, dir, false)
	for step := 10; step <= 30; step += 10 {
		must(t, r.Metrics(map[string]int{"step": step}))
		must(t, r.SaveCheckpoint(state(step)))
	}
	must(t, r.Eval(map[string]int{"step": 30}))
	must(t, r.Log("a line"))
	must(t, r.Close())
	return dir
}

func TestTheLastTwoCheckpointsAreKept(t *testing.T) {
	dir := stopped(t)
	if got := names(t, filepath.Join(dir, CheckpointDir)); cmp.Diff([]string{"step-00000020.ckpt", "step-00000030.ckpt"}, got) != "" {
		t.Errorf("found %v", got)
	}
	p := reopen(t, dir)
	f, damage, err := p.Newest()
	if err != nil || f.Step != 30 || damage != nil {
		t.Fatalf("%v, %v, %v", f, damage, err)
	}
	f.Close()
	p.Close()
	if _, err := Create(dir, false, config.Default("mcmc")); fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("a new run in the folder: %v", err)
	}
}

// A checkpoint that may be whole is not passed over: the run would go on from an
// older one and remove it.
func TestCheckpointsOfAnotherVersion(t *testing.T) {
	dir := stopped(t)
	newestFile := filepath.Join(dir, CheckpointDir, "step-00000030.ckpt")
	text := read(t, newestFile)
	write(t, newestFile, text[:8]+"\x02\x00\x00\x00\x00\x00"+text[12:])
	p := reopen(t, dir)
	f, _, err := p.Newest()
	if f != nil || fault.ExitCode(err) != 3 || !strings.HasPrefix(err.Error(), newestFile+": byte 8: version 2 found, 1 expected: written by another version of splat; ") {
		t.Errorf("%v, %v", f, err)
	}
	must(t, os.Remove(newestFile))
	if f, _, err := p.Newest(); err != nil || f.Step != 20 {
		t.Errorf("%v, %v", f, err)
	} else {
		f.Close()
	}
}

// A damaged checkpoint is passed over, and goes once a new one is in place.
func TestDamagedCheckpoints(t *testing.T) {
	dir := stopped(t)
	newestFile := filepath.Join(dir, CheckpointDir, "step-00000030.ckpt")
	text := []byte(read(t, newestFile))
	text[len(text)-20] ^= 1
	write(t, newestFile, string(text))
	p := reopen(t, dir)
	f, damage, err := p.Newest()
	if err != nil || f.Step != 20 || len(damage) != 1 || !strings.Contains(damage[0].Error(), newestFile+": section a (bytes") {
		t.Fatalf("%v, %v, %v", f, damage, err)
	}
	f.Close()
	r, err := p.Continue(config.Default("mcmc"), f)
	must(t, err)
	defer r.Close()
	if path, step := r.Intact(); step != 20 || filepath.Base(path) != "step-00000020.ckpt" {
		t.Errorf("intact: %s, %d", path, step)
	}
	must(t, r.SaveCheckpoint(state(25)))
	if got := names(t, filepath.Join(dir, CheckpointDir)); cmp.Diff([]string{"step-00000020.ckpt", "step-00000025.ckpt"}, got) != "" {
		t.Errorf("found %v", got)
	}
}

func TestAllCheckpointsDamaged(t *testing.T) {
	dir := stopped(t)
	for _, name := range names(t, filepath.Join(dir, CheckpointDir)) {
		must(t, os.Truncate(filepath.Join(dir, CheckpointDir, name), 40))
	}
	must(t, os.Rename(filepath.Join(dir, CheckpointDir, "step-00000020.ckpt"), filepath.Join(dir, CheckpointDir, "step-00000021.ckpt")))
	p := reopen(t, dir)
	_, damage, err := p.Newest()
	if fault.ExitCode(err) != 3 || len(damage) != 2 || !strings.Contains(err.Error(), "step-00000030.ckpt") || !strings.Contains(err.Error(), "step-00000021.ckpt") {
		t.Errorf("%v, %v", damage, err)
	}
	must(t, os.RemoveAll(filepath.Join(dir, CheckpointDir)))
	write(t, filepath.Join(dir, CheckpointDir, "step-5.ckpt"), "not our name")
	if f, damage, err := p.Newest(); f != nil || damage != nil || err != nil {
		t.Errorf("none: %v, %v, %v", f, damage, err)
	}
}

// A checkpoint under another step's name must not be taken for that step.
func TestRenamedCheckpoint(t *testing.T) {
	dir := stopped(t)
	must(t, os.Rename(filepath.Join(dir, CheckpointDir, "step-00000020.ckpt"), filepath.Join(dir, CheckpointDir, "step-00000040.ckpt")))
	f, damage, err := reopen(t, dir).Newest()
	if err != nil || f.Step != 30 || len(damage) != 1 || !strings.Contains(damage[0].Error(), "damaged: holds step 20, expected 40") {
		t.Errorf("%v, %v, %v", f, damage, err)
	}
	f.Close()
}

// Going on removes what lies beyond the checkpoint, when it begins and not before.
func TestContinueRewinds(t *testing.T) {
	dir := stopped(t)
	metrics, eval := filepath.Join(dir, MetricsFile), filepath.Join(dir, EvalFile)
	write(t, metrics, read(t, metrics)+"{\"step\":40}\n{\"step\":5")
	write(t, eval, read(t, eval)+"{\"step\":30}\n\x00\x00\n{\"step\":30}\n")
	write(t, filepath.Join(dir, LogFile), read(t, filepath.Join(dir, LogFile))+"cut of")
	left := []string{"." + ModelFile + ".tmp-1", "checkpoint/.step-00000040.ckpt.tmp-2"}
	for _, name := range append(left, ".mine.tmp-3") {
		write(t, filepath.Join(dir, name), "half")
	}
	p := reopen(t, dir)
	f, _, err := p.Newest()
	must(t, err)
	defer f.Close()
	cfg := config.Default("mcmc")
	cfg.Train.Steps = 77
	r, err := p.Continue(cfg, f)
	must(t, err)
	must(t, r.Log("resumed"))
	if !strings.Contains(read(t, metrics), "40") || !slices.Contains(names(t, dir), left[0]) {
		t.Error("the folder was changed before the run began")
	}
	must(t, r.Metrics(map[string]int{"step": 40}))
	must(t, r.Close())
	if got, want := read(t, metrics), "{\"step\":10}\n{\"step\":20}\n{\"step\":30}\n{\"step\":40}\n"; got != want {
		t.Errorf("metrics: found %q, expected %q", got, want)
	}
	if got, want := read(t, eval), "{\"step\":30}\n{\"step\":30}\n"; got != want {
		t.Errorf("eval: found %q, expected %q", got, want)
	}
	log := read(t, filepath.Join(dir, LogFile))
	if !strings.Contains(log, "cut of\n") || !strings.Contains(log, "metrics.jsonl: 2 lines beyond step 30 removed\n") || !strings.Contains(log, " resumed\n") {
		t.Errorf("log: found %q", log)
	}
	if !strings.Contains(read(t, filepath.Join(dir, ConfigFile)), "steps = 77\n") {
		t.Error("the configuration in force is not in the folder")
	}
	want := []string{".mine.tmp-3", CheckpointDir, ConfigFile, EvalFile, LogFile, MetricsFile}
	if got := names(t, dir); cmp.Diff(want, got) != "" {
		t.Errorf("files: %v", got)
	}
}

func TestCompleteRemovesCheckpoints(t *testing.T) {
	dir := stopped(t)
	p := reopen(t, dir)
	if p.Complete() || p.Result != nil {
		t.Error("a run without results is complete")
	}
	r, err := p.Continue(config.Default("mcmc"), nil)
	must(t, err)
	_, err = r.SaveModel(4, ply)
	must(t, err)
	must(t, r.SaveResult(Result{Steps: 50, StopReason: "steps"}))
	must(t, r.Complete())
	must(t, r.Close())
	if got := names(t, dir); slices.Contains(got, CheckpointDir) {
		t.Errorf("files: %v", got)
	}
	if p := reopen(t, dir); !p.Complete() || p.Result.Steps != 50 {
		t.Errorf("%+v is not complete", p.Result)
	}
}

func TestReopenRefuses(t *testing.T) {
	dir := stopped(t)
	root := t.TempDir()
	write(t, filepath.Join(root, "a.ply"), "ply")
	write(t, filepath.Join(root, "other", MetricsFile), "")
	write(t, filepath.Join(root, "bad", ConfigFile), "")
	write(t, filepath.Join(root, "bad", ResultFile), "{")
	for path, want := range map[string]struct {
		code int
		text string
	}{
		filepath.Join(root, "a.ply"):                            {2, "--init"},
		filepath.Join(root, "other"):                            {3, "no config.toml"},
		filepath.Join(root, "bad"):                              {3, "result.json: not JSON, expected the result of a run"},
		filepath.Join(dir, CheckpointDir):                       {2, "expected the run folder, " + dir},
		filepath.Join(dir, CheckpointDir, "step-00000030.ckpt"): {2, "expected the run folder, " + dir},
		filepath.Join(dir, ConfigFile):                          {2, "expected the run folder, " + dir},
	} {
		if _, err := Reopen(path); fault.ExitCode(err) != want.code || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: found %v, expected %q with exit code %d", path, err, want.text, want.code)
		}
	}
	for _, empty := range []string{root, filepath.Join(root, "absent")} {
		if p, err := Reopen(empty); err != nil || p.Config != "" {
			t.Errorf("%s: found %+v, %v, expected an empty folder", empty, p, err)
		}
	}
}

// full is a file on a disk that has room for so many bytes.
type full struct {
	appendFile
	room int
}

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.room -= n
	if _, err := f.appendFile.Write(p[:n]); err != nil || n == len(p) {
		return n, err
	}
	return n, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
}

// On a full disk no half line stays, what was written before does, and the line
// is made up for once there is room.
func TestLinesOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir, false)
	must(t, r.Metrics(map[string]int{"step": 10}))
	disk := &full{r.metrics.file, 5}
	r.metrics.file = disk
	err := r.Metrics(map[string]int{"step": 20})
	if !IsFull(err) || !strings.Contains(err.Error(), filepath.Join(dir, MetricsFile)+": no space left on device (12 bytes needed)") {
		t.Errorf("found %v", err)
	}
	if got := read(t, filepath.Join(dir, MetricsFile)); got != "{\"step\":10}\n" {
		t.Errorf("metrics: found %q", got)
	}
	if err := r.SaveCheckpoint(state(20)); !IsFull(err) {
		t.Errorf("a checkpoint without its metrics: %v", err)
	}
	disk.room = 1000
	must(t, r.SaveCheckpoint(state(20)))
	if got := read(t, filepath.Join(dir, MetricsFile)); got != "{\"step\":10}\n{\"step\":20}\n" {
		t.Errorf("metrics: found %q", got)
	}
}

// A checkpoint that does not fit leaves the earlier ones and no temporary file.
func TestCheckpointOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir, false)
	must(t, r.SaveCheckpoint(state(10)))
	whole := read(t, filepath.Join(dir, CheckpointDir, "step-00000010.ckpt"))
	write := r.write
	for room := 0; room < len(whole); room += 50 {
		r.write = func(path string, fill func(io.Writer) error) error {
			return write(path, func(w io.Writer) error { return fill(&tight{w, room}) })
		}
		err := r.SaveCheckpoint(state(20))
		if !IsFull(err) || !strings.Contains(err.Error(), fmt.Sprintf("step-00000020.ckpt: no space left on device (%d bytes needed)", len(whole))) {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
		if got := names(t, filepath.Join(dir, CheckpointDir)); cmp.Diff([]string{"step-00000010.ckpt"}, got) != "" {
			t.Fatalf("room for %d bytes: files %v", room, got)
		}
	}
	if path, step := r.Intact(); step != 10 || read(t, path) != whole {
		t.Errorf("intact: %s of step %d", path, step)
	}
	r.write = func(string, func(io.Writer) error) error { return syscall.ENOSPC }
	if err := r.SaveResult(Result{}); !IsFull(err) || !strings.Contains(err.Error(), ResultFile) {
		t.Errorf("the result: %v", err)
	}
}

// tight is a disk with so much room.
type tight struct {
	w    io.Writer
	room int
}

func (w *tight) Write(p []byte) (int, error) {
	if len(p) > w.room {
		return 0, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	w.room -= len(p)
	return w.w.Write(p)
}

func TestIsFull(t *testing.T) {
	if IsFull(errors.New("x")) || IsFull(nil) || !IsFull(fmt.Errorf("a: %w", &os.PathError{Err: syscall.ENOSPC})) {
		t.Error("IsFull does not tell a full disk from others")
	}
}

// An older run's checkpoints go with it; foreign files in the folder do not.
func TestOverwriteRemovesCheckpoints(t *testing.T) {
	dir := stopped(t)
	write(t, filepath.Join(dir, CheckpointDir, "mine"), "")
	r := create(t, dir, true)
	must(t, r.Begin())
	if got := names(t, filepath.Join(dir, CheckpointDir)); cmp.Diff([]string{"mine"}, got) != "" {
		t.Errorf("found %v", got)
	}
}
