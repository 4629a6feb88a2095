package kerneltest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"splat/internal/kernel"
)

// CompareRun compares everything that the dispatch declares as written, by the
// kernel's case; with exact set, bit for bit.
func CompareRun(r *Run, exact bool) error {
	k := r.Dispatch.Kernel
	c := Lookup(k.Name)
	if c == nil {
		return fmt.Errorf("kernel %s has no case", k.Name)
	}
	var errs []error
	for _, b := range k.Bindings {
		if !b.Access.Writes() {
			if !slices.Equal(r.Before[b.Name], r.Got[b.Name]) {
				errs = append(errs, fmt.Errorf("%s: read-only, but changed", b.Name))
			}
			continue
		}
		o := c.output(b.Name)
		if o == nil {
			errs = append(errs, fmt.Errorf("%s: the case of kernel %s does not compare it", b.Name, k.Name))
			continue
		}
		if err := newComparison(r, o, b, exact).run(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", b.Name, err))
		}
	}
	return errors.Join(errs...)
}

// comparison is one binding of one run.
type comparison struct {
	out               Output
	access            kernel.Access
	fields            []field
	columns           int
	before, want, got []uint32
	defined           func(int) bool
	scale             []float64 // largest |want| of each column
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
	c.columns = max(o.Row, len(c.fields), 1)
	return c
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
func (c *comparison) values() error {
	var total, bad int
	var first error
	for i := range c.want {
		if !c.defined(i) {
			continue
		}
		total++
		if err := c.element(i); err != nil {
			bad++
			if first == nil {
				first = err
			}
		}
	}
	if bad > int(c.out.Flips*float64(total)) {
		return fmt.Errorf("%d of %d elements differ, the first at %w", bad, total, first)
	}
	return nil
}

// element compares one element.
func (c *comparison) element(i int) error {
	want, got := c.want[i], c.got[i]
	if want == got {
		return nil
	}
	if !c.real(i) {
		if max(want, got)-min(want, got) <= c.out.Slack {
			return nil
		}
		return fmt.Errorf("%s: %d, want %d", c.place(i), got, want)
	}
	w, g := value(want), value(got)
	if limit := c.limit(i); w == g || math.Abs(w-g) <= limit {
		return nil
	}
	return fmt.Errorf("%s: %.9g, want %.9g within %.2g", c.place(i), g, w, c.limit(i))
}

// limit is the largest allowed difference of a real; none where the reference is
// infinite.
func (c *comparison) limit(i int) float64 {
	w := math.Abs(value(c.want[i]))
	if math.IsInf(w, 0) {
		return 0
	}
	return c.out.Rel*w + c.out.Abs*c.scale[i%c.columns]
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
	if c.columns > 1 {
		return fmt.Sprintf("row %d, column %d", i/c.columns, i%c.columns)
	}
	return fmt.Sprintf("element %d", i)
}
