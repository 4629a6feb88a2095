package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"splat/internal/bench"
	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/hostprof"
	"splat/internal/kernel"
	"splat/internal/loadwatch"
	"splat/internal/trace"
	"splat/internal/train"
)

// hostSide watches a run from the host's side. Use: watchHost before anything opens the
// device; follow before the engine runs; end right after it, and then close.
type hostSide struct {
	warn         func(string)
	path         string             // of the trace; "" where there is none
	trace        *trace.Writer      // nil where there is none
	recorder     *hostprof.Recorder // nil where nobody measures
	watch        *loadwatch.Watch
	calibration  *bench.Calibration
	uncalibrated bool // it failed once
	begun        int  // the step at which this session began
	began        bool
	failed       bool // nothing was trained
}

// hostReport is what was seen.
type hostReport struct {
	Environment loadwatch.Record
	Host        *hostprof.Summary // nil where nobody measures
	text        string            // both for people; "" where nobody measures
}

// watchHost begins to watch. The host's side is accounted for where a trace is wanted,
// path not "", or kernels are profiled; other runs only get a glance at the machine
// before and after.
func (a *app) watchHost(ctx context.Context, cfg config.Run, path string) (*hostSide, error) {
	h := &hostSide{warn: a.log.warn, path: path}
	if path == "" && !cfg.Backend.Profile {
		h.watch = loadwatch.Glance(ctx)
		return h, nil
	}
	if path != "" {
		var err error
		if h.trace, err = trace.Create(path); err != nil {
			return nil, fmt.Errorf("--trace %s: %w", path, fault.Reason(err))
		}
	}
	h.recorder = hostprof.New(h.trace)
	memory := func(name string, v float64) { h.recorder.Counter(name, v) }
	h.watch = loadwatch.Start(ctx, memory)
	return h, nil
}

// checkTrace reports what is in the way of the trace's file.
func checkTrace(path string) error {
	if path == "" {
		return nil
	}
	if err := checkFile(path); err != nil {
		return err
	}
	if filepath.Ext(path) != ".json" {
		return fault.Usagef("--trace %s: expected a name that ends with .json", path)
	}
	return nil
}

// follow makes the engine tell what it does, where somebody measures.
func (h *hostSide) follow(o *train.Options) {
	if h.recorder == nil {
		return
	}
	o.Tracer, o.AtRest = h.recorder, h.atRest
	o.ProfileAtEnd = !o.Config.Backend.Profile
	o.Config.Backend.Profile = true // a trace shows kernels, too
}

// atRest calibrates.
func (h *hostSide) atRest(be kernel.Backend, step int) {
	if !h.began {
		h.began, h.begun = true, step
	}
	took, err := h.calibrate(be)
	if err != nil {
		if !h.uncalibrated {
			h.warn(fmt.Sprintf("no calibration: %v", err))
		}
		h.uncalibrated = true
		return
	}
	h.watch.Calibrated(bench.CalibrationWork, step, took)
}

func (h *hostSide) calibrate(be kernel.Backend) (time.Duration, error) {
	if h.uncalibrated {
		return 0, errors.New("it failed before")
	}
	if h.calibration == nil {
		c, err := bench.NewCalibration(be)
		if err != nil {
			return 0, err
		}
		h.calibration = c
	}
	return h.calibration.Run()
}

// end stops watching and says what was seen. res is nil where the run has none.
func (h *hostSide) end(res *train.Result) *hostReport {
	h.failed = res == nil
	out := &hostReport{Environment: h.watch.Stop()}
	if h.recorder == nil || res == nil {
		return out
	}
	s := h.recorder.Summary(res.Steps-h.begun, res.Backend)
	out.Host = &s
	out.text = s.Text() + out.Environment.Text()
	return out
}

// close writes the trace, unless end was told that nothing was trained. Closing again
// does nothing.
func (h *hostSide) close() error {
	if h.trace == nil {
		return nil
	}
	if h.failed {
		h.trace.Drop()
		return nil
	}
	lost := h.trace.Lost()
	if err := h.trace.Close(); err != nil {
		return fmt.Errorf("--trace %s: %w", h.path, fault.Reason(err))
	}
	if lost > 0 {
		h.warn(fmt.Sprintf("%s: %d events were left out, since they came faster than the disk took them", h.path, lost))
	}
	return nil
}
