package cli

import (
	"context"
	"fmt"
	"time"

	"splat/internal/checkpoint"
	"splat/internal/lab"
	"splat/internal/train"
	"splat/internal/vec"
)

// reporter passes what happens in a run to the console and to the run folder.
type reporter struct {
	console  *console
	progress progress
	run      *lab.Run
	cancel   context.CancelCauseFunc // ends the run where its record cannot be written
	host     *hostReport             // what was seen on the host's side, once the engine is done
	over     bool                    // the engine is done: nothing is left to end
	curve    []train.Metrics         // what Metrics was told
	start    time.Time               // of the process
	earlier  float64                 // seconds of the sessions before
}

// wall returns the seconds that the run took so far, in all its sessions.
func (r *reporter) wall() float64 { return r.earlier + time.Since(r.start).Seconds() }

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
	r.keep(err)
	return err == nil
}

// keep ends the run where its record cannot be written: what cannot be recorded
// now could not be saved later either. Once the engine is done only the log is
// left, and a warning is enough.
func (r *reporter) keep(err error) {
	switch {
	case err == nil:
	case r.over:
		r.console.warn(fmt.Sprintf("the log of the run is incomplete: %v", err))
	default:
		r.cancel(err)
	}
}

// Save stores a checkpoint and notes it in the log.
func (r *reporter) Save(s *checkpoint.Snapshot) error {
	start := time.Now()
	s.Wall, s.Instructions, s.Build = r.wall(), vec.Path(), build().name()
	if err := r.run.SaveCheckpoint(s); err != nil {
		return err
	}
	path, _ := r.run.Intact()
	line := fmt.Sprintf("step %d: checkpoint stored in %.2f s: %s", s.Step, time.Since(start).Seconds(), path)
	r.console.detail("%s", line)
	r.keep(r.run.Log(line))
	return nil
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
