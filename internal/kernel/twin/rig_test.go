package twin_test

import (
	"slices"
	"testing"

	"splat/internal/config"
	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
	"splat/internal/kernel/twin"
	"splat/internal/pipeline"
)

// spy is a backend that notes what it is asked for.
type spy struct {
	kernel.Backend
	compiled  []*kernel.Recording
	submitted []string // recording and times
	ran       []string // kernels, in order
	read      map[string]int
	live      map[*kernel.Buffer]bool
	most      int // buffers that were live at a time
	peeked    int
}

func newSpy(be kernel.Backend) *spy {
	return &spy{Backend: be, read: map[string]int{}, live: map[*kernel.Buffer]bool{}}
}

func (s *spy) Compile(r *kernel.Recording) (kernel.Program, error) {
	s.compiled = append(s.compiled, r)
	return s.Backend.Compile(r)
}

func (s *spy) Submit(p kernel.Program, times int) error {
	for range times {
		for _, d := range p.Recording().Dispatches {
			s.ran = append(s.ran, d.Kernel.Name)
		}
	}
	s.submitted = append(s.submitted, p.Recording().Name)
	return s.Backend.Submit(p, times)
}

func (s *spy) ReadBytes(b *kernel.Buffer, at int, data []byte) error {
	s.read[b.Name]++
	return s.Backend.ReadBytes(b, at, data)
}

func (s *spy) Alloc(b *kernel.Buffer) error {
	err := s.Backend.Alloc(b)
	if err == nil {
		s.live[b] = true
	}
	s.most = max(s.most, len(s.live))
	return err
}

func (s *spy) Free(b *kernel.Buffer) {
	delete(s.live, b)
	s.Backend.Free(b)
}

func (s *spy) Peek(*kernel.Buffer, int, []byte) error {
	s.peeked++
	return nil
}

// readable and fast are two CPU backends whose results differ in some bits.
func readable() *cpu.Backend { return cpu.New(cpu.Options{Reference: true, Threads: 2}) }
func fast() *cpu.Backend     { return cpu.New(cpu.Options{Threads: 2}) }

// join makes a backend of two that the test closes.
func join(t *testing.T, device, host kernel.Backend, o twin.Options) *twin.Backend {
	t.Helper()
	if o.Compare == nil {
		o.Compare = kerneltest.Compare
	}
	o.Nearest = config.Nearest
	be, err := twin.New(device, host, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(be.Close)
	return be
}

// scenario finds one of the conformance suite's.
func scenario(t *testing.T, name string) kerneltest.Scenario {
	t.Helper()
	for _, sc := range kerneltest.Scenarios() {
		if sc.Name == name {
			return sc
		}
	}
	t.Fatalf("no scenario %s", name)
	return kerneltest.Scenario{}
}

// load makes a scenario's pipeline, ready to run.
func load(t *testing.T, be kernel.Backend, sc kerneltest.Scenario) *pipeline.Pipeline {
	t.Helper()
	pl := sc.Scene.Load(t, be, sc.Refiner)
	if sc.Prepare != nil {
		if err := sc.Prepare(pl); err != nil {
			t.Fatal(err)
		}
	}
	return pl
}

// play runs all of a scenario.
func play(pl *pipeline.Pipeline, sc kerneltest.Scenario) error {
	for _, p := range sc.Programs(pl) {
		if err := pl.Backend.Submit(p, 1); err != nil {
			return err
		}
	}
	return pl.Backend.Wait()
}

// outcome is everything that a scenario leaves behind on be, the picture included.
func outcome(t *testing.T, be kernel.Backend, sc kerneltest.Scenario) map[string]uint64 {
	t.Helper()
	pl := load(t, be, sc)
	if err := play(pl, sc); err != nil {
		t.Fatal(err)
	}
	state := kerneltest.State(t, pl)
	for i, v := range kerneltest.Reals(t, pl, pl.Image, pl.Image.Len) {
		state["image"] = state["image"]*1099511628211 + uint64(kernel.Hash(uint32(i), uint32(int32(v*1e6)), 0))
	}
	return state
}

// kernelsOf lists the kernels of a recording's dispatches that keep chooses.
func kernelsOf(r *kernel.Recording, keep func(d kernel.Dispatch) bool) (out []string) {
	for _, d := range r.Dispatches {
		if keep(d) {
			out = append(out, d.Kernel.Name)
		}
	}
	return out
}

// isStage chooses the dispatches of stages.
func isStage(names ...string) func(kernel.Dispatch) bool {
	return func(d kernel.Dispatch) bool { return slices.Contains(names, d.Stage) }
}

// isKernel chooses the dispatches of kernels.
func isKernel(names ...string) func(kernel.Dispatch) bool {
	return func(d kernel.Dispatch) bool { return slices.Contains(names, d.Kernel.Name) }
}
