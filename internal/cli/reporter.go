package cli

import (
	"context"
	"fmt"

	"splat/internal/lab"
	"splat/internal/train"
)

// reporter passes what happens in a run to the console and to the run folder.
type reporter struct {
	console  *console
	progress progress
	run      *lab.Run
	cancel   context.CancelCauseFunc // ends the run where its record cannot be begun
	lost     bool                    // a record line could not be written; said once
	curve    []train.Metrics         // what Metrics was told
}

// Note prints a line, or a block of lines, and keeps it in the log.
func (r *reporter) Note(text string) {
	for _, line := range lines(text) {
		r.console.note(line)
		r.keep(r.run.Log(line))
	}
}

// Loading shows how many pictures are decoded.
func (r *reporter) Loading(done, total int) { r.progress.loading(done, total) }

// Progress shows the state of the training; its first step begins the record.
func (r *reporter) Progress(p train.Progress) {
	if p.Step > 0 {
		r.begin()
	}
	r.progress.step(p)
}

// Metrics records a line of statistics.
func (r *reporter) Metrics(m train.Metrics) {
	r.curve = append(r.curve, m)
	if r.begin() {
		r.keep(r.run.Metrics(m))
	}
}

// Evaluated records and prints a measurement.
func (r *reporter) Evaluated(e train.Evaluation) {
	if r.begin() {
		r.keep(r.run.Eval(e))
	}
	r.Note(fmt.Sprintf("step %d: %s", e.Step, scoreText(e)))
}

func (r *reporter) begin() bool {
	err := r.run.Begin()
	if err != nil {
		r.cancel(err)
	}
	return err == nil
}

// keep reports that the record has a hole, without ending hours of training.
func (r *reporter) keep(err error) {
	if err != nil && !r.lost {
		r.lost = true
		r.console.warn(fmt.Sprintf("the record of the run is incomplete: %v", err))
	}
}

func scoreText(e train.Evaluation) string {
	return fmt.Sprintf("PSNR %.2f dB, SSIM %.4f on %s", e.PSNR, e.SSIM, plural(e.Views, e.Split+" view"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
