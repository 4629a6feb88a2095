package train

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splat/internal/checkpoint"
	"splat/internal/config"
	"splat/internal/fault"
)

func TestFit(t *testing.T) {
	base := config.Default("mcmc")
	h := checkpoint.Header{Step: 1200, Splats: 5000, Config: config.Values(base)}
	for name, c := range map[string]struct {
		set     func(*config.Run)
		said    string // the changes
		refused string // part of the error
	}{
		"nothing": {func(*config.Run) {}, "", ""},
		"what is told and where it runs": {func(c *config.Run) {
			c.Train.StopStep, c.Train.TimeLimit, c.Train.LogEvery, c.Train.SaveEvery = 2000, time.Hour, 7, 50
			c.Eval = config.Eval{Every: 5, LimitTest: 3, Skip: true}
			c.Backend = config.Backend{Device: "cpu", Threads: 3, Profile: true}
			c.Output.Dir, c.Data.Path = "elsewhere", "moved"
		}, "", ""},
		"what changes the result": {func(c *config.Run) {
			c.Train.Steps, c.Train.Seed, c.Optim.LRSH0, c.Model.MaxSplats = 40000, 7, 0.005, 5000
		}, "model.max_splats 1000000 -> 5000, train.steps 30000 -> 40000, train.seed 42 -> 7, optim.lr_sh0 0.0025 -> 0.005", ""},
		"sh degree":   {func(c *config.Run) { c.Model.SHDegree = 2 }, "", "model.sh_degree 3 -> 2 (decided"},
		"strategy":    {func(c *config.Run) { c.Strategy.Name = "adc" }, "", `strategy.name "mcmc" -> "adc"`},
		"data":        {func(c *config.Run) { c.Data.Downscale = 2 }, "", "data.downscale 1 -> 2"},
		"antialiased": {func(c *config.Run) { c.Model.Antialiased = true }, "", "model.antialiased false -> true"},
		"init":        {func(c *config.Run) { c.Model.Init = "a.ply" }, "", string(filepath.Separator) + `a.ply" (decided`},
		"two":         {func(c *config.Run) { c.Data.Alpha, c.Data.TestEvery = "mask", 4 }, "", `data.test_every 8 -> 4 (decided when the run began), data.alpha "auto" -> "mask"`},
		"too few":     {func(c *config.Run) { c.Model.MaxSplats = 4999 }, "", "model.max_splats 1000000 -> 4999 (below 5000)"},
		"too short":   {func(c *config.Run) { c.Train.Steps = 1199 }, "", "train.steps 30000 -> 1199 (below 1200)"},
		"passed":      {func(c *config.Run) { c.Train.StopStep = 1000 }, "", "train.stop_step 0 -> 1000 (below 1200)"},
	} {
		cfg := base
		c.set(&cfg)
		changes, err := Fit(&h, cfg)
		if c.refused != "" {
			if fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: found %v, expected a refusal with %q", name, err, c.refused)
			}
			continue
		}
		if got := changesText(changes); err != nil || got != c.said {
			t.Errorf("%s: found %q, %v, expected %q", name, got, err, c.said)
		}
	}
}

// Every key of the two lists exists, so that a renamed one is noticed.
func TestFitKnowsItsKeys(t *testing.T) {
	for _, key := range append(free, bound...) {
		known := false
		for _, f := range config.Fields() {
			known = known || listed([]string{key}, f.Name())
		}
		if !known {
			t.Errorf("%s is no key", key)
		}
	}
}

func TestCaptureDifferences(t *testing.T) {
	capture := smallCapture(t)
	old := identify(capture).Views
	if d := captureDifferences(old, identify(smallCapture(t)).Views); d != nil {
		t.Errorf("the same capture in another folder differs: %v", d)
	}
	for want, change := range map[string]func([]checkpoint.View) []checkpoint.View{
		`view "test/r_1": missing`:                                           func(v []checkpoint.View) []checkpoint.View { return append(v[:1:1], v[2:]...) },
		`view "extra": not there before`:                                     func(v []checkpoint.View) []checkpoint.View { return append(v, checkpoint.View{Name: "extra"}) },
		`view "test/r_0": 80 x 40 pixels found, 40 x 40 expected`:            func(v []checkpoint.View) []checkpoint.View { v[0].Width = 80; return v },
		`view "test/r_0": in the training split, expected in the test split`: func(v []checkpoint.View) []checkpoint.View { v[0].Test = false; return v },
		`view "test/r_0": another camera or pose`:                            func(v []checkpoint.View) []checkpoint.View { v[0].Camera = "x"; return v },
	} {
		got := captureDifferences(old, change(append([]checkpoint.View(nil), old...)))
		if d := cmp.Diff([]string{want}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	moved := *capture
	moved.Views = append(moved.Views[:0:0], capture.Views...)
	moved.Views[3].Pose.T[1] += 1e-12
	if got := captureDifferences(old, identify(&moved).Views); len(got) != 1 || !strings.Contains(got[0], "pose") {
		t.Errorf("a pose moved by 1e-12: %v", got)
	}
	one, two := []checkpoint.View{{Pixels: "a"}}, []checkpoint.View{{Pixels: "b"}}
	if got := captureDifferences(one, two); len(got) != 1 || !strings.Contains(got[0], "another picture") {
		t.Errorf("another picture: %v", got)
	}
	if got := captureDifferences(one, []checkpoint.View{{}}); got != nil {
		t.Errorf("a picture that nobody looked at: %v", got)
	}
}
