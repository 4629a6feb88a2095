package kerneltest

import (
	"fmt"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
)

// RunAll checks that every kernel of the backend that open makes does what its CPU
// function does, within the tolerances of its case. Trainings, refines and
// renderings run dispatch by dispatch on the CPU backend; each dispatch is repeated
// on the backend under test from the same inputs.
func RunAll(t *testing.T, open func() kernel.Backend) { runAll(t, open, false) }

// RunExact is RunAll with all tolerances at zero, for backends that promise the
// same bits.
func RunExact(t *testing.T, open func() kernel.Backend) { runAll(t, open, true) }

func runAll(t *testing.T, open func() kernel.Backend, exact bool) {
	ran := map[string]bool{}
	for _, sc := range Scenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			be := open()
			defer be.Close()
			for _, err := range differences(t, be, sc, exact, ran) {
				t.Error(err)
			}
		})
	}
	if t.Failed() {
		return // a scenario may have ended early
	}
	for _, c := range kernel.Contracts() {
		if !ran[c.Name] {
			t.Errorf("no scenario runs kernel %s", c.Name)
		}
	}
}

// differences plays a scenario on be and returns what its dispatches did wrong,
// the first few of them; ran notes the kernels that had work.
func differences(t testing.TB, be kernel.Backend, sc Scenario, exact bool, ran map[string]bool) (errs []error) {
	const enough = 20
	Replay(t, be, sc, func(r *Run) {
		k := r.Dispatch.Kernel.Name
		ran[k] = ran[k] || r.Groups > 0
		if err := CompareRun(r, exact); err != nil && len(errs) < enough {
			errs = append(errs, fmt.Errorf("%s (%s): %w", k, r.Dispatch.Stage, err))
		}
	})
	return errs
}

// Replay runs a scenario on the CPU backend and each of its dispatches on be too,
// and shows every dispatch to see, in order.
func Replay(t testing.TB, be kernel.Backend, sc Scenario, see func(*Run)) {
	t.Helper()
	ref := cpu.New(cpu.Options{})
	defer ref.Close()
	pl := sc.Scene.Load(t, ref, sc.Refiner)
	p := &replayer{ref: ref, test: be, see: see}
	for _, b := range pl.All() {
		b.Persistent = true // the inputs of a dispatch are another submission's results
		if err := be.Alloc(b); err != nil {
			t.Fatal(err)
		}
		defer be.Free(b)
	}
	if sc.Prepare != nil {
		sc.Prepare(t, pl)
	}
	for _, program := range sc.Programs(pl) {
		if err := p.recording(program.Recording()); err != nil {
			t.Fatalf("%s: %v", sc.Name, err)
		}
	}
	sc.Check(t, pl)
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
