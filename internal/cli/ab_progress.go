package cli

import (
	"fmt"
	"time"

	"splat/internal/ab"
	"splat/internal/train"
)

// abProgress shows how far an experiment is: one bar over all of its runs, or a line
// now and then.
type abProgress struct {
	shared    progress
	now       ab.Job
	done, all int
	began     time.Time
	said      map[string]bool
}

// abScale is how finely a run is shown.
const abScale = 1000

// job shows that a run begins.
func (p *abProgress) job(j ab.Job, done, all int) {
	p.now, p.done, p.all = j, done, all
	p.draw(0, "")
}

func (p *abProgress) loading(done, total int) {
	p.draw(0, fmt.Sprintf(", pictures %d/%d", done, total))
}

func (p *abProgress) step(s train.Progress) {
	p.draw(abScale*s.Step/max(s.Steps, 1), fmt.Sprintf(", step %d/%d", s.Step, s.Steps))
}

// draw shows the state: part is of the run, in thousandths.
func (p *abProgress) draw(part int, detail string) {
	text := fmt.Sprintf("run %d/%d (%s)%s", p.done+1, p.all, p.now, detail)
	at, total := p.done*abScale+part, p.all*abScale
	if p.done > 0 {
		left := time.Duration(float64(time.Since(p.began)) / float64(at) * float64(total-at))
		text += "  " + clock(left) + " left"
	}
	switch s := p.shared.(type) {
	case *bar:
		s.show("runs", at, total, text)
	case *plainProgress:
		s.offer(text)
	}
}

// first reports whether a line is said for the first time.
func (p *abProgress) first(line string) bool {
	if p.said == nil {
		p.said = map[string]bool{}
	}
	before := p.said[line]
	p.said[line] = true
	return !before
}

func (p *abProgress) stop() { p.shared.stop() }
