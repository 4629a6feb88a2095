package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splat/internal/config"
	"splat/internal/fault"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func create(t *testing.T, dir string, overwrite bool) *Run {
	t.Helper()
	r, err := Create(dir, overwrite, config.Default("mcmc"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// saved ignores the lock.
func saved(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name == lockFile })
}

func ply(path string) error { return os.WriteFile(path, []byte("ply\n"), 0o644) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRunFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "Dossiers triés", "例")
	cfg := config.Default("adc")
	cfg.Data.Path, cfg.Output.Dir, cfg.Output.Overwrite = "lego", dir, true
	cfg.Model.Antialiased = true
	r, err := Create(dir, false, cfg)
	must(t, err)
	r.now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	must(t, r.Log("before the start"))
	must(t, r.Metrics(map[string]int{"step": 100}))
	must(t, r.Metrics(map[string]int{"step": 200}))
	must(t, r.Eval(map[string]int{"views": 3}))
	must(t, r.Log("a warning"))
	sum, err := r.SaveModel(4, ply)
	must(t, err)
	want := Result{Steps: 200, PSNR: Score(31.5), Splats: 7, Model: ModelFile, SHA256: sum, StopReason: "steps"}
	must(t, r.SaveResult(want))
	must(t, r.Close())

	bytes := sha256.Sum256([]byte("ply\n"))
	if sum != hex.EncodeToString(bytes[:]) {
		t.Errorf("sha256: found %s", sum)
	}
	for name, text := range map[string]string{
		MetricsFile: "{\"step\":100}\n{\"step\":200}\n", EvalFile: "{\"views\":3}\n", ModelFile: "ply\n",
		LogFile: "03:04:05 a warning\n",
	} {
		if got := read(t, filepath.Join(dir, name)); !strings.HasSuffix(got, text) {
			t.Errorf("%s: found %q, expected %q at its end", name, got, text)
		}
	}
	if !strings.Contains(read(t, filepath.Join(dir, LogFile)), "before the start\n") {
		t.Error("log.txt lacks the line from before the start")
	}
	if diff := cmp.Diff([]string{ConfigFile, EvalFile, LogFile, MetricsFile, ResultFile, ModelFile}, names(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}

	rec, err := Open(dir)
	must(t, err)
	if diff := cmp.Diff(&want, rec.Result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if !rec.Config.Model.Antialiased || rec.Config.Strategy.Name != "adc" || rec.Model != filepath.Join(dir, ModelFile) {
		t.Errorf("record: %+v", rec)
	}
	if abs, _ := filepath.Abs("lego"); rec.Config.Data.Path != abs || rec.Config.Output != (config.Output{}) {
		t.Errorf("the stored configuration does not repeat the run from anywhere: path %q, output %+v", rec.Config.Data.Path, rec.Config.Output)
	}
}

func TestRefusesARun(t *testing.T) {
	for _, name := range []string{ConfigFile, ResultFile, ModelFile, MetricsFile, EvalFile} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, name), "old")
		_, err := Create(dir, false, config.Default("mcmc"))
		if fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), "--overwrite") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: found %v, expected a refusal with exit code 2", name, err)
		}
		if diff := cmp.Diff([]string{name}, names(t, dir)); diff != "" {
			t.Errorf("the refusal changed the folder:\n%s", diff)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, LogFile), "from a shell\n")
	write(t, filepath.Join(dir, "notes.txt"), "mine")
	r := create(t, dir, false)
	must(t, r.Log("hello"))
	must(t, r.Begin())
	if got := read(t, filepath.Join(dir, LogFile)); !strings.HasPrefix(got, "from a shell\n") {
		t.Errorf("log.txt was not kept: %q", got)
	}
	file := filepath.Join(dir, "notes.txt")
	if err := Check(file, true); fault.ExitCode(err) != 2 {
		t.Errorf("a file as run folder: found %v, expected exit code 2", err)
	}
}

// An older run stays whole until the new one makes its first step.
func TestOverwriteWaitsForTheStart(t *testing.T) {
	dir := t.TempDir()
	for _, name := range append(runFiles, "notes.txt", "checkpoint/x") {
		write(t, filepath.Join(dir, name), "old")
	}
	r := create(t, dir, true)
	must(t, r.Log("loading"))
	for _, name := range runFiles {
		if read(t, filepath.Join(dir, name)) != "old" {
			t.Fatalf("%s changed before the run began", name)
		}
	}
	must(t, r.Begin())
	if got := saved(names(t, dir)); cmp.Diff([]string{"checkpoint", ConfigFile, EvalFile, LogFile, MetricsFile, "notes.txt"}, got) != "" {
		t.Errorf("after the start: found %v", got)
	}
	if read(t, filepath.Join(dir, "notes.txt")) != "old" || strings.Contains(read(t, filepath.Join(dir, LogFile)), "old") {
		t.Error("either a foreign file was touched or the old log was kept")
	}
}

