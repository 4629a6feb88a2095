package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"splat/internal/config"
	"splat/internal/fault"
)

// A run counts as whole only where it ended by itself and its splats are its own.
func TestWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "old")
	must(t, os.CopyFS(dir, os.DirFS("testdata/old-run")))
	whole := func() bool {
		t.Helper()
		rec, err := Open(dir)
		must(t, err)
		return rec.Whole()
	}
	if !whole() {
		t.Error("a complete run is not whole")
	}
	result := filepath.Join(dir, ResultFile)
	text := read(t, result)
	for _, reason := range []string{"interrupted", "failed", ""} {
		write(t, result, strings.Replace(text, `"stop_reason":"steps"`, `"stop_reason":"`+reason+`"`, 1))
		if whole() {
			t.Errorf("ended by %q and whole", reason)
		}
	}
	must(t, os.Remove(result))
	if whole() {
		t.Error("whole without a result")
	}
	write(t, result, text)
	write(t, filepath.Join(dir, ModelFile), read(t, filepath.Join(dir, ModelFile))+"x")
	if whole() {
		t.Error("whole with other splats")
	}
}

func TestPrepare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	cfg := config.Default("adc")
	cfg.Train.Steps = 11
	must(t, Prepare(dir, cfg))
	p := reopen(t, dir)
	if p.Config == "" || p.Result != nil {
		t.Errorf("found %+v", p)
	}
	cfg.Train.Steps = 12
	must(t, Prepare(dir, cfg))
	if !strings.Contains(read(t, filepath.Join(dir, ConfigFile)), "steps = 11\n") {
		t.Error("a run that is there was changed")
	}
	other := t.TempDir()
	write(t, filepath.Join(other, ModelFile), "")
	if err := Prepare(other, cfg); fault.ExitCode(err) != 2 {
		t.Errorf("a folder with foreign splats: %v", err)
	}
}

func TestLockedFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sweep")
	release, err := Lock("sweep folder", dir)
	must(t, err)
	if _, err := Lock("sweep folder", dir); fault.ExitCode(err) != 2 || !strings.HasPrefix(err.Error(), "sweep folder "+dir+" is being written") {
		t.Errorf("locked twice: %v", err)
	}
	write(t, filepath.Join(dir, ConfigFile), "")
	if !Busy(dir) {
		t.Error("a locked run is not busy")
	}
	release()
	if Busy(dir) || Busy(filepath.Join(dir, "absent")) {
		t.Error("busy without anybody")
	}
	file := filepath.Join(dir, ConfigFile)
	if _, err := Lock("sweep folder", file); fault.ExitCode(err) != 2 {
		t.Errorf("a file: %v", err)
	}
}
