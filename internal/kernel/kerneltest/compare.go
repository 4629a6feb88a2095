package kerneltest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"splat/internal/kernel"
)

// Deviation is how near an output came to what it may differ by.
type Deviation struct {
	Binding   string  // "" where every output was equal
	Error     float64 // the largest, relative to the element and its column, or of an integer
	Tolerance float64 // for Error
	Flips     int     // elements beyond the tolerance that a threshold excuses
}

// share is the part of the tolerance that was used; huge where there is none.
func (d Deviation) share() float64 { return d.Error / max(d.Tolerance, 1e-200) }

// merge keeps the larger deviation and adds up the flips.
func (d *Deviation) merge(other Deviation) {
	flips := d.Flips + other.Flips
	if other.share() > d.share() {
		*d = other
	}
	d.Flips = flips
}

// CompareRun compares everything that the dispatch declares as written, by the
// kernel's case; with exact set, bit for bit.
func CompareRun(r *Run, exact bool) (Deviation, error) {
	var worst Deviation
	k := r.Dispatch.Kernel
	c := Lookup(k.Name)
	if c == nil {
		return worst, fmt.Errorf("kernel %s has no case", k.Name)
	}
	var errs []error
	for _, b := range k.Bindings {
		d, err := c.compare(r, b, exact)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", b.Name, err))
		}
		worst.merge(d)
	}
	return worst, errors.Join(errs...)
}

// Compare is CompareRun within the tolerances, for those who run dispatches
// themselves; it has the form that the backend of two halves, package twin, asks
// for. The error is one line.
func Compare(d *kernel.Dispatch, groups int, before, want, got map[string][]uint32) error {
	_, err := CompareRun(&Run{Dispatch: d, Groups: groups, Before: before, Want: want, Got: got}, false)
	if err != nil {
		err = errors.New(oneLine(err))
	}
	return err
}

// compare compares one binding.
func (c *Case) compare(r *Run, b kernel.Binding, exact bool) (Deviation, error) {
	if !b.Access.Writes() {
		if !slices.Equal(r.Before[b.Name], r.Got[b.Name]) {
			return Deviation{}, errors.New("read-only, but changed")
		}
		return Deviation{}, nil
	}
	o := c.output(b.Name)
	if o == nil {
		return Deviation{}, fmt.Errorf("the case of kernel %s does not compare it", c.Kernel)
	}
	cmp := newComparison(r, o, b, exact)
	err := cmp.run()
	return cmp.deviation, err
}

// comparison is one binding of one run.
type comparison struct {
	out               Output
	access            kernel.Access
	fields            []field
	columns           int
	before, want, got []uint32
	defined           func(int) bool
	where             func(row int) string // where in the picture a row is; may be nil
	scale             []float64            // largest |want| of each column
	deviation         Deviation
}

func newComparison(r *Run, o *Output, b kernel.Binding, exact bool) *comparison {
	c := &comparison{
		out: *o, access: b.Access, fields: layout(b.Elem),
		before: r.Before[b.Name], want: r.Want[b.Name], got: r.Got[b.Name],
		defined: func(int) bool { return true },
	}
	if exact {
		c.out.Rel, c.out.Abs, c.out.Slack, c.out.Flips = 0, 0, 0, 0
	}
	switch {
	case r.Groups == 0: // nothing ran: nothing may have changed
		c.defined, c.access = func(int) bool { return false }, kernel.ReadWrite
	case o.Defined != nil:
		c.defined = o.Defined(r)
	}
	if o.Private && r.Groups > 0 {
		c.access = kernel.Write
	}
	c.columns = max(o.Row, len(c.fields), 1)
	c.where = inPicture(r, b.Name)
	return c
}

// pixelRows and tileRows are the bindings with a row a pixel and a row a tile.
var (
	pixelRows = []string{"image", "last", "maps", "gradient"}
	tileRows  = []string{"partials", "ranges"}
)

// inPicture says where in the step's picture the rows of a binding are; nil where
// they are not in it, or the kernel does not know the step.
func inPicture(r *Run, binding string) func(row int) string {
	if len(r.Want["step"]) == 0 {
		return nil
	}
	what, across := "", uint32(0)
	switch s := r.Step(); {
	case slices.Contains(pixelRows, binding):
		what, across = "pixel", s.Width
	case slices.Contains(tileRows, binding):
		what, across = "tile", s.TilesX
	}
	if across == 0 {
		return nil
	}
	return func(row int) string {
		return fmt.Sprintf("%s x %d y %d", what, row%int(across), row/int(across))
	}
}

// run makes every check; the order is from what says most to what says least.
func (c *comparison) run() error {
	if len(c.got) != len(c.want) {
		return fmt.Errorf("%d words, want %d", len(c.got), len(c.want))
	}
	for _, check := range []func() error{c.notNaN, c.untouched, c.values, c.sparsity} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) real(i int) bool { return c.fields[i%len(c.fields)].real }

