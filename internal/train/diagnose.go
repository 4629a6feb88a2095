package train

import (
	"fmt"
	"math"

	"splat/internal/kernel"
)

// A step that met numbers which are not finite is not committed and no other runs,
// so its buffers still hold what each kernel made. diagnose looks at them in the
// order of the pipeline: the first that is damaged names the kernel. Damaged splats
// are not drawn, so what is stored damages nothing else and is looked at last.

// finding is where the first damage is.
type finding struct{ kernel, what string }

// diagnose says which kernel made the numbers that are not finite, of which
// parameter and splat.
func (s *session) diagnose(c kernel.Control) error {
	f, err := s.firstDamage(c)
	if err != nil {
		return fmt.Errorf("step %d met numbers that are not finite, and looking for the cause failed: %w", c.NonFinite-1, err)
	}
	return fmt.Errorf("step %d met numbers that are not finite: kernel %s, %s; %s", c.NonFinite-1, f.kernel, f.what, s.advice(int(c.NonFinite)-1))
}

// advice is what to do about damage that a step met. The first step met it because
// of how the run began, others of the first pass over the views may have: a splat
// does no harm until a view shows it.
func (s *session) advice(step int) string {
	const rates = "lower the learning rates (optim.lr_*)"
	file := s.cfg.Model.Init
	switch {
	case step == 0 && file != "":
		return "no step has changed the splats yet; remove such splats from " + file
	case step == 0:
		return "no step has changed the splats yet; check the capture's points and cameras (splat info), or lower model.init_scale"
	case step < s.trains && file != "":
		return "the splats are kept as they were before; remove such splats from " + file + ", or " + rates
	}
	return "the splats are kept as they were before; " + rates
}

func (s *session) firstDamage(c kernel.Control) (finding, error) {
	d := &damage{session: s, control: c}
	d.projection()
	d.pictures()
	d.slots()
	if c.Broken != kernel.NoSplat {
		d.stored(int(c.Broken))
	}
	d.gradient()
	if d.err != nil {
		return finding{}, d.err
	}
	return *d.found, nil
}

// damage is a search; it ends at the first find or error.
type damage struct {
	*session
	control kernel.Control
	found   *finding
	err     error
}

func (d *damage) over() bool { return d.err != nil || d.found != nil }

func (d *damage) find(kernel, format string, args ...any) {
	if !d.over() {
		d.found = &finding{kernel, fmt.Sprintf(format, args...)}
	}
}

// reals reads n values of a buffer from at on; none once the search is over.
func (d *damage) reals(b *kernel.Buffer, at, n int) []float32 {
	if d.over() {
		return nil
	}
	out := make([]float32, n)
	d.err = kernel.ReadSlice(d.pl.Backend, b, at, out)
	return out
}

func (d *damage) words(b *kernel.Buffer, n int) []uint32 {
	if d.over() {
		return nil
	}
	out := make([]uint32, n)
	d.err = kernel.ReadSlice(d.pl.Backend, b, 0, out)
	return out
}

// odd returns the place of the first value that is not finite, -1 if none.
func odd(v []float32) int {
	for i, x := range v {
		if !(math.Abs(float64(x)) <= math.MaxFloat32) {
			return i
		}
	}
	return -1
}

// stored looks at what is stored of splat i. It was made by the last step or
// refine, or came with the start.
func (d *damage) stored(i int) {
	maker := "update"
	if d.control.LastRefine > 0 && d.control.LastRefine == d.control.NonFinite-1 {
		maker = "of the refine (" + d.cfg.Strategy.Name + ")"
	}
	sh := 3 * kernel.Coefficients(d.pl.Plan.SHDegree)
	for _, part := range []struct {
		buffer    *kernel.Buffer
		row, used int
		moment    string
		parameter func(int) string
	}{
		{d.pl.Geom, kernel.GeomRow, kernel.GeomRow - 1, "", geomParameter},
		{d.pl.SH, sh, sh, "", shParameter},
		{d.pl.GeomM, kernel.GeomRow, kernel.GeomRow - 1, "first moment of the ", geomParameter},
		{d.pl.GeomV, kernel.GeomRow, kernel.GeomRow - 1, "second moment of the ", geomParameter},
		{d.pl.SHM, sh, sh, "first moment of the ", shParameter},
		{d.pl.SHV, sh, sh, "second moment of the ", shParameter},
		{d.pl.Stats, kernel.StatRow, kernel.StatRow, "", func(int) string { return "screen gradient (densification statistics)" }},
	} {
		row := d.reals(part.buffer, i*part.row, part.used)
		if k := odd(row); k >= 0 {
			d.find(maker, "the %s%s of splat %d is %v", part.moment, part.parameter(k), i, row[k])
		}
	}
}

