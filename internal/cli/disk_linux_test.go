package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"splat/internal/checkpoint"
	"splat/internal/lab"
)

// smallDisk mounts a file system in memory that only this test and the programs it
// starts can see. It skips where that is not allowed.
func smallDisk(t *testing.T) (dir string, resize func(kilobytes int)) {
	t.Helper()
	dir = t.TempDir()
	runtime.LockOSThread() // for good: the thread ends with the test, and its mounts with it
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		t.Skipf("needs root, for a small file system of its own: %v", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skipf("cannot keep mounts to itself: %v", err)
	}
	if err := unix.Mount("splat-test", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("cannot mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir, func(kilobytes int) {
		if err := unix.Mount("splat-test", dir, "tmpfs", unix.MS_REMOUNT, fmt.Sprintf("size=%dk", kilobytes)); err != nil {
			t.Fatalf("resize: %v", err)
		}
	}
}

// TestFullDisk trains on disks that are too small by more or less, so that each
// time another file does not fit. The error must name it; after making room the
// run must end as on a large disk.
func TestFullDisk(t *testing.T) {
	capture := tinyCapture(t)
	args := []string{
		"train", capture, "--steps", "60", "--log-every", "1", "--eval-every", "20", "--save-every", "17", "--sh-degree", "0",
		"--max-splats", "60", "--set", "model.init_splats=50", "--set", "strategy.refine_every=10",
	}
	whole := filepath.Join(t.TempDir(), "whole")
	mustSplat(t, append(args, "--out", whole)...)
	disk, resize := smallDisk(t)
	failed := map[string]bool{}
	for size := 4; size <= 96; size += 8 {
		resize(size)
		run := filepath.Join(disk, fmt.Sprint("run", size))
		cmd, out := program(append(args, "--out", run)...)
		if cmd.Run() == nil {
			break // it fits
		}
		failed[checkFull(t, run, cmd.ProcessState.ExitCode(), out.String())] = true
		resize(1024)
		mustSplat(t, howToGoOn(t, out.String(), args, run)...)
		if sumOf(t, run) != sumOf(t, whole) {
			t.Errorf("%d kB: the run ends with other splats after\n%s", size, out)
		}
		sameRecord(t, run, whole)
		if err := os.RemoveAll(run); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("did not fit: %v", failed)
	if len(failed) < 3 || !failed["checkpoint"] {
		t.Errorf("only these files ever failed: %v", failed)
	}
}

// checkFull checks the message and what is left after a run on a full disk. It
// returns the file that did not fit.
func checkFull(t *testing.T, run string, code int, out string) (file string) {
	t.Helper()
	_, line, _ := strings.Cut(out, "splat: ")
	line, _, _ = strings.Cut(line, "\n")
	path, reason, _ := strings.Cut(line, ": ")
	if code != 1 || !strings.HasPrefix(path, run) || !strings.HasPrefix(reason, "no space left on device") || !strings.Contains(line, "make room, then ") {
		t.Errorf("exit code %d, expected 1 and a line that names a file in %s and a way out:\n%s", code, run, out)
	}
	if !strings.HasSuffix(path, ".txt") && !strings.Contains(reason, " bytes needed)") {
		t.Errorf("how many bytes are needed is not said: %s", line)
	}
	if text, err := os.ReadFile(filepath.Join(run, lab.MetricsFile)); err == nil && len(text) > 0 {
		if rows := strings.Count(untimed(t, filepath.Join(run, lab.MetricsFile)), "\n"); !strings.HasPrefix(string(text), `{"step":1,`) || !strings.Contains(string(text), fmt.Sprintf(`{"step":%d,`, rows)) {
			t.Errorf("metrics have %d rows, with gaps:\n%s", rows, text)
		}
	}
	_ = filepath.WalkDir(run, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.Contains(path, ".tmp-") {
			t.Errorf("%s was left behind", path)
		}
		if strings.HasSuffix(path, ".ckpt") {
			f, err := checkpoint.Open(path)
			if err != nil {
				t.Errorf("damaged: %v", err)
			} else {
				f.Close()
			}
		}
		return nil
	})
	file, _ = filepath.Rel(run, path)
	if dir, _ := filepath.Split(file); dir != "" {
		return filepath.Clean(dir)
	}
	return file
}

// howToGoOn returns the arguments of the command that the message gives, or of a
// new begin.
func howToGoOn(t *testing.T, out string, args []string, run string) []string {
	t.Helper()
	if _, command, ok := strings.Cut(out, "\n  splat "); ok {
		return strings.Fields(command)
	}
	if !strings.Contains(out, "begin again") {
		t.Errorf("nothing is said about how to go on:\n%s", out)
	}
	return append(args, "--out", run)
}
