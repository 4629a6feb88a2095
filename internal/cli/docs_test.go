package cli

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

func TestReferenceIsCurrent(t *testing.T) {
	var want bytes.Buffer
	if err := WriteReference(&want); err != nil {
		t.Fatal(err)
	}
	const file = "../../docs/cli.md"
	if os.Getenv("UPDATE_SNAPSHOTS") != "" {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("docs/cli.md is out of date, run go generate ./internal/cli (-want +got):\n%s", diff)
	}
}

// Every command must be findable and explain itself.
func TestCommandsAreDescribed(t *testing.T) {
	root := newApp(nil, &bytes.Buffer{}, &bytes.Buffer{}).rootCommand()
	for _, c := range documented(root) {
		if c.Short == "" || c.Long == "" || c.Example == "" || c.RunE == nil {
			t.Errorf("%s: expected a summary, a description, an example and an action", c.Name())
		}
	}
	checkGroups(t, root)
}

// A flag without a group would end up under a meaningless title.
func checkGroups(t *testing.T, root *cobra.Command) {
	for _, c := range documented(root) {
		for _, g := range flagGroups(c) {
			if g.title == "" || len(g.flags) == 0 {
				t.Errorf("%s: a group of flags without title or flags: %+v", c.Name(), g)
			}
		}
		if groups := flagGroups(c); groups[len(groups)-1].title != groupCommon {
			t.Errorf("%s: the common flags are not the last group", c.Name())
		}
	}
}