func geomParameter(column int) string {
	switch {
	case column < kernel.GeomOpacity:
		return "mean"
	case column == kernel.GeomOpacity:
		return "opacity"
	case column < kernel.GeomScale:
		return "quaternion"
	}
	return "log scale"
}

func shParameter(column int) string {
	return fmt.Sprintf("SH coefficient %d (%s)", column/3, [3]string{"red", "green", "blue"}[column%3])
}

// projection looks at the projected rows of what is drawn.
func (d *damage) projection() {
	tiles := d.words(d.pl.Tiles, int(d.control.Splats))
	rows := d.reals(d.pl.Proj, 0, int(d.control.Splats)*kernel.ProjRow)
	for i, n := range tiles {
		if n == 0 || d.over() {
			continue
		}
		row := rows[i*kernel.ProjRow : (i+1)*kernel.ProjRow]
		if k := odd(row); k >= 0 {
			names := [kernel.ProjRow]string{"mean", "mean", "conic", "conic", "conic", "opacity", "colour", "colour", "colour", "depth", "extent", "extent"}
			d.find("project", "the projected %s of splat %d is %v", names[k], i, row[k])
		}
	}
}

// pictures looks at what is made a pixel or a tile.
func (d *damage) pictures() {
	step, err := kernel.ReadRecord[kernel.Step](d.pl.Backend, d.pl.Step, 0)
	if err != nil && d.err == nil {
		d.err = err
	}
	pixels, tiles := int(step.Width*step.Height), int(step.TilesX*step.TilesY)
	for _, part := range []struct {
		kernel, what string
		buffer       *kernel.Buffer
		n            int
		pixel        func(int) int
	}{
		{"rasterize", "the picture", d.pl.Image, 4 * pixels, func(i int) int { return i / 4 }},
		{"loss", "a derivative of the SSIM", d.pl.Maps, 9 * pixels, func(i int) int { return i % pixels }},
		{"loss", "the sum over a tile", d.pl.Partials, 2 * tiles, nil},
		{"loss_gradient", "the gradient of the picture", d.pl.Gradient, 3 * pixels, func(i int) int { return i / 3 }},
	} {
		values := d.reals(part.buffer, 0, part.n)
		k := odd(values)
		switch {
		case k < 0:
		case part.pixel == nil:
			d.find(part.kernel, "%s %d of view %s is %v", part.what, k/2, d.views[step.View].Name, values[k])
		default:
			at := part.pixel(k)
			d.find(part.kernel, "%s at pixel (%d, %d) of view %s is %v", part.what, at%int(step.Width), at/int(step.Width), d.views[step.View].Name, values[k])
		}
	}
}

// slots looks at the gradients of pairs.
func (d *damage) slots() {
	n := int(d.control.Splats)
	tiles, base := d.words(d.pl.Tiles, n), d.words(d.pl.Base, n)
	slots := d.reals(d.pl.Slots, 0, d.pl.Slots.Len)
	names := [kernel.SlotRow]string{"mean", "mean", "conic", "conic", "conic", "opacity", "colour", "colour", "colour", "mean (absolute)", "mean (absolute)", "padding"}
	for i, count := range tiles {
		if count == 0 || d.over() {
			continue
		}
		if k := odd(slots[int(base[i])*kernel.SlotRow : (int(base[i])+int(count))*kernel.SlotRow]); k >= 0 {
			d.find("rasterize_backward", "the gradient of the projected %s of splat %d is %v", names[k%kernel.SlotRow], i, slots[int(base[i])*kernel.SlotRow+k])
		}
	}
}

// gradient is what is left: all that went into the update is finite.
func (d *damage) gradient() {
	i := d.control.Broken
	if d.over() {
		return
	}
	if i == kernel.NoSplat {
		d.find("commit", "the loss is not finite though all that it was made of is")
		return
	}
	row := d.reals(d.pl.Geom, int(i)*kernel.GeomRow, kernel.GeomRow)
	if d.err == nil {
		d.find("update", "a gradient of splat %d is beyond %g; its log scales are %v, its opacity logit is %v", i, float64(kernel.HugeGradient), row[kernel.GeomScale:kernel.GeomScale+3], row[kernel.GeomOpacity])
	}
}
