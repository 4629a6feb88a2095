package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	r := Default("mcmc")
	old := Values(r)
	if len(old) != len(Fields()) {
		t.Errorf("%d values of %d keys", len(old), len(Fields()))
	}
	if d := Compare(old, r); d != nil {
		t.Errorf("the same configuration differs: %v", d)
	}
	r.Data.Path, r.Optim.LRSH0, r.Train.TimeLimit = "x\ty", 1, 90*time.Second
	delete(old, "optim.lr_sh0")
	want := []Change{{"data.path", `""`, `"x\ty"`}, {"train.time_limit", `"0s"`, `"1m30s"`}}
	if d := cmp.Diff(want, Compare(old, r)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := want[1].String(); got != `train.time_limit "0s" -> "1m30s"` {
		t.Errorf("found %q", got)
	}
}
