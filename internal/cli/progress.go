package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"splat/internal/train"
)

// plainInterval is the time between progress lines where there is no terminal.
const plainInterval = 5 * time.Second

// progress shows how far a run is: a bar on a terminal, a line every few seconds
// elsewhere, nothing with --quiet.
type progress interface {
	loading(done, total int)
	step(p train.Progress)
	stop() // leaves the last state behind; the console is free again
}

func (c *console) newProgress() progress {
	switch {
	case c.quiet:
		return silent{}
	case c.terminal:
		return &bar{console: c}
	}
	return &plainProgress{console: c, now: time.Now}
}

type silent struct{}

func (silent) loading(int, int)    {}
func (silent) step(train.Progress) {}
func (silent) stop()               {}

// plainProgress prints a line at most every plainInterval, and the last one.
type plainProgress struct {
	console *console
	now     func() time.Time
	last    time.Time
	pending string // the latest state, not yet printed
}

func (p *plainProgress) loading(done, total int) {
	p.offer(fmt.Sprintf("pictures %d/%d", done, total))
	if done == total {
		p.pending = ""
	}
}

func (p *plainProgress) step(s train.Progress) { p.offer(stepText(s)) }

func (p *plainProgress) offer(line string) {
	now := p.now()
	if p.last.IsZero() {
		p.last = now
	}
	p.pending = line
	if now.Sub(p.last) >= plainInterval {
		p.last = now
		p.flush()
	}
}

func (p *plainProgress) flush() {
	if p.pending != "" {
		p.console.note(p.pending)
	}
	p.pending = ""
}

func (p *plainProgress) stop() { p.flush() }

func stepText(s train.Progress) string {
	return fmt.Sprintf("step %d/%d  loss %.4f  splats %d  %s  %s left", s.Step, s.Steps, s.Loss, s.Splats, rate(s.StepsPerSec), clock(s.Left))
}

// rate writes a speed so that it stays readable from seconds a step to thousands
// of steps a second.
func rate(perSecond float64) string {
	switch {
	case perSecond <= 0:
		return "- steps/s"
	case perSecond < 1:
		return fmt.Sprintf("%.1f s/step", 1/perSecond)
	case perSecond < 100:
		return fmt.Sprintf("%.1f steps/s", perSecond)
	}
	return fmt.Sprintf("%.0f steps/s", perSecond)
}

func clock(d time.Duration) string {
	d = max(d, 0).Round(time.Second)
	if d >= time.Hour {
		return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// drawInterval is the least time between two drawings of a bar.
const drawInterval = 200 * time.Millisecond

// bar draws a bar on a terminal, one for the pictures and then one for the steps.
// It is redrawn on demand only: a line written above it is lost unless a drawing
// follows.
type bar struct {
	console *console
	box     *mpb.Progress
	draw    chan any // each value draws once
	current *mpb.Bar
	label   string // of the current bar
	drawn   time.Time

	mu   sync.Mutex // the drawing goroutine reads what follows
	text string
}

func (b *bar) loading(done, total int) {
	b.show("pictures", done, total, fmt.Sprintf("pictures %d/%d", done, total))
}

func (b *bar) step(s train.Progress) { b.show("training", s.Step, s.Steps, stepText(s)) }

func (b *bar) show(label string, done, total int, text string) {
	if b.label != label {
		b.stop()
		b.begin(label, total)
	}
	b.mu.Lock()
	b.text = text
	b.mu.Unlock()
	b.current.SetTotal(int64(max(total, 1)), false)
	b.current.SetCurrent(int64(done))
	if now := time.Now(); now.Sub(b.drawn) >= drawInterval {
		b.drawn = now
		b.redraw()
	}
}

func (b *bar) begin(label string, total int) {
	b.label, b.draw = label, make(chan any)
	b.box = mpb.New(mpb.WithOutput(b.console.out), mpb.WithWidth(24), mpb.WithManualRefresh(b.draw))
	b.current = b.box.New(int64(max(total, 1)), mpb.BarStyle(), mpb.AppendDecorators(decor.Any(b.caption)))
	b.console.divert(b)
}

// redraw draws at once. Where the terminal is gone nobody takes the request, and
// the run must go on.
func (b *bar) redraw() {
	select {
	case b.draw <- nil:
	case <-time.After(time.Second):
	}
}

func (b *bar) caption(decor.Statistics) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return " " + b.text
}

// Write puts a line above the bar.
func (b *bar) Write(line []byte) (int, error) {
	n, err := b.box.Write(line)
	b.redraw()
	return n, err
}

func (b *bar) stop() {
	if b.box == nil {
		return
	}
	b.console.divert(nil)
	b.redraw()
	b.current.Abort(false)
	b.box.Wait()
	b.box, b.label = nil, ""
}
