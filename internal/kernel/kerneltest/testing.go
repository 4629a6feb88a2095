package kerneltest

import (
	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/pipeline"
)

// TB is what the helpers need of a test: *testing.T and *testing.B have it. It
// stands here so that the program, which runs Check, does not carry package
// testing.
type TB interface {
	Helper()
	Error(args ...any)
	Fatal(args ...any)
	Cleanup(func())
}

// T is a test that can have parts, such as *testing.T.
type T[Self any] interface {
	TB
	Run(name string, part func(Self)) bool
}

// RunAll checks the backend that open makes: a part of the test for each scenario
// of Check.
func RunAll[Test T[Test]](t Test, open func() kernel.Backend) { runAll(t, open, Options{}) }

// RunExact is RunAll against another reference than the readable CPU kernels, with
// all tolerances at zero, for backends that promise the same bits.
func RunExact[Test T[Test]](t Test, reference, open func() kernel.Backend) {
	runAll(t, open, Options{Reference: reference, Exact: true})
}

func runAll[Test T[Test]](t Test, open func() kernel.Backend, o Options) {
	c := newChecker(o)
	t.Cleanup(c.ref.Close)
	whole := true
	for _, sc := range Scenarios() {
		whole = t.Run(sc.Name, func(t Test) {
			be := open()
			t.Cleanup(be.Close)
			for _, failure := range c.play(be, sc).Failures {
				t.Error(failure)
			}
		}) && whole
	}
	if !whole {
		return // the parts have said what is wrong
	}
	for _, problem := range c.finish().Problems {
		t.Error(problem)
	}
}

func must(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// NewCPU returns a CPU backend that is closed at the end of the test.
func NewCPU(t TB, o cpu.Options) *cpu.Backend {
	be := cpu.New(o)
	t.Cleanup(be.Close)
	return be
}

// Load is Build for tests; the pipeline is freed at the end.
func (s *Scene) Load(t TB, be kernel.Backend, refiner pipeline.Refiner) *pipeline.Pipeline {
	t.Helper()
	pl, err := s.Build(be, refiner)
	must(t, err)
	t.Cleanup(func() { pl.Free() })
	return pl
}

// RefineScene has n splats, a refine due at step 100 and room for capacity splats.
func RefineScene(seed uint64, n, capacity int) *Scene { return refineScene(seed, n, capacity) }

// LoadRefine makes a training at step 100 with moments that are nowhere zero.
func LoadRefine(t TB, s *Scene, o cpu.Options, refiner pipeline.Refiner) *pipeline.Pipeline {
	t.Helper()
	pl := s.Load(t, NewCPU(t, o), refiner)
	must(t, start(kernel.Control{Step: 100, Splats: uint32(s.Splats)})(pl))
	return pl
}

// Submit runs p and waits.
func Submit(t TB, pl *pipeline.Pipeline, p kernel.Program, times int) {
	t.Helper()
	must(t, submit(pl, p, times))
}

// State hashes every persistent buffer of a pipeline by name: two runs are equal
// if and only if their states are.
func State(t TB, pl *pipeline.Pipeline) map[string]uint64 {
	t.Helper()
	state, err := stateOf(pl)
	must(t, err)
	return state
}

// Control reads the device's state.
func Control(t TB, pl *pipeline.Pipeline) kernel.Control {
	t.Helper()
	c, err := kernel.ReadRecord[kernel.Control](pl.Backend, pl.Control, 0)
	must(t, err)
	return c
}

// SetControl stores the device's state.
func SetControl(t TB, pl *pipeline.Pipeline, c kernel.Control) {
	t.Helper()
	must(t, kernel.WriteRecord(pl.Backend, pl.Control, 0, c))
}

// ReadModel fetches the model of a pipeline.
func ReadModel(t TB, pl *pipeline.Pipeline) Model {
	t.Helper()
	all := func(b *kernel.Buffer) []float32 { return Reals(t, pl, b, b.Len) }
	return Model{
		Control: Control(t, pl),
		Geom:    all(pl.Geom), GeomM: all(pl.GeomM), GeomV: all(pl.GeomV),
		SH: all(pl.SH), SHM: all(pl.SHM), SHV: all(pl.SHV), Stats: all(pl.Stats),
		Stride: 3 * kernel.Coefficients(pl.Plan.SHDegree),
	}
}

// Reals reads n numbers of a real buffer.
func Reals(t TB, pl *pipeline.Pipeline, b *kernel.Buffer, n int) []float32 {
	t.Helper()
	out := make([]float32, n)
	must(t, kernel.ReadSlice(pl.Backend, b, 0, out))
	return out
}

// Words reads n numbers of a u32 buffer.
func Words(t TB, pl *pipeline.Pipeline, b *kernel.Buffer, n int) []uint32 {
	t.Helper()
	out := make([]uint32, n)
	must(t, kernel.ReadSlice(pl.Backend, b, 0, out))
	return out
}

// WriteReals stores numbers at the start of a real buffer.
func WriteReals(t TB, pl *pipeline.Pipeline, b *kernel.Buffer, data []float32) {
	t.Helper()
	must(t, kernel.WriteSlice(pl.Backend, b, 0, data))
}

// SetStats stores the densification statistics of splat i: its sum of gradients
// over views.
func SetStats(t TB, pl *pipeline.Pipeline, i int, sum, views float32) {
	t.Helper()
	must(t, kernel.WriteSlice(pl.Backend, pl.Stats, i*kernel.StatRow, []float32{sum, views}))
}

// RandomStats stores statistics of mean gradients below most for all rows.
func RandomStats(t TB, pl *pipeline.Pipeline, most float64) {
	t.Helper()
	WriteReals(t, pl, pl.Stats, randomStats(pl.Stats.Len, most))
}
