package house

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dependencies is the modules that the program is built from, on any of the
// platforms it is released for. UPDATE_SNAPSHOTS=1 rewrites it; a change shows in
// the review.
const dependencies = "testdata/dependencies.txt"

func TestDependencies(t *testing.T) {
	var modules []string
	for _, platform := range []string{"linux/amd64", "darwin/arm64", "windows/amd64"} {
		modules = append(modules, modulesOf(t, platform)...)
	}
	slices.Sort(modules)
	got := strings.Join(slices.Compact(modules), "\n") + "\n"
	if os.Getenv("UPDATE_SNAPSHOTS") != "" {
		if err := os.WriteFile(dependencies, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(dependencies)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the program's dependencies changed; if that is meant, run UPDATE_SNAPSHOTS=1 go test ./internal/house (-committed +found):\n%s", diff)
	}
}

func modulesOf(t *testing.T, platform string) []string {
	goos, goarch, _ := strings.Cut(platform, "/")
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/splat")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", platform, err, stderr.String())
	}
	return strings.Fields(strings.ReplaceAll(string(out), " ", "@"))
}
