package cli

import (
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/lab"
)

// A capture that cannot be read has no fingerprint; the rest of the record is there.
func TestOriginOfAnUnreadableCapture(t *testing.T) {
	cfg := config.Default("mcmc")
	cfg.Backend.Device = "cpu"
	capture := &dataset.Capture{Path: "x", Name: "x", Views: []dataset.View{{Name: "a", Image: "nowhere.png"}}}
	o := originOf(cfg, capture, 7, time.Unix(0, 0))
	s := o.Sessions[0]
	if o.Capture.SHA256 != "" || s.From != 7 || s.Build.Go == "" || s.Build.Commit == "" || s.Device.Backend != "cpu" || s.Device.Path == "" || s.Device.Threads < 1 {
		t.Errorf("found %+v", o)
	}
}

// fingerprints: fingerprints same|other RUN RUN compares what two runs were trained on.
func compareFingerprints(ts *testscript.TestScript, _ bool, args []string) {
	var sums []string
	for _, dir := range args[1:] {
		o, err := lab.ReadOrigin(ts.MkAbs(dir))
		ts.Check(err)
		sums = append(sums, o.Capture.SHA256)
	}
	if same := sums[0] == sums[1]; same != (args[0] == "same") || sums[0] == "" {
		ts.Fatalf("fingerprints %s and %s, expected %s", sums[0], sums[1], args[0])
	}
}
