package lab

import (
	"math"

	"splat/internal/loadwatch"
)

// Result is what a run came to: result.json, and what --json prints.
type Result struct {
	Steps        int      `json:"steps"`
	TrainSeconds float64  `json:"train_seconds"` // training only, of all sessions, without decoding, evaluation and saving
	WallSeconds  float64  `json:"wall_seconds"`  // the whole process, of all sessions
	PSNR         *float64 `json:"psnr"`          // null where nothing was evaluated
	SSIM         *float64 `json:"ssim"`
	Split        string   `json:"split,omitempty"` // the split behind psnr and ssim
	TestViews    int      `json:"test_views"`      // test views behind psnr and ssim, 0 where they are of training views
	Splats       int      `json:"splats"`
	Device       string   `json:"device"`
	Backend      string   `json:"backend"`
	Seed         int      `json:"seed"`
	Model        string   `json:"model"`  // beside result.json
	SHA256       string   `json:"sha256"` // of the model file
	StopReason   string   `json:"stop_reason"`
	PeakBytes    uint64   `json:"peak_bytes,omitempty"` // peak resident memory

	Environment *loadwatch.Record `json:"environment,omitempty"` // what else the machine was doing; nil in older runs
}

// Score returns a quality for a Result, nil where it is not a finite number,
// which JSON cannot express.
func Score(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
