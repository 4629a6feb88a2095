package train

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/kernel"
)

func mustPlan(t *testing.T, c config.Run, capture *dataset.Capture) MemoryPlan {
	t.Helper()
	m, err := Memory(c, capture)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A training says at its start what was planned for it, for every way to begin.
func TestMemoryIsWhatTrainingSays(t *testing.T) {
	random := smallCapture(t)
	withPoints := *random
	withPoints.Points = &dataset.Points{XYZ: spiral(9000)}
	few := smallConfig("adc", 1)
	few.Model.MaxSplats = 9500
	limited := smallConfig("mcmc", 1)
	limited.Eval.LimitTest = 1
	skipped := smallConfig("mcmc", 1)
	skipped.Eval.Skip = true
	for name, c := range map[string]struct {
		cfg     config.Run
		capture *dataset.Capture
	}{
		"random splats": {smallConfig("mcmc", 1), random},
		"points":        {few, &withPoints},
		"one test view": {limited, random},
		"no evaluation": {skipped, random},
	} {
		_, rec := mustRun(t, c.cfg, c.capture)
		want := estimateIn(t, rec.notes)
		if got := mustPlan(t, c.cfg, c.capture).String(); got != want {
			t.Errorf("%s: planned %q, said %q", name, got, want)
		}
	}
}

func estimateIn(t *testing.T, notes []string) string {
	t.Helper()
	for _, n := range notes {
		if strings.HasPrefix(n, "estimated memory: ") {
			return n
		}
	}
	t.Fatalf("no estimate among %q", notes)
	return ""
}

// spiral is n points around the origin; every tenth is not finite.
func spiral(n int) []float32 {
	var xyz []float32
	for i := range n {
		v := float32(i) / float32(n)
		if i%10 == 0 {
			xyz = append(xyz, v, float32(math.Inf(1)), v)
			continue
		}
		xyz = append(xyz, v-0.5, float32(i%97)/97-0.5, float32(i%89)/89-0.5)
	}
	return xyz
}

func TestMemoryFollowsTheFlags(t *testing.T) {
	capture := smallCapture(t)
	base := smallConfig("mcmc", 1)
	before := mustPlan(t, base, capture)
	for name, c := range map[string]struct {
		change func(*config.Run)
		grown  func(MemoryPlan) bool
	}{
		"max_splats": {func(c *config.Run) { c.Model.MaxSplats *= 3 }, func(m MemoryPlan) bool { return m.Splats.Bytes == 3*before.Splats.Bytes }},
		"init_splats": {func(c *config.Run) { c.Model.MaxSplats, c.Model.InitSplats = 20000, 20000 },
			func(m MemoryPlan) bool { return m.StartSplats == 20000 && m.Pairs.Count == 40000 }},
		"sh_degree":   {func(c *config.Run) { c.Model.SHDegree = 3 }, func(m MemoryPlan) bool { return m.Splats.Each == 808 }},
		"limit_test":  {func(c *config.Run) { c.Eval.LimitTest = 1 }, func(m MemoryPlan) bool { return 3*m.TestPixels.Count == before.TestPixels.Count }},
		"skip":        {func(c *config.Run) { c.Eval.Skip = true }, func(m MemoryPlan) bool { return m.TestPixels.Bytes == 0 && m.Pictures == 10 }},
		"ssim_window": {func(c *config.Run) { c.Loss.SSIMWindow = 33 }, func(m MemoryPlan) bool { return m.Total == before.Total+4*22 }},
	} {
		cfg := base
		c.change(&cfg)
		if m := mustPlan(t, cfg, capture); !c.grown(m) {
			t.Errorf("%s: before %v\nafter %v, splats %+v", name, before, m, m.Splats)
		}
	}
}

func TestMemoryAddsUp(t *testing.T) {
	m := mustPlan(t, smallConfig("adc", 1), smallCapture(t))
	sum := m.Other
	for _, p := range []MemoryPart{m.Splats, m.Pairs, m.SortKeys, m.ViewPixels, m.ViewTiles, m.TargetPixels, m.TestPixels} {
		if p.Count == 0 || p.Bytes == 0 || p.Each != float64(p.Bytes)/float64(p.Count) {
			t.Errorf("part %+v", p)
		}
		sum += p.Bytes
	}
	if sum != m.Total {
		t.Errorf("the parts add up to %d, the total is %d", sum, m.Total)
	}
	if tiles := int64(kernel.Blocks(40, kernel.TileSize) * kernel.Blocks(40, kernel.TileSize)); m.ViewTiles.Count != tiles || m.TargetPixels.Count != 10*1600 || m.Loading != 10*1600*4 {
		t.Errorf("%d tiles, expected %d; targets %+v, loading %d", m.ViewTiles.Count, tiles, m.TargetPixels, m.Loading)
	}
}

// Planning needs the sizes of the pictures, not the pictures.
func TestMemoryDecodesNothing(t *testing.T) {
	capture := smallCapture(t)
	for _, v := range capture.Views {
		if err := os.WriteFile(v.Image, []byte("no picture"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mustPlan(t, smallConfig("mcmc", 1), capture)
	if _, err := Run(context.Background(), Options{Config: smallConfig("mcmc", 1), Capture: capture, Observer: &recorder{}}); err == nil {
		t.Error("the training read pictures that are none")
	}
}

func TestMemoryRefusesWhatTrainingRefuses(t *testing.T) {
	capture := smallCapture(t)
	noTrain, noPoints := *capture, *capture
	noTrain.Views = capture.TestViews()
	noPoints.Points = &dataset.Points{XYZ: []float32{0, float32(math.Inf(1)), 0}}
	missing := smallConfig("mcmc", 1)
	missing.Model.Init = filepath.Join(t.TempDir(), "gone.ply")
	huge := *capture
	huge.Views = append([]dataset.View{}, capture.Views...)
	for i := range huge.Views {
		huge.Views[i].Camera.Width, huge.Views[i].Camera.Height = 60000, 60000
	}
	for name, c := range map[string]struct {
		cfg     config.Run
		capture *dataset.Capture
		want    string
		code    int
	}{
		"no training views": {smallConfig("mcmc", 1), &noTrain, "no views to train on", 3},
		"no finite point":   {smallConfig("mcmc", 1), &noPoints, "no splats to start from", 3},
		"no such file":      {missing, capture, "gone.ply", 3},
		"too many pixels":   {smallConfig("mcmc", 1), &huge, "at most 4294967295 fit", 2},
	} {
		_, err := Memory(c.cfg, c.capture)
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.ExitCode(err) != c.code {
			t.Errorf("%s: %v, exit code %d", name, err, fault.ExitCode(err))
		}
	}
}
