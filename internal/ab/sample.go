package ab

import (
	"fmt"
	"time"
)

// Sample is what one run gave.
type Sample struct {
	Job
	Steps   int     `json:"steps"`
	Seconds float64 `json:"train_seconds"`
	// The beginning of the run, in which buffers grow and caches and clocks warm up, is part
	// of the training but not of the time of a step.
	WarmSteps   int     `json:"warm_steps,omitempty"`
	WarmSeconds float64 `json:"warm_seconds,omitempty"`

	MedianStep float64      `json:"median_step_seconds,omitempty"` // where the profile tells
	PSNR       *float64     `json:"psnr,omitempty"`
	SSIM       *float64     `json:"ssim,omitempty"`
	Splats     int          `json:"splats"`
	SHA256     string       `json:"sha256"`
	Kernels    []KernelTime `json:"kernels,omitempty"`
	At         time.Time    `json:"at"` // when the run ended
}

// KernelTime is what a kernel took in a run, in one stage.
type KernelTime struct {
	Stage   string  `json:"stage"`
	Kernel  string  `json:"kernel"`
	Group   string  `json:"group,omitempty"` // "forward", "refine", ...
	Calls   int     `json:"calls"`
	Seconds float64 `json:"seconds"`
	Steps   int     `json:"steps,omitempty"` // that were timed and had it; 0: all
	// Median is that of its times a step, in seconds; 0 where only the sum is known. It is
	// what is compared, so that a step that was preempted does not count.
	Median float64 `json:"median_seconds,omitempty"`
}

// Name is "stage.kernel".
func (k KernelTime) Name() string { return k.Stage + "." + k.Kernel }

// StepSeconds is the mean time of a step after the beginning of the run.
func (s Sample) StepSeconds() float64 {
	return (s.Seconds - s.WarmSeconds) / float64(max(s.Steps-s.WarmSteps, 1))
}

// DifferentBytes is the error of runs whose splats should be equal and are not.
type DifferentBytes struct{ text string }

// Error names the runs and their hashes.
func (e *DifferentBytes) Error() string { return e.text }

// CheckBytes compares the splats of runs: those of one arm, and those of both where the
// plan says that they must be equal.
func (p Plan) CheckBytes(samples []Sample) error {
	var first [2]*Sample
	for i := range samples {
		s := &samples[i]
		switch f := &first[s.Arm()]; {
		case *f == nil:
			*f = s
		case p.Repeats && (*f).SHA256 != s.SHA256:
			return &DifferentBytes{fmt.Sprintf("%s = %s gave two results: sha256 %s (%s) and %s (%s), expected the same splats each time",
				p.Key, p.Values[s.Arm()], short((*f).SHA256), (*f).Job, short(s.SHA256), s.Job)}
		}
	}
	a, b := first[0], first[1]
	if p.Equal && a != nil && b != nil && a.SHA256 != b.SHA256 {
		return &DifferentBytes{fmt.Sprintf("%s = %s and %s should give the same splats: found sha256 %s and %s",
			p.Key, p.Values[0], p.Values[1], short(a.SHA256), short(b.SHA256))}
	}
	return nil
}

func short(sum string) string { return sum[:min(len(sum), 16)] }
