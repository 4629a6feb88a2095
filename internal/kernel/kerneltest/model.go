package kerneltest

import (
	"math/rand/v2"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/pipeline"
)

// Model is everything that a training keeps of its splats, all rows of the
// capacity.
type Model struct {
	Control            kernel.Control
	Geom, GeomM, GeomV []float32
	SH, SHM, SHV       []float32
	Stats              []float32
	Stride             int // reals of SH a splat
}

// ReadModel fetches the model of a pipeline.
func ReadModel(t testing.TB, pl *pipeline.Pipeline) Model {
	t.Helper()
	all := func(b *kernel.Buffer) []float32 { return Reals(t, pl, b, b.Len) }
	return Model{
		Control: Control(t, pl),
		Geom:    all(pl.Geom), GeomM: all(pl.GeomM), GeomV: all(pl.GeomV),
		SH: all(pl.SH), SHM: all(pl.SHM), SHV: all(pl.SHV), Stats: all(pl.Stats),
		Stride: 3 * kernel.Coefficients(pl.Plan.SHDegree),
	}
}

// Splats is the number of live rows.
func (m *Model) Splats() int { return int(m.Control.Splats) }

// Row is the stored geometry of splat i.
func (m *Model) Row(i int) []float32 { return m.Geom[i*kernel.GeomRow : (i+1)*kernel.GeomRow] }

// Color is the stored SH of splat i.
func (m *Model) Color(i int) []float32 { return m.SH[i*m.Stride : (i+1)*m.Stride] }

// Moments are all of Adam's numbers of splat i.
func (m *Model) Moments(i int) (out []float32) {
	out = append(out, m.GeomM[i*kernel.GeomRow:(i+1)*kernel.GeomRow]...)
	out = append(out, m.GeomV[i*kernel.GeomRow:(i+1)*kernel.GeomRow]...)
	out = append(out, m.SHM[i*m.Stride:(i+1)*m.Stride]...)
	return append(out, m.SHV[i*m.Stride:(i+1)*m.Stride]...)
}

// RefineScene has n splats, a refine due at step 100 and room for capacity splats.
func RefineScene(seed uint64, n, capacity int) *Scene { return refineScene(seed, n, capacity) }

// LoadRefine makes a training at step 100 with moments that are nowhere zero.
func LoadRefine(t testing.TB, s *Scene, o cpu.Options, refiner pipeline.Refiner) *pipeline.Pipeline {
	t.Helper()
	pl := s.Load(t, NewCPU(t, o), refiner)
	start(kernel.Control{Step: 100, Splats: uint32(s.Splats)})(t, pl)
	return pl
}

// SetStats stores the densification statistics of splat i: its sum of gradients
// over views.
func SetStats(t testing.TB, pl *pipeline.Pipeline, i int, sum, views float32) {
	t.Helper()
	if err := kernel.WriteSlice(pl.Backend, pl.Stats, i*kernel.StatRow, []float32{sum, views}); err != nil {
		t.Fatal(err)
	}
}

// RandomStats stores statistics of mean gradients below most for all rows.
func RandomStats(t testing.TB, pl *pipeline.Pipeline, most float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range pl.Stats.Len / kernel.StatRow {
		views := rng.IntN(4)
		SetStats(t, pl, i, float32(float64(views)*most*rng.Float64()), float32(views))
	}
}