func value(word uint32) float64 { return float64(math.Float32frombits(word)) }

// notNaN rejects NaN before anything is compared: no comparison with it fails.
func (c *comparison) notNaN() error {
	c.scale = make([]float64, c.columns)
	for i, w := range c.want {
		if !c.real(i) || !c.defined(i) {
			continue
		}
		if math.IsNaN(value(w)) {
			return fmt.Errorf("%s: the reference itself is NaN", c.place(i))
		}
		if math.IsNaN(value(c.got[i])) {
			return fmt.Errorf("%s: NaN, want %v", c.place(i), value(w))
		}
		if v := math.Abs(value(w)); !math.IsInf(v, 0) {
			c.scale[i%c.columns] = max(c.scale[i%c.columns], v)
		}
	}
	return nil
}

// untouched checks that a read-write binding changed only where it may.
func (c *comparison) untouched() error {
	if c.access != kernel.ReadWrite {
		return nil
	}
	for i, w := range c.got {
		if w != c.before[i] && !c.defined(i) {
			return fmt.Errorf("%s: changed from %#x to %#x outside of what the kernel may write", c.place(i), c.before[i], w)
		}
	}
	return nil
}

// values compares every defined element and counts those beyond the tolerance.
// What thresholds excuse does not count as a deviation.
func (c *comparison) values() error {
	var total, bad int
	var first error
	var within, beyond Deviation
	for i := range c.want {
		if !c.defined(i) {
			continue
		}
		total++
		if c.want[i] == c.got[i] {
			continue
		}
		d := c.deviationOf(i)
		if d.Error <= d.Tolerance {
			within.merge(d)
			continue
		}
		bad++
		beyond.merge(d)
		if first == nil {
			first = c.difference(i)
		}
	}
	if bad > int(c.out.Flips*float64(total)) {
		c.deviation = beyond
		return fmt.Errorf("%d of %d elements differ, the first at %w", bad, total, first)
	}
	c.deviation = within
	c.deviation.Flips = bad
	return nil
}

// deviationOf measures an element that differs. The error of a real is relative to
// its size plus a share of its column's, the one that makes Rel the tolerance.
func (c *comparison) deviationOf(i int) Deviation {
	d := Deviation{Binding: c.out.Binding, Tolerance: float64(c.out.Slack)}
	if !c.real(i) {
		d.Error = float64(max(c.want[i], c.got[i]) - min(c.want[i], c.got[i]))
		return d
	}
	size, tolerance := c.size(i)
	d.Error, d.Tolerance = farOff, tolerance
	if diff := math.Abs(value(c.want[i]) - value(c.got[i])); diff == 0 {
		d.Error = 0 // 0 and -0
	} else if !math.IsInf(diff, 0) {
		d.Error = min(diff/size, farOff)
	}
	return d
}

// farOff is the largest error that is told, so that it stays a number.
const farOff = 1e9

// size is what the error of a real is relative to, and the tolerance for that.
func (c *comparison) size(i int) (size, tolerance float64) {
	w, scale := math.Abs(value(c.want[i])), c.scale[i%c.columns]
	switch {
	case math.IsInf(w, 0):
		return 1, 0
	case c.out.Rel > 0:
		return w + c.out.Abs/c.out.Rel*scale, c.out.Rel
	case c.out.Abs > 0:
		return scale, c.out.Abs
	}
	return w, 0
}

// difference says what is wrong with an element.
func (c *comparison) difference(i int) error {
	if !c.real(i) {
		return fmt.Errorf("%s: %d, want %d", c.place(i), c.got[i], c.want[i])
	}
	size, tolerance := c.size(i)
	return fmt.Errorf("%s: %.9g, want %.9g within %.2g", c.place(i), value(c.got[i]), value(c.want[i]), size*tolerance)
}

// sparsity rejects gradients that vanish where the reference has one, however
// small: a share of a thousandth may have underflowed.
func (c *comparison) sparsity() error {
	if !c.out.Gradient {
		return nil
	}
	var alive, lost int
	for i, w := range c.want {
		if c.defined(i) && value(w) != 0 {
			alive++
			if value(c.got[i]) == 0 {
				lost++
			}
		}
	}
	if lost > int((c.out.Flips+1e-3)*float64(alive)) {
		return fmt.Errorf("%d of %d gradients are zero where the reference is not", lost, alive)
	}
	return nil
}

// place names an element for people.
func (c *comparison) place(i int) string {
	if n := len(c.fields); n > 1 {
		return fmt.Sprintf("record %d, field %s", i/n, c.fields[i%n].name)
	}
	where := fmt.Sprintf("element %d", i)
	if c.where != nil {
		where += ", " + c.where(i/c.columns)
	}
	if c.columns > 1 {
		where += fmt.Sprintf(", row %d, column %d", i/c.columns, i%c.columns)
	}
	return where
}
