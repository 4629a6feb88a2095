package bench

import (
	"fmt"
	"runtime/debug"

	"splat/internal/kernel"
	"splat/internal/pipeline"
)

// world is a scene on a backend.
type world struct {
	scene    Scene
	training bool
	pl       *pipeline.Pipeline
	filled   bool // the scratch buffers hold what a whole pass leaves
	visible  uint32
	pairs    uint32
}

// open returns the case's scene, filled by a whole pass.
func (r *Rig) open(c Case) (*world, error) {
	if r.world == nil || r.world.scene != c.Scene || r.world.training != c.training {
		r.drop()
		w, err := newWorld(r.backend, c.Scene, c.training)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		r.world = w
	}
	if err := r.world.fill(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return r.world, nil
}

// drop frees the scene. The runtime is made to give memory back at once: the next
// scene may need all of it.
func (r *Rig) drop() {
	for _, b := range r.loose {
		r.backend.Free(b)
	}
	r.loose = nil
	if r.world != nil {
		r.world.pl.Free()
		r.world = nil
		debug.FreeOSMemory()
	}
}

func newWorld(be kernel.Backend, s Scene, training bool) (*world, error) {
	pl, err := pipeline.New(be, s.plan(training), nil)
	if err != nil {
		return nil, err
	}
	w := &world{scene: s, training: training, pl: pl}
	if err := w.load(); err != nil {
		pl.Free()
		return nil, err
	}
	return w, nil
}

// load uploads the scene, piece by piece.
func (w *world) load() error {
	be, pl := w.pl.Backend, w.pl
	err := kernel.WriteRecord(be, pl.Schedule, 0, w.scene.schedule())
	if err == nil {
		err = kernel.WriteRecord(be, pl.Views, 0, w.scene.view())
	}
	if err == nil {
		err = w.setControl(kernel.Control{})
	}
	if err == nil {
		err = w.loadCloud()
	}
	if err == nil && w.training {
		err = w.loadTarget()
	}
	return err
}

func (w *world) setControl(c kernel.Control) error {
	c.Splats, c.Limit = uint32(w.scene.Splats), 1<<31
	return kernel.WriteRecord(w.pl.Backend, w.pl.Control, 0, c)
}

func (w *world) loadCloud() error {
	n, stride := w.scene.Splats, 3*kernel.Coefficients(degree)
	size := min(n, rowsAtOnce)
	geom, sh := make([]float32, size*kernel.GeomRow), make([]float32, size*stride)
	c := cloud{n: n}
	for from := 0; from < n; from += rowsAtOnce {
		rows := min(rowsAtOnce, n-from)
		c.chunk(from, from+rows, geom, sh)
		if err := kernel.WriteSlice(w.pl.Backend, w.pl.Geom, from*kernel.GeomRow, geom[:rows*kernel.GeomRow]); err != nil {
			return err
		}
		if err := kernel.WriteSlice(w.pl.Backend, w.pl.SH, from*stride, sh[:rows*stride]); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) loadTarget() error {
	n := w.scene.Width * w.scene.Height
	words := make([]uint32, min(n, rowsAtOnce))
	for from := 0; from < n; from += rowsAtOnce {
		part := words[:min(rowsAtOnce, n-from)]
		w.scene.target(from, part)
		if err := kernel.WriteSlice(w.pl.Backend, w.pl.Targets, from, part); err != nil {
			return err
		}
	}
	return kernel.WriteSlice(w.pl.Backend, w.pl.Window, 0, window())
}

// whole is the program that fills the scratch buffers.
func (w *world) whole() kernel.Program {
	if w.training {
		return w.pl.StepProgram
	}
	return w.pl.RenderProgram
}

// fill runs a whole pass unless the scratch buffers hold one, and makes room for
// its pairs where the estimate was too low.
func (w *world) fill() error {
	for !w.filled {
		if err := w.submit(w.whole(), 1); err != nil {
			return err
		}
		c, err := kernel.ReadRecord[kernel.Control](w.pl.Backend, w.pl.Control, 0)
		switch {
		case err != nil:
			return err
		case c.Overflow == 0:
			w.filled = true
		default:
			if err := w.grow(c); err != nil {
				return err
			}
		}
	}
	return w.count()
}

func (w *world) grow(c kernel.Control) error {
	if err := w.pl.GrowPairs(int(c.NeedPairs) + int(c.NeedPairs)/16); err != nil {
		return err
	}
	c.Overflow = 0
	return w.setControl(c)
}

// count reads what the pass found.
func (w *world) count() error {
	counts := make([]uint32, kernel.NumCounts)
	if err := kernel.ReadSlice(w.pl.Backend, w.pl.Counts, 0, counts); err != nil {
		return err
	}
	w.visible, w.pairs = counts[kernel.CountVisible], counts[kernel.CountPairs]
	if w.pairs == 0 {
		return fmt.Errorf("a pass over %d splats found no pairs", w.scene.Splats)
	}
	return nil
}

func (w *world) submit(p kernel.Program, times int) error {
	if err := w.pl.Backend.Submit(p, times); err != nil {
		return err
	}
	return w.pl.Backend.Wait()
}

// work is a program as a case.
func (w *world) work(p kernel.Program) *Work {
	return &Work{
		Run:     func(n int) error { return w.submit(p, n) },
		Metrics: []Metric{{"pairs", float64(w.pairs)}, {"visible", float64(w.visible)}},
	}
}