// Two processes cannot write one folder, nor can one that comes later take over
// what the first has left.
func TestFoldersAreTaken(t *testing.T) {
	dir := t.TempDir()
	a := create(t, dir, false)
	for _, overwrite := range []bool{false, true} {
		if _, err := Create(dir, overwrite, config.Default("mcmc")); fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), "another splat process") {
			t.Errorf("overwrite %v: found %v, expected exit code 2", overwrite, err)
		}
	}
	must(t, a.Begin())
	if _, err := Reopen(dir); fault.ExitCode(err) != 2 {
		t.Errorf("resumed while it runs: found %v, expected exit code 2", err)
	}
	must(t, a.Close())
	if got := names(t, dir); slices.Contains(got, lockFile) {
		t.Errorf("the lock was left behind: %v", got)
	}
	write(t, filepath.Join(dir, lockFile), "of a process that was killed")
	p, err := Reopen(dir)
	must(t, err)
	p.Close()
}

// A run that another one wrote meanwhile, as far as no lock hinders it, is kept.
func TestBeginChecksAgain(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir, false)
	write(t, filepath.Join(dir, ModelFile), "")
	if err := r.Begin(); fault.ExitCode(err) != 2 {
		t.Errorf("found %v, expected exit code 2", err)
	}
}

// A run that is killed before its first step can be begun by its configuration.
func TestKilledBeforeTheFirstStep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r := create(t, dir, false)
	r.lock.release() // as the system does
	p, err := Reopen(dir)
	must(t, err)
	defer p.Close()
	if p.Config == "" || p.Complete() || p.Result != nil {
		t.Errorf("found %+v", p)
	}
}

func TestUnstartedRunLeavesNothing(t *testing.T) {
	root := t.TempDir()
	r := create(t, filepath.Join(root, "a", "b"), false)
	must(t, r.Log("it went wrong"))
	must(t, r.Close())
	if got := names(t, root); got != nil {
		t.Errorf("left behind: %v", got)
	}
}

func TestSaveModelFails(t *testing.T) {
	r := create(t, t.TempDir(), false)
	broken := errors.New("disk full")
	if sum, err := r.SaveModel(7, func(string) error { return broken }); !errors.Is(err, broken) || sum != "" || !strings.Contains(err.Error(), ModelFile+": disk full (7 bytes needed)") {
		t.Errorf("found %q, %v, expected the writer's error", sum, err)
	}
	if sum, err := r.SaveModel(7, func(string) error { return nil }); err == nil {
		t.Errorf("no file was written, but its sum is %q", sum)
	}
}

func TestCreateNewIsUnique(t *testing.T) {
	t.Chdir(t.TempDir())
	day := time.Now().Format("2006-01-02")
	for i, want := range []string{day + "-a_b", day + "-a_b-2", day + "-a_b-3"} {
		r, err := CreateNew("a b", config.Default("mcmc"))
		must(t, err)
		if r.Dir() != filepath.Join("runs", want) {
			t.Errorf("run %d: found %s, expected %s", i, r.Dir(), want)
		}
		if !filepath.IsAbs(r.Path(ModelFile)) {
			t.Errorf("path %s is not absolute", r.Path(ModelFile))
		}
	}
}

func TestFolderName(t *testing.T) {
	for in, want := range map[string]string{
		"lego": "lego", "a/b\\c:d": "a_b_c_d", "..": "capture", "": "capture", "my scene": "my_scene", "画像": "画像", ".hidden": "hidden",
	} {
		if got := folderName(in); got != want {
			t.Errorf("folderName(%q) = %q, expected %q", in, got, want)
		}
	}
}

func TestOpenDamaged(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "nomodel", ConfigFile), "")
	write(t, filepath.Join(root, "badresult", ConfigFile), "")
	write(t, filepath.Join(root, "badresult", ModelFile), "ply")
	write(t, filepath.Join(root, "badresult", ResultFile), "{")
	write(t, filepath.Join(root, "badconfig", ConfigFile), "[train]\nstep = 1")
	for dir, code := range map[string]int{"absent": 3, "nomodel": 3, "badresult": 3, "badconfig": 2} {
		if _, err := Open(filepath.Join(root, dir)); fault.ExitCode(err) != code {
			t.Errorf("%s: found %v, expected exit code %d", dir, err, code)
		}
	}
	if Owner(filepath.Join(root, "badresult", ModelFile)) != filepath.Join(root, "badresult") ||
		Owner(filepath.Join(root, "badresult", "other.ply")) != "" || Owner(filepath.Join(root, ModelFile)) != "" {
		t.Error("Owner does not tell a run's model from other files")
	}
}

func TestScore(t *testing.T) {
	text, err := json.Marshal(Result{PSNR: Score(math.Inf(1)), SSIM: Score(math.NaN())})
	if err != nil || !strings.Contains(string(text), `"psnr":null,"ssim":null`) {
		t.Errorf("found %s, %v", text, err)
	}
}
