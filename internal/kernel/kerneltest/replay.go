package kerneltest

import (
	"errors"
	"fmt"

	"splat/internal/kernel"
	"splat/internal/pipeline"
)

// Replay runs a scenario on ref and each of its dispatches on be too, from the same
// inputs, and shows every dispatch to see, in order.
func Replay(ref, be kernel.Backend, sc Scenario, see func(*Run)) error {
	pl, err := sc.Scene.Build(ref, sc.Refiner)
	if err != nil {
		return err
	}
	defer pl.Free()
	free, err := mirror(pl, be)
	defer free()
	if err != nil {
		return err
	}
	if sc.Prepare != nil {
		if err := sc.Prepare(pl); err != nil {
			return err
		}
	}
	p := &replayer{ref: ref, test: be, see: see}
	for _, program := range sc.Programs(pl) {
		if err := p.recording(program.Recording()); err != nil {
			return err
		}
	}
	return sc.shown(pl)
}

// mirror gives the pipeline's buffers storage on be too; free releases it. All
// become persistent: the inputs of a dispatch are another submission's results.
func mirror(pl *pipeline.Pipeline, be kernel.Backend) (free func(), err error) {
	for _, b := range pl.All() {
		b.Persistent = true
		err = errors.Join(err, be.Alloc(b))
	}
	return func() {
		for _, b := range pl.All() {
			be.Free(b)
		}
	}, err
}

// shown checks the device's state at the end.
func (sc *Scenario) shown(pl *pipeline.Pipeline) error {
	c, err := kernel.ReadRecord[kernel.Control](pl.Backend, pl.Control, 0)
	if err == nil && !sc.Shown(c) {
		err = fmt.Errorf("the scenario does not show %s: %+v", sc.Shows, c)
	}
	return err
}

// replayer executes recordings one dispatch at a time on two backends.
type replayer struct {
	ref, test kernel.Backend
	see       func(*Run)
}

func (p *replayer) recording(rec *kernel.Recording) error {
	for i := range rec.Dispatches {
		run, err := p.dispatch(&rec.Dispatches[i])
		if err != nil {
			return fmt.Errorf("recording %s: dispatch %d: kernel %s: %w", rec.Name, i, rec.Dispatches[i].Kernel.Name, err)
		}
		p.see(run)
	}
	return nil
}

// dispatch runs one dispatch on both backends from the reference's buffers.
func (p *replayer) dispatch(d *kernel.Dispatch) (*Run, error) {
	r := &Run{Dispatch: d, Groups: d.Groups}
	if err := p.arguments(r); err != nil {
		return nil, err
	}
	var err error
	if r.Before, err = p.inputs(r); err != nil {
		return nil, err
	}
	rec := &kernel.Recording{Name: "one dispatch", Dispatches: []kernel.Dispatch{*d}}
	for _, be := range []kernel.Backend{p.ref, p.test} {
		program, err := be.Compile(rec)
		if err != nil {
			return nil, err
		}
		if err := be.Submit(program, 1); err != nil {
			return nil, err
		}
		if err := be.Wait(); err != nil {
			return nil, err
		}
	}
	if r.Want, err = bound(p.ref, d); err != nil {
		return nil, err
	}
	r.Got, err = bound(p.test, d)
	return r, err
}

// arguments finds the number of workgroups and uploads the argument buffer.
func (p *replayer) arguments(r *Run) error {
	d := r.Dispatch
	if d.Indirect == nil {
		return nil
	}
	args, err := readWords(p.ref, d.Indirect)
	if err != nil {
		return err
	}
	at := args[3*d.Entry:]
	r.Groups = int(at[0]) * int(at[1]) * int(at[2])
	return writeWords(p.test, d.Indirect, args)
}

// inputs uploads what the dispatch reads and poisons, on both backends, what it
// only writes.
func (p *replayer) inputs(r *Run) (map[string][]uint32, error) {
	in, err := bound(p.ref, r.Dispatch)
	if err != nil {
		return nil, err
	}
	for i, b := range r.Dispatch.Kernel.Bindings {
		buf := r.Dispatch.Buffers[i]
		if b.Access == kernel.Write && r.Groups > 0 {
			for k := range in[b.Name] {
				in[b.Name][k] = poison
			}
			if err := writeWords(p.ref, buf, in[b.Name]); err != nil {
				return nil, err
			}
		}
		if err := writeWords(p.test, buf, in[b.Name]); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// bound reads all buffers of a dispatch.
func bound(be kernel.Backend, d *kernel.Dispatch) (map[string][]uint32, error) {
	out := map[string][]uint32{}
	for i, b := range d.Kernel.Bindings {
		words, err := readWords(be, d.Buffers[i])
		if err != nil {
			return nil, err
		}
		out[b.Name] = words
	}
	return out, nil
}
