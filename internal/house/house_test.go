package house

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// repository loads the repository that this package lies in.
func repository(t *testing.T) *Tree {
	t.Helper()
	tree, err := Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Packages) < 20 || !tree.isOwn("internal/house") || tree.Module != "splat" {
		t.Fatalf("found %d packages of module %q: this is not the repository", len(tree.Packages), tree.Module)
	}
	return tree
}

// plant makes a tree of files; go.mod is added.
func plant(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	fsys := fstest.MapFS{"go.mod": {Data: []byte("module splat\n\ngo 1.26.0\n")}}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tree, err := Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// none fails for every complaint.
func none(t *testing.T, list complaints, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		t.Error(c)
	}
}

// some fails unless there is exactly one complaint for each of want, which holds
// that text.
func some(t *testing.T, list complaints, err error, want ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !slices.ContainsFunc(list, func(c string) bool { return strings.Contains(c, w) }) {
			t.Errorf("no complaint about %q", w)
		}
	}
	if len(list) != len(want) {
		t.Errorf("found %d complaints, expected %d:\n%s", len(list), len(want), strings.Join(list, "\n"))
	}
}

func TestLoadSkipsWhatIsIgnored(t *testing.T) {
	tree := plant(t, map[string]string{
		".gitignore":               "/runs/\n/splat\n*.test\n",
		"runs/a.go":                "broken",
		"splat":                    "binary",
		"internal/a/a.test":        "binary",
		"internal/a/a.go":          "package a",
		"internal/a/a_test.go":     "package a_test",
		"internal/a/testdata/x.go": "broken",
		"internal/a/splat":         "kept: the rule is anchored",
		"tools/go.mod":             "module tools",
		"tools/t.go":               "package main",
		".ci/run":                  "kept",
	})
	want := []string{".ci/run", ".gitignore", "go.mod", "internal/a/a.go", "internal/a/a_test.go", "internal/a/splat",
		"internal/a/testdata/x.go", "tools/go.mod", "tools/t.go"}
	if !slices.Equal(tree.Files, want) {
		t.Errorf("files %q, expected %q", tree.Files, want)
	}
	if len(tree.Packages) != 1 || len(tree.Packages[0].Source) != 1 || len(tree.Packages[0].Tests) != 1 {
		t.Errorf("packages %+v, expected internal/a with a source and a test", tree.Packages)
	}
}
