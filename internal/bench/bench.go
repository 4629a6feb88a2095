// Package bench is the workloads that speed is measured with: whole training
// steps, forward passes and every kernel of a step, on synthetic scenes that
// depend on nothing but a seed. Go's benchmarks and the bench command run the
// same cases through the same code.
//
// A case prepares once and then runs any number of times; what it does must not
// change meanwhile. Learning rates are next to zero, so that repeated steps and
// updates work on the same splats for ever. A kernel is timed as the dispatches of
// the step's own recording, on the buffers that a whole step has filled; lists
// that a sort has put in order are put out of order again before each run,
// outside the measured time.
package bench

import "splat/internal/kernel"

// Case is one workload.
type Case struct {
	Name     string // stable: Kernel/rasterize/splats=1M/size=1920x1080
	Scene    Scene  // the zero Scene where none is needed
	training bool   // needs the buffers of a training, not only those of a forward pass
	host     int64  // bytes of main memory beyond the scene's
	cpu      bool   // measures this process, which is the CPU backend or nothing
	prepare  func(*Rig, Case) (*Work, error)
}

// Bytes is the memory that the case needs, planned on the null backend.
func (c Case) Bytes() (int64, error) {
	if c.Scene.Splats == 0 {
		return c.host, nil
	}
	n, err := c.Scene.bytes(c.training)
	return n + c.host, err
}

// Metric is a number reported beside the time of a run.
type Metric struct {
	Unit  string  `json:"unit"` // without spaces
	Value float64 `json:"value"`
}

// Work is a case that is ready to run.
type Work struct {
	// Run does it n times and returns when all is done.
	Run func(n int) error
	// Reset, where it is not nil, must be called before each Run, with n = 1; its
	// time does not count.
	Reset func() error
	// Metrics describe the workload, whatever time it takes.
	Metrics []Metric
	// Rates are amounts of a run (bytes, operations) to be divided by its time in
	// nanoseconds, which makes 10^9 a second: "GB/s".
	Rates []Metric
}

// Rig prepares cases on a backend. It keeps the scene that it used last, so that
// the cases of one scene share it.
type Rig struct {
	backend kernel.Backend
	threads int
	world   *world
	loose   []*kernel.Buffer // of a case without a scene
}

// NewRig returns a rig without a scene. threads is how many the CPU backend has,
// which measurements of the memory are to use too.
func NewRig(be kernel.Backend, threads int) *Rig { return &Rig{backend: be, threads: max(threads, 1)} }

// Prepare makes a case ready. The Work of the case before must not be used any
// more.
func (r *Rig) Prepare(c Case) (*Work, error) { return c.prepare(r, c) }

// Close frees the scene's memory.
func (r *Rig) Close() { r.drop() }
