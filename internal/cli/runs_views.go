package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/imageio"
	"splat/internal/lab"
	site "splat/internal/report"
	"splat/internal/train"
)

// runViews renders test views of a run, spread evenly, where its splats and its
// capture are still there; the note says why not.
func (a *app) runViews(ctx context.Context, r *site.Run, count int, emit func(site.View) error) (note string, err error) {
	cfg, record, err := a.runConfig(r)
	if err != nil {
		return "no pictures: " + message(err), nil
	}
	capture, err := openCapture(cfg)
	if err != nil {
		return "no pictures: the capture cannot be read: " + message(err), nil
	}
	m, err := openModel(record.Model)
	if err != nil {
		return "no pictures: " + message(err), nil
	}
	views, split := someViews(capture, count)
	if len(views) == 0 {
		return "no pictures: the capture has no views", nil
	}
	if split == "train" {
		note = "the pictures are of training views: the capture has no test views"
	}
	a.log.detail("%s: %s", r.Name, plural(len(views), "view"))
	var failed *emitError
	switch err := a.renderRun(ctx, cfg, capture, m, views, emit); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &failed):
		return "", failed.err
	case err != nil:
		return "not all pictures: " + message(err), nil
	}
	return note, nil
}

// emitError is a failure to store a picture, which ends the report.
type emitError struct{ err error }

func (e *emitError) Error() string { return e.err.Error() }

// runConfig is the configuration that a run was evaluated with, and the device of this
// command.
func (a *app) runConfig(r *site.Run) (config.Run, *lab.Record, error) {
	record, err := lab.Open(r.Dir)
	if err != nil {
		return config.Run{}, nil, err
	}
	own, err := a.resolve(config.Source{})
	if err != nil {
		return config.Run{}, nil, err
	}
	cfg := record.Config
	cfg.Backend = own.Backend
	if _, err := chooseDevice(cfg); err != nil {
		return cfg, nil, err
	}
	return cfg, record, nil
}

// someViews spreads up to count views over the test views, or over all views where
// there are none.
func someViews(capture *dataset.Capture, count int) (views []dataset.View, split string) {
	all, split := capture.TestViews(), "test"
	if len(all) == 0 {
		all, split = capture.Views, "train"
	}
	count = min(count, len(all))
	for i := range count {
		views = append(views, all[i*len(all)/count])
	}
	return views, split
}

// renderRun renders views and hands them on with their photographs.
func (a *app) renderRun(ctx context.Context, cfg config.Run, capture *dataset.Capture, m *model, views []dataset.View, emit func(site.View) error) error {
	_, background, err := config.ParseBackground(cfg.Train.Background)
	if err != nil {
		return fault.Dataf("%s: %w", filepath.Join(m.record.Dir, lab.ConfigFile), err)
	}
	photos, err := dataset.Load(ctx, views, dataset.LoadOptions{Alpha: cfg.Data.Alpha, Threads: cfg.Backend.Threads})
	if err != nil {
		return err
	}
	m.cloud.Antialiased = cfg.Model.Antialiased
	o := train.RenderOptions{Config: cfg, Cloud: m.cloud, Capture: capture, Views: views, Observer: &watcher{console: &console{out: a.log.out, quiet: true}}}
	return train.RenderViews(ctx, o, func(i int, v dataset.View, rgb, _ []float32) error {
		truth, used := photograph(photos[i], capture.AlphaMode(cfg.Data.Alpha) == "mask", background)
		view := site.View{Name: v.Label, Width: v.Camera.Width, Height: v.Camera.Height, Truth: truth, Render: append([]float32(nil), rgb...), Used: used}
		if err := emit(view); err != nil {
			return &emitError{err}
		}
		return nil
	})
}

// photograph is a picture as the run was scored against it: on the background, or
// with the pixels that count.
func photograph(m *imageio.Image, mask bool, background [3]float64) (rgb []float32, used []bool) {
	if !mask {
		return onBackground(m, background), nil
	}
	for p := m.Pix; len(p) >= 4; p = p[4:] {
		used = append(used, p[3] != 0)
		for c := range 3 {
			rgb = append(rgb, float32(p[c])/255)
		}
	}
	return rgb, used
}

func wholeText(v *int) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

func decimalText(v *float64, digits int, unit string) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.*f%s", digits, *v, unit)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
