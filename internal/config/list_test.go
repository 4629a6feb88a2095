package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/fault"
)

func listFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadList(t *testing.T) {
	path := listFile(t, `
[[run]]
name = "soft"
strategy.name = "adc"
loss.ssim_lambda = 0.1
[[run]]
backend.variants = {emit = "subgroup"}
"optim.lr_sh0" = 1
[run.train]
steps = 1_000
`)
	list, err := ReadList(path)
	if err != nil {
		t.Fatal(err)
	}
	at := func(n string) string { return path + ": run " + n }
	want := []Entry{
		{"soft", []Setting{{"loss.ssim_lambda", 0.1, at("1 (soft)")}, {"strategy.name", "adc", at("1 (soft)")}}},
		{"", []Setting{{"train.steps", int64(1000), at("2")}, {"optim.lr_sh0", int64(1), at("2")}, {"backend.variants.emit", "subgroup", at("2")}}},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
	var texts []string
	for _, s := range list[1].Settings {
		texts = append(texts, s.Text())
	}
	if diff := cmp.Diff([]string{"1000", "1.0", `"subgroup"`}, texts); diff != "" {
		t.Errorf("values: %s", diff)
	}
}

func TestListsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "found no run, expected [[run]]",
		"[[run]]":                          "run 1: found no keys",
		"[[run]]\nname = 3":                "run 1: name: found 3, expected text in quotes",
		"[[run]]\nname = \"\"":             "run 1: name: found \"\", expected text",
		"[run]\nx = 3":                     "found no run",
		"run = [1]":                        "run 1: found 1, expected a table",
		"[train]\nsteps = 3":               "found \"train\", expected [[run]]",
		"[[run]\n":                         "not valid TOML",
		"[[run]]\ntrain.stepz = 3":         "run 1: unknown key \"train.stepz\"; did you mean train.steps?",
		"[[run]]\nname=\"a\"\ntrain = 3":   "run 1 (a): unknown key \"train\"",
		"[[run]]\nlos.ssim_lambda = 0.2\n": "run 1: unknown key \"los\"",
	} {
		path := listFile(t, text)
		_, err := ReadList(path)
		if fault.ExitCode(err) != 2 || !strings.HasPrefix(err.Error(), path+":") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v, expected %s", text, err, want)
		}
	}
	if _, err := ReadList("absent.toml"); fault.ExitCode(err) != 2 {
		t.Errorf("an absent file: %v", err)
	}
}
