package bench

import (
	"fmt"
	"slices"
	"strings"

	"splat/internal/kernel"
)

// pick chooses dispatches of the step's recording: those of a stage, or only
// those of some kernels in it (names separated by spaces).
type pick struct{ stage, kernels string }

func (p pick) takes(d kernel.Dispatch) bool {
	return d.Stage == p.stage && (p.kernels == "" || slices.Contains(strings.Fields(p.kernels), d.Kernel.Name))
}

// group is a kernel, or kernels that belong together, as a case of its own.
type group struct {
	name string
	of   pick
	// before undoes what the group does to its own input, so that each run finds
	// the same.
	before pick
	// spoils says that the buffers afterwards are not those of a whole step.
	spoils bool
}

// groups covers the step's recording. Scans and sorts come as a whole: a pass of
// a sort alone is no work that anyone waits for.
var groups = []group{
	{name: "begin", of: pick{"begin", ""}, spoils: true},
	{name: "project", of: pick{"project", ""}},
	{name: "scan", of: pick{"compact", "scan_reduce scan_top scan_apply"}},
	{name: "compact", of: pick{"compact", ""}, spoils: true},
	{name: "depth_sort", of: pick{"depth-sort", ""}, before: pick{"compact", ""}},
	{name: "emit", of: pick{"emit", ""}, spoils: true},
	{name: "tile_sort", of: pick{"tile-sort", ""}, before: pick{"emit", ""}},
	{name: "ranges", of: pick{"ranges", ""}},
	{name: "rasterize", of: pick{"rasterize", ""}},
	{name: "loss", of: pick{"loss", "loss"}},
	{name: "loss_gradient", of: pick{"loss", "loss_gradient"}},
	{name: "rasterize_backward", of: pick{"rasterize-backward", ""}},
	{name: "update", of: pick{"update", ""}},
	{name: "commit", of: pick{"commit", ""}},
}

// part compiles the picked dispatches of the step.
func (w *world) part(p pick) (kernel.Program, error) {
	rec := &kernel.Recording{Name: "bench " + p.stage}
	for _, d := range w.pl.StepProgram.Recording().Dispatches {
		if p.takes(d) {
			rec.Dispatches = append(rec.Dispatches, d)
		}
	}
	if len(rec.Dispatches) == 0 {
		return nil, fmt.Errorf("bench: the step records no %s %s", p.stage, p.kernels)
	}
	return w.pl.Backend.Compile(rec)
}

// prepare makes a group of kernels ready.
func (g group) prepare(r *Rig, c Case) (*Work, error) {
	w, err := r.open(c)
	if err != nil {
		return nil, err
	}
	program, err := w.part(g.of)
	if err != nil {
		return nil, err
	}
	work := w.work(program)
	if g.before.stage != "" {
		undo, err := w.part(g.before)
		if err != nil {
			return nil, err
		}
		work.Reset = func() error { return w.submit(undo, 1) }
	}
	w.filled = !g.spoils
	return work, nil
}

// prepareStep makes whole training steps ready.
func prepareStep(r *Rig, c Case) (*Work, error) {
	w, err := r.open(c)
	if err != nil {
		return nil, err
	}
	return w.work(w.pl.StepProgram), nil
}

// prepareRender makes forward passes ready, with the buffers of rendering only.
func prepareRender(r *Rig, c Case) (*Work, error) {
	w, err := r.open(c)
	if err != nil {
		return nil, err
	}
	return w.work(w.pl.RenderProgram), nil
}

// sceneCases lists the cases of one scene, those that share buffers side by side.
func sceneCases(s Scene) []Case {
	list := []Case{
		{Name: "Render/" + s.String(), Scene: s, prepare: prepareRender},
		{Name: "Step/" + s.String(), Scene: s, training: true, prepare: prepareStep},
	}
	for _, g := range groups {
		list = append(list, Case{Name: "Kernel/" + g.name + "/" + s.String(), Scene: s, training: true, prepare: g.prepare})
	}
	return list
}
