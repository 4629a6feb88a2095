package train

import (
	"fmt"
	"slices"

	"splat/internal/checkpoint"
	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/kernel"
)

// origin is where a training begins: with a cloud, or with the state of an
// earlier session.
type origin struct {
	splats int
	cloud  *gaussian.Cloud  // in the world frame; nil where file is set
	file   *checkpoint.File // nil at step 0
	state  hostState        // from file
}

// originOf makes the initial splats, or checks that the checkpoint to resume from
// fits configuration and capture.
func originOf(o Options) (*origin, error) {
	if o.Resume != nil {
		return resumed(o)
	}
	cloud, err := initialCloud(o.Config, o.Capture, o.Observer)
	if err != nil {
		return nil, err
	}
	if cloud.Len() == 0 {
		return nil, fault.Dataf("%s: no splats to start from", o.Capture.Path)
	}
	return &origin{splats: cloud.Len(), cloud: cloud}, nil
}

func resumed(o Options) (*origin, error) {
	f := o.Resume
	changes, err := Fit(&f.Header, o.Config)
	if err != nil {
		return nil, err
	}
	if err := sameCapture(f, identify(o.Capture)); err != nil {
		return nil, err
	}
	from := &origin{splats: f.Splats, file: f}
	if from.state, err = parseState(f.State); err != nil {
		return nil, fault.Dataf("%s: state of the loop: %w", f.Path, err)
	}
	if was, is := from.state.Frame, frameOf(o.Capture); was != is {
		return nil, fault.Dataf("%s: not the capture that %s was trained on: found the scale %v around %v, expected %v around %v; where all cameras are in one place the points decide",
			o.Capture.Path, f.Path, is.Scale, is.Center, was.Scale, was.Center)
	}
	if c := from.state.Control; f.Splats < 1 || int64(c.Splats) != int64(f.Splats) || int64(c.Step) != int64(f.Step) {
		return nil, fault.Dataf("%s: %d splats at step %d found in the device's record, %d at step %d expected", f.Path, c.Splats, c.Step, f.Splats, f.Step)
	}
	o.Observer.Note(fmt.Sprintf("resuming at step %d of %d with %d splats, after %.1f s of training", f.Step, o.Config.Train.Steps, f.Splats, f.Seconds))
	if len(changes) > 0 {
		o.Observer.Note(fmt.Sprintf("changed at step %d: %s", f.Step, changesText(changes)))
	}
	return from, nil
}

// restore takes over what the loop kept. ended is the reason why the session of
// the checkpoint ended, where the run goes on nevertheless.
func (s *session) restore(from *origin, ended string) {
	st := from.state
	s.clock.total, s.logged, s.watch.watchState, s.warned = st.Clock, st.Logged, st.Watch, st.Warned
	s.collected, s.saves.step = st.Control.Step, int(st.Control.Step)
	if ended == StopPlateau {
		s.watch.BestStep = s.saves.step
	}
}

// fillSplats brings the splats to the device; the live rows' count is in the
// control record afterwards.
func (s *session) fillSplats(from *origin) error {
	if from.file == nil {
		s.frame.enter(from.cloud)
		return upload(s.pl, from.cloud)
	}
	if was, is := from.file.Backend, s.pl.Backend.Name(); was != is {
		s.obs.Note(fmt.Sprintf("the checkpoint was made on %s: on %s the result is not the same to the last bit", was, is))
	}
	return load(s.pl.Backend, arrays(s.pl), from.file)
}

// load fills the arrays from a checkpoint, a piece at a time.
func load(be kernel.Backend, arrays []array, f *checkpoint.File) error {
	if want := sectionsOf(arrays, f.Splats); !slices.Equal(f.Sections, want) {
		return fault.Dataf("%s: sections %v found, %v expected", f.Path, f.Sections, want)
	}
	for i, a := range arrays {
		err := f.Load(i, func(at int64, data []byte) error { return be.WriteBytes(a.buffer, int(at/4), data) })
		if err != nil {
			return err
		}
	}
	return f.Close() // some systems do not let anybody remove a file that is open
}

// firstControl is the device's record before the first step of this session.
func (from *origin) firstControl() kernel.Control {
	if from.file == nil {
		return kernel.Control{Splats: uint32(from.splats)}
	}
	return from.state.Control
}
