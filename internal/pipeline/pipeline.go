package pipeline

import (
	"fmt"

	"splat/internal/kernel"
)

// Refiner records a strategy's refine list with the pipeline's buffers.
type Refiner func(rec *kernel.Recording, b *Buffers, p Plan)

// Pipeline is the buffers and compiled recordings of one plan on one backend.
type Pipeline struct {
	*Buffers
	Plan    Plan
	Backend kernel.Backend

	refiner        Refiner
	StepProgram    kernel.Program // one training step
	RenderProgram  kernel.Program // forward pass of Control.Request
	RefineProgram  kernel.Program // one refine, nil without a refiner
	MeasureProgram kernel.Program // forward pass and loss of the next step's view, without committing; gradient checks use it
}

// New allocates the buffers of p on be and compiles the recordings. refiner may
// be nil.
func New(be kernel.Backend, p Plan, refiner Refiner) (*Pipeline, error) {
	pl := &Pipeline{Buffers: newBuffers(p), Plan: p, Backend: be, refiner: refiner}
	for _, buf := range pl.All() {
		if err := pl.alloc(buf); err != nil {
			pl.Free()
			return nil, err
		}
	}
	if err := pl.compile(); err != nil {
		pl.Free()
		return nil, err
	}
	return pl, nil
}

// Free releases all buffers.
func (pl *Pipeline) Free() {
	for _, buf := range pl.All() {
		pl.Backend.Free(buf)
	}
}

func (pl *Pipeline) alloc(buf *kernel.Buffer) error {
	if err := pl.Backend.Alloc(buf); err != nil {
		return fmt.Errorf("%w (for %d splats, %d pairs and %d pixels a view)", err, pl.Plan.Splats, pl.Plan.Pairs, pl.Plan.Pixels)
	}
	return nil
}

// compile records and compiles everything for the current plan.
func (pl *Pipeline) compile() (err error) {
	compile := func(to *kernel.Program, rec *kernel.Recording) {
		if err == nil {
			*to, err = pl.Backend.Compile(rec)
		}
	}
	compile(&pl.RenderProgram, pl.recordRender())
	if pl.Plan.Training {
		compile(&pl.StepProgram, pl.recordStep())
		compile(&pl.MeasureProgram, pl.recordMeasure())
	}
	if pl.refiner != nil {
		rec := &kernel.Recording{Name: "refine"}
		pl.refiner(rec, pl.Buffers, pl.Plan)
		compile(&pl.RefineProgram, rec)
	}
	return err
}

func (pl *Pipeline) begin(rec *kernel.Recording, k *kernel.Contract) {
	rec.Stage("begin")
	args := kernel.Args{
		"control": pl.Control, "schedule": pl.Schedule, "views": pl.Views, "step": pl.Step,
		"counts": pl.Counts, "args": pl.Args,
	}
	if k == kernel.Begin {
		args["resident"] = pl.Resident
	}
	rec.Direct(k, 1, args)
}

func (pl *Pipeline) recordStep() *kernel.Recording {
	rec := &kernel.Recording{Name: "step"}
	pl.begin(rec, kernel.Begin)
	sorted := pl.recordProject(rec, pl.Plan)
	pl.recordRasterizeSaving(rec, pl.Plan, sorted)
	pl.recordLoss(rec, pl.Plan)
	pl.recordBackward(rec, pl.Plan, sorted)
	pl.recordUpdate(rec, pl.Plan)
	pl.recordCommit(rec)
	return rec
}

func (pl *Pipeline) recordMeasure() *kernel.Recording {
	rec := &kernel.Recording{Name: "measure"}
	pl.begin(rec, kernel.Begin)
	sorted := pl.recordProject(rec, pl.Plan)
	pl.recordRasterize(rec, pl.Plan, sorted)
	pl.recordLoss(rec, pl.Plan)
	return rec
}

func (pl *Pipeline) recordRender() *kernel.Recording {
	rec := &kernel.Recording{Name: "render"}
	pl.begin(rec, kernel.BeginRender)
	sorted := pl.recordProject(rec, pl.Plan)
	pl.recordRasterize(rec, pl.Plan, sorted)
	return rec
}
