package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"splat/internal/config"
	"splat/internal/fault"
)

// What is in the way of a run's files is refused before anything is made, for new
// runs, for those that replace another, and for those that go on.
func TestThingsInTheWay(t *testing.T) {
	for _, name := range []string{LogFile, MetricsFile, EvalFile, ModelFile, ResultFile, ConfigFile, lockFile, CheckpointDir} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		want := path + ": found a folder, expected a file or nothing"
		if name == CheckpointDir {
			write(t, path, "")
			want = path + ": found a file, expected a folder or nothing"
		} else {
			must(t, os.Mkdir(path, 0o755))
		}
		for _, overwrite := range []bool{false, true} {
			_, err := Create(dir, overwrite, config.Default("mcmc"))
			if fault.ExitCode(err) != 2 || err.Error() != want {
				t.Errorf("%s: found %v, expected %s", name, err, want)
			}
		}
		if found := names(t, dir); len(found) != 1 {
			t.Errorf("%s: left behind: %v", name, found)
		}
		if name == ConfigFile {
			continue // then it is no run folder
		}
		write(t, filepath.Join(dir, ConfigFile), "")
		if _, err := Reopen(dir); fault.ExitCode(err) != 2 || err.Error() != want {
			t.Errorf("%s, to go on: found %v, expected %s", name, err, want)
		}
	}
}

func TestFoldersThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	write(t, file, "")
	deep := filepath.Join(file, "deep", "er")
	cases := map[string]string{
		file: "run folder " + file + ": found a file, expected a folder or nothing",
		deep: "run folder " + deep + ": found a file at " + file + ", expected a folder or nothing",
	}
	if os.Symlink(filepath.Join(dir, "nothing"), link) == nil {
		cases[link] = "run folder " + link + ": found a link that leads nowhere, expected a folder or nothing"
	}
	for path, want := range cases {
		for _, overwrite := range []bool{false, true} {
			if _, err := Create(path, overwrite, config.Default("mcmc")); fault.ExitCode(err) != 2 || err.Error() != want {
				t.Errorf("found %v, expected %s", err, want)
			}
		}
		if _, err := Reopen(path); fault.ExitCode(err) != 2 {
			t.Errorf("%s, to go on: %v", path, err)
		}
	}
}

// Runs without a name go below runs; what is there instead is named.
func TestRunsIsAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, newRuns, "")
	_, err := CreateNew("lego", config.Default("mcmc"))
	if fault.ExitCode(err) != 2 || err.Error() != "run folder runs: found a file, expected a folder or nothing" {
		t.Errorf("found %v", err)
	}
}

// A result that is none says which key, what was found and what was expected, in
// the words of JSON and not of the program.
func TestResultsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		`{"steps":"ten"}`:         "steps: found text, expected a whole number",
		`{"steps":1.5}`:           "steps: found 1.5, expected a whole number",
		`{"steps":[1]}`:           "steps: found a list, expected a whole number",
		`{"peak_bytes":-1}`:       "peak_bytes: found -1, expected a whole number, 0 or more",
		`{"psnr":true}`:           "psnr: found true or false, expected a number",
		`{"train_seconds":1e999}`: "train_seconds: found 1e999, expected a number",
		`{"stop_reason":5}`:       "stop_reason: found a number, expected text",
		`{"sha256":{}}`:           "sha256: found an object, expected text",
		`[]`:                      "found a list, expected an object, the result of a run",
		`null`:                    "found null, expected an object, the result of a run",
		`{`:                       "not JSON, expected the result of a run: ",
	} {
		_, err := parseResult("r/result.json", []byte(text))
		if fault.ExitCode(err) != 3 || !strings.HasPrefix(err.Error(), "r/result.json: "+want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: found %v, expected %s", text, err, want)
		}
	}
	if r, err := parseResult("r", []byte(`{"steps":3,"psnr":null,"later":1}`)); err != nil || r.Steps != 3 {
		t.Errorf("found %v, %v", r, err)
	}
}
