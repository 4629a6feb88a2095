package train

import (
	"context"
	"testing"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/demo"
)

// recorder is an Observer that keeps everything.
type recorder struct {
	notes       []string
	progress    []Progress
	metrics     []Metrics
	evaluations []Evaluation
	onProgress  func(Progress)
}

func (r *recorder) Note(line string)       { r.notes = append(r.notes, line) }
func (*recorder) Loading(int, int)         {}
func (r *recorder) Metrics(m Metrics)      { r.metrics = append(r.metrics, m) }
func (r *recorder) Evaluated(e Evaluation) { r.evaluations = append(r.evaluations, e) }
func (r *recorder) Progress(p Progress) {
	r.progress = append(r.progress, p)
	if r.onProgress != nil {
		r.onProgress(p)
	}
}

// smallCapture writes and opens a procedural capture of tiny pictures.
func smallCapture(t testing.TB) *dataset.Capture {
	t.Helper()
	dir := t.TempDir()
	if err := demo.WriteCapture(t.Context(), dir, demo.Options{Size: 40, Train: 10, Test: 3}); err != nil {
		t.Fatal(err)
	}
	c, err := dataset.Open(dir, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// smallConfig trains a few hundred splats for a few steps.
func smallConfig(strategy string, steps int) config.Run {
	c := config.Default(strategy)
	c.Train.Steps, c.Train.LogEvery = steps, 20
	c.Model.MaxSplats, c.Model.InitSplats, c.Model.SHDegree = 800, 600, 1
	c.Strategy.RefineEvery = 20
	return c
}

func mustRun(t testing.TB, c config.Run, capture *dataset.Capture) (*Result, *recorder) {
	t.Helper()
	rec := &recorder{}
	r, err := Run(context.Background(), Options{Config: c, Capture: capture, Observer: rec})
	if err != nil {
		t.Fatal(err)
	}
	return r, rec
}
