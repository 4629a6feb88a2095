package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"splat/internal/checkpoint"
	"splat/internal/config"
	"splat/internal/kernel"
	"splat/internal/pipeline"
)

// Checkpoints keeps the states of a run, so that it can be resumed.
type Checkpoints interface {
	// Save stores a state. It returns when the state is safe, and leaves the
	// earlier ones alone where it is not.
	Save(s *checkpoint.Snapshot) error
}

// hostState is what the loop itself keeps from step to step, and the device's own
// record. Random numbers are functions of (seed, step), so none are in here.
type hostState struct {
	Control kernel.Control `json:"control"`
	Clock   time.Duration  `json:"clock_ns"`
	Logged  logMark        `json:"logged"`
	Watch   watchState     `json:"watch"`
	Warned  uint32         `json:"warned"`
	Frame   frame          `json:"frame"` // in which the splats are
}

// array is a persistent buffer with a row for each splat.
type array struct {
	name   string
	buffer *kernel.Buffer
	row    int // elements a splat
}

// arrays lists the buffers that carry the splats' state. Only the rows of live
// splats count: whoever adds a row writes all of it before anything reads it.
func arrays(pl *pipeline.Pipeline) []array {
	sh := 3 * kernel.Coefficients(pl.Plan.SHDegree)
	return []array{
		{"geom", pl.Geom, kernel.GeomRow}, {"geom_m", pl.GeomM, kernel.GeomRow}, {"geom_v", pl.GeomV, kernel.GeomRow},
		{"sh", pl.SH, sh}, {"sh_m", pl.SHM, sh}, {"sh_v", pl.SHV, sh},
		{"stats", pl.Stats, kernel.StatRow},
	}
}

func sectionsOf(arrays []array, splats int) []checkpoint.Section {
	var list []checkpoint.Section
	for _, a := range arrays {
		list = append(list, checkpoint.Section{Name: a.name, Elem: checkpoint.F32, Count: int64(splats) * int64(a.row)})
	}
	return list
}

// snapshot describes the state after step c.Step. Nothing may be in flight until
// it is written.
func (s *session) snapshot(c kernel.Control) (*checkpoint.Snapshot, error) {
	c.Overflow = 0 // the resumed run finds out by itself
	state, err := json.Marshal(hostState{Control: c, Clock: s.clock.total, Logged: s.logged, Watch: s.watch.watchState, Warned: s.warned, Frame: s.frame})
	if err != nil {
		return nil, fmt.Errorf("step %d: state of the loop: %w", c.Step, err)
	}
	all := arrays(s.pl)
	buffers := map[string]*kernel.Buffer{}
	for _, a := range all {
		buffers[a.name] = a.buffer
	}
	return &checkpoint.Snapshot{
		Header: checkpoint.Header{
			Step: int(c.Step), Splats: int(c.Splats), Seconds: s.clock.total.Seconds(), Backend: s.pl.Backend.Name(),
			Config: config.Values(located(s.asked())), Capture: s.identity, State: state, Sections: sectionsOf(all, int(c.Splats)),
		},
		Read: func(sec checkpoint.Section, at int64, data []byte) error {
			return s.pl.Backend.ReadBytes(buffers[sec.Name], int(at/4), data)
		},
	}, nil
}

// Automatic checkpoints come this often in wall time, but take no more than a
// hundredth of it.
const (
	savePause = 5 * time.Minute
	saveShare = 100
)

// saves decides when a checkpoint is due.
type saves struct {
	every  int           // train.save_every
	since  time.Time     // when the loop began, or the last checkpoint was stored
	pause  time.Duration // least time between automatic ones
	step   int           // of the last one stored, or of the one resumed from
	broken bool          // one could not be stored
}

func newSaves(every, step int) saves {
	return saves{every: every, since: time.Now(), pause: savePause, step: step}
}

func (v *saves) due(step int, now time.Time) bool {
	switch {
	case v.every == 0 || step == v.step:
		return false
	case v.every > 0:
		return step%v.every == 0
	}
	return now.Sub(v.since) >= v.pause
}

// stored notes a checkpoint that took until now.
func (v *saves) stored(step int, took time.Duration, now time.Time) {
	v.step, v.since, v.pause = step, now, max(savePause, saveShare*took)
}

// saveDue stores a checkpoint where one is due.
func (s *session) saveDue(c kernel.Control) error {
	if s.keep == nil || int(c.Step) >= s.due.end || !s.saves.due(int(c.Step), time.Now()) {
		return nil
	}
	return s.save(c)
}

// save stores a checkpoint. Its time is no training time.
func (s *session) save(c kernel.Control) error {
	kernel.BeginWork(s.tracer, kernel.HostLoop, kernel.PhaseSaving)
	defer kernel.EndWork(s.tracer)
	start := time.Now()
	snap, err := s.snapshot(c)
	if err == nil {
		err = s.keep.Save(snap)
	}
	if err != nil {
		s.saves.broken = true
		return err
	}
	s.saves.stored(int(c.Step), time.Since(start), time.Now())
	return nil
}

// preserve stores a checkpoint of a run that ends before its last step, or whose
// end failed, unless the state is worth nothing or there is no room. It returns
// why the run ends: an interrupt counts only where the state is safe.
func (s *session) preserve(failure error) error {
	if s.keep == nil || s.sick || s.saves.broken {
		return failure
	}
	c, err := s.control()
	if err == nil && c.Step > 0 && int(c.Step) != s.saves.step {
		err = s.save(c)
	}
	switch {
	case err == nil:
		return failure
	case errors.Is(failure, context.Canceled):
		return err
	}
	return errors.Join(failure, err)
}
