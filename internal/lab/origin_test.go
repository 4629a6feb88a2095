package lab

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/geom"
)

// A folder that a splat without run records wrote stays a run.
func TestOldRunFoldersStayReadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "old")
	must(t, os.CopyFS(dir, os.DirFS("testdata/old-run")))
	rec, err := Open(dir)
	must(t, err)
	if rec.Config.Model.MaxSplats != 12 || rec.Config.Strategy.Name != "mcmc" {
		t.Errorf("config: %+v", rec.Config.Model)
	}
	r := rec.Result
	if r == nil || r.Steps != 20 || r.PSNR == nil || *r.PSNR != 10.82229567106268 || r.StopReason != "steps" {
		t.Fatalf("result: %+v", r)
	}
	if sum, err := fileSum(rec.Model); err != nil || sum != r.SHA256 {
		t.Errorf("sha256 of the splats: %s, %v, expected %s", sum, err, r.SHA256)
	}
	if o, err := rec.Origin(); o != nil || err != nil {
		t.Errorf("origin: %v, %v, expected none", o, err)
	}
	p := reopen(t, dir)
	if !p.Complete() {
		t.Error("the old run is not complete")
	}
}

func session(from int, commit string) Origin {
	return Origin{
		Capture:  Capture{Path: "/data/x", Format: "blender", Fingerprint: Fingerprint{Name: "x", Views: 3, SHA256: "ab"}},
		Sessions: []Session{{From: from, Build: Build{Commit: commit, Go: "go1"}, Device: Device{Backend: "cpu", Driver: "d"}}},
	}
}

func TestOriginIsKeptWithTheRun(t *testing.T) {
	dir := t.TempDir()
	cfg := config.Default("adc")
	cfg.Train.Seed = 7
	r, err := Create(dir, false, cfg)
	must(t, err)
	r.Describe(session(0, "first"))
	if _, err := os.Stat(filepath.Join(dir, OriginFile)); err == nil {
		t.Error("written before the run began")
	}
	must(t, r.SaveCheckpoint(state(10)))
	must(t, r.Close())
	o, err := ReadOrigin(dir)
	must(t, err)
	want := session(0, "first")
	want.Version, want.Seed, want.Config = 1, 7, config.Values(portable(cfg))
	if diff := cmp.Diff(&want, o); diff != "" {
		t.Errorf("-expected +found:\n%s", diff)
	}
	var raw map[string]any
	must(t, json.Unmarshal([]byte(read(t, filepath.Join(dir, OriginFile))), &raw))
	if raw["record"] != 1.0 || raw["config"].(map[string]any)["strategy.name"] != `"adc"` || raw["capture"].(map[string]any)["fingerprint"] != "ab" {
		t.Errorf("found %v", raw)
	}

	// A session that goes on is added.
	p := reopen(t, dir)
	f, _, err := p.Newest()
	must(t, err)
	defer f.Close()
	r, err = p.Continue(cfg, f)
	must(t, err)
	r.Describe(session(10, "second"))
	must(t, r.Begin())
	must(t, r.Close())
	o, err = ReadOrigin(dir)
	must(t, err)
	if len(o.Sessions) != 2 || o.Sessions[0].Build.Commit != "first" || o.Sessions[1].From != 10 {
		t.Errorf("sessions: %+v", o.Sessions)
	}

	// A run that replaces this one takes nothing over.
	r = create(t, dir, true)
	r.Describe(session(0, "third"))
	must(t, r.Begin())
	if o, err = ReadOrigin(dir); err != nil || len(o.Sessions) != 1 {
		t.Errorf("after --overwrite: %+v, %v", o, err)
	}
}

func TestOriginsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                         "not JSON, expected the origin of a run: ",
		`{}`:                        `found no record, expected "record": 1`,
		`{"record":2,"sessions":5}`: "record: found 2, expected 1: written by another version of splat",
		`{"record":"1"}`:            "not JSON, expected the origin of a run: ",
		`{"record":1,"seed":"x"}`:   "seed: found text, expected a whole number",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, OriginFile), text)
		_, err := ReadOrigin(dir)
		if fault.ExitCode(err) != 3 || !strings.HasPrefix(err.Error(), filepath.Join(dir, OriginFile)+": "+want) {
			t.Errorf("%s: found %v, expected %s", text, err, want)
		}
	}
}

// A record that cannot be read does not keep a run from going on.
func TestGoingOnWithADamagedOrigin(t *testing.T) {
	dir := stopped(t)
	write(t, filepath.Join(dir, OriginFile), "{")
	r, err := reopen(t, dir).Continue(config.Default("mcmc"), nil)
	must(t, err)
	r.Describe(session(0, "new"))
	must(t, r.Begin())
	must(t, r.Close())
	if o, err := ReadOrigin(dir); err != nil || len(o.Sessions) != 1 {
		t.Errorf("found %+v, %v", o, err)
	}
	if !strings.Contains(read(t, filepath.Join(dir, LogFile)), "the sessions before this one are lost") {
		t.Error("the log does not tell")
	}
}

// pictured is a capture of one view, whose picture is the text.
func pictured(t *testing.T, text string) *dataset.Capture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.png")
	write(t, path, text)
	return &dataset.Capture{
		Name:   "x",
		Views:  []dataset.View{{Name: "a", Image: path, Camera: geom.Camera{Width: 2, Height: 2, Fx: 1, Fy: 1}}},
		Points: &dataset.Points{XYZ: []float32{1, 2, 3}, RGB: []uint8{1, 2, 3}},
	}
}

func TestFingerprint(t *testing.T) {
	of := func(c *dataset.Capture) string {
		t.Helper()
		f, err := FingerprintOf(c)
		must(t, err)
		return f.SHA256
	}
	long := strings.Repeat("x", 300<<10)
	same := of(pictured(t, "abc"))
	if len(same) != 64 || same != of(pictured(t, "abc")) {
		t.Errorf("the same capture elsewhere has another fingerprint: %s", same)
	}
	if of(pictured(t, long)) != of(pictured(t, long)) {
		t.Error("a long file has no fixed fingerprint")
	}
	changes := map[string]func(c *dataset.Capture){
		"name":   func(c *dataset.Capture) { c.Views[0].Name = "b" },
		"camera": func(c *dataset.Capture) { c.Views[0].Camera.Fx = 1.0000000001 },
		"pose":   func(c *dataset.Capture) { c.Views[0].Pose.T[1] = 1e-9 },
		"point":  func(c *dataset.Capture) { c.Points.XYZ[2] = 4 },
		"colour": func(c *dataset.Capture) { c.Points.RGB[0] = 9 },
		"view":   func(c *dataset.Capture) { c.Views = append(c.Views, c.Views[0]) },
		"pixels": func(c *dataset.Capture) { write(t, c.Views[0].Image, "abd") },
		"size":   func(c *dataset.Capture) { write(t, c.Views[0].Image, "abca") },
	}
	for what, change := range changes {
		c := pictured(t, "abc")
		change(c)
		if of(c) == same {
			t.Errorf("another %s, the same fingerprint", what)
		}
	}
	whole := of(pictured(t, long))
	for _, at := range []int{0, len(long) / 2, len(long) - 1} {
		if of(pictured(t, long[:at]+"y"+long[at+1:])) == whole {
			t.Errorf("byte %d of a long file does not count", at)
		}
	}
	c := pictured(t, "abc")
	must(t, os.Remove(c.Views[0].Image))
	if _, err := FingerprintOf(c); fault.ExitCode(err) != 3 || !strings.HasPrefix(err.Error(), c.Views[0].Image) {
		t.Errorf("a missing picture: %v", err)
	}
	c.Views, c.Points = nil, nil
	of(c)
}
