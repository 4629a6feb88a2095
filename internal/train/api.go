// Package train runs the training loop: it initialises the splats, submits
// steps and refines to a backend, evaluates, stops and reports. It knows neither
// flags nor folders; what happens is told to an Observer.
package train

import (
	"time"

	"splat/internal/checkpoint"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/gaussian"
	"splat/internal/kernel"
	"splat/internal/prof"
)

// Options is everything a run needs.
type Options struct {
	Config   config.Run
	Capture  *dataset.Capture
	Observer Observer

	Checkpoints Checkpoints      // keeps states to resume from; nil: none are made
	Resume      *checkpoint.File // the state to go on from, closed once it is loaded; nil: from step 0
	Ended       string           // stop reason of the session that Resume is the end of; "" where it was killed

	// Pictures keeps decoded pictures for further runs with the same capture and data
	// settings; nil: none are kept.
	Pictures *Pictures
	// Tracer is told what the host does; nil: nobody.
	Tracer kernel.Tracer
	// AtRest is called with the device at rest, outside the training time, with the steps
	// done so far: before the first step, after each quarter of the run, and after the
	// last step. It may use the device for work of its own. nil: nothing is called.
	AtRest func(be kernel.Backend, step int)

	// ProfileFrom leaves steps before it out of the profile, where backend.profile is on.
	ProfileFrom int
	// ProfileAtEnd leaves out the tables at log intervals.
	ProfileAtEnd bool

	hostBytes int64 // of decoded pictures, where they do not stay on the device; 0: see hostBytes
}

// Observer is told what happens during a run, always from one goroutine.
type Observer interface {
	// Note receives one line for the log: a choice that was made, a warning.
	Note(line string)
	// Loading reports decoded pictures, from 0 to total.
	Loading(done, total int)
	// Progress is called often; it must be cheap.
	Progress(p Progress)
	// Metrics is called every train.log_every steps and at the last one.
	Metrics(m Metrics)
	// Evaluated is called after each evaluation.
	Evaluated(e Evaluation)
}

// Progress is the state of a run, for a progress bar.
type Progress struct {
	Step, Steps   int     // Steps is the step at which the run will end
	Loss          float64 // smoothed over the last steps
	Splats        int
	StepsPerSec   float64
	Elapsed, Left time.Duration // training time
}

// Metrics is one line of metrics.jsonl.
type Metrics struct {
	Step      int     `json:"step"`
	Loss      float64 `json:"loss"`
	L1        float64 `json:"l1"`
	SSIM      float64 `json:"ssim"` // of the training view, zero padded, as in the loss
	Splats    int     `json:"splats"`
	Visible   int     `json:"visible"`
	Pairs     int     `json:"pairs"`
	MSPerStep float64 `json:"ms_per_step"`
	Seconds   float64 `json:"train_seconds"`
}

// ViewScore is the quality of one view.
type ViewScore struct {
	Name string  `json:"name"`
	PSNR float64 `json:"psnr"`
	SSIM float64 `json:"ssim"`
}

// Evaluation is one line of eval.jsonl.
type Evaluation struct {
	Step    int         `json:"step"`
	Split   string      `json:"split"` // "test", "train"
	Views   int         `json:"views"`
	PSNR    float64     `json:"psnr"`
	SSIM    float64     `json:"ssim"`
	Seconds float64     `json:"train_seconds"`
	PerView []ViewScore `json:"-"`
}

// Result is what a finished (or stopped) run hands back.
type Result struct {
	Cloud        *gaussian.Cloud // in the capture's world frame
	Steps        int             // steps completed
	TrainSeconds float64         // of all sessions
	Final        *Evaluation     // nil where evaluation was skipped or there is nothing to evaluate
	Device       string
	Backend      string
	StopReason   string          // "steps", "stop-step", "time-limit", "plateau", "interrupted"
	PeakBytes    uint64          // peak resident memory of the process, 0 where unknown
	Profile      string          // per-kernel table, "" unless backend.profile is on
	Timings      []kernel.Timing // what Profile is made of
	Table        *prof.Table     // the same, to be completed; nil unless backend.profile is on
}
