package kerneltest

import (
	"splat/internal/kernel"
)

// Case says how one kernel's outputs are compared. There is exactly one case for
// each contract.
type Case struct {
	Kernel  string
	Outputs []Output
}

// Output is the comparison of one binding that a kernel writes. The zero values
// demand equal bits in every element.
type Output struct {
	Binding string

	// Defined says which words mean something after the run; nil is all of them.
	// Undefined words of a read-write binding must keep what they held, those of a
	// write binding are not looked at.
	Defined func(r *Run) func(word int) bool

	// Private says that undefined words of a read-write binding are not looked at either.
	Private bool

	// A real may differ by Rel of its own size plus Abs of the largest defined
	// value of its column (its field, in a record; Row is the number of columns).
	Rel, Abs float64
	Row      int

	// Slack is what an integer may differ by, where it follows from a real.
	Slack uint32

	// Flips allows a share of the elements to be anything but NaN, where a real is
	// compared with a threshold. Why names the threshold.
	Flips float64
	Why   string

	// Gradient demands that elements are zero only where the reference is.
	Gradient bool
}

// Lookup returns the case of the kernel called name, or nil.
func Lookup(name string) *Case {
	for _, group := range [][]Case{stepCases, listCases, rasterCases, refineCases} {
		for i := range group {
			if group[i].Kernel == name {
				return &group[i]
			}
		}
	}
	return nil
}

// Cases returns every case.
func Cases() (out []Case) {
	for _, group := range [][]Case{stepCases, listCases, rasterCases, refineCases} {
		out = append(out, group...)
	}
	return out
}

func (c *Case) output(binding string) *Output {
	for i := range c.Outputs {
		if c.Outputs[i].Binding == binding {
			return &c.Outputs[i]
		}
	}
	return nil
}

// exact demands equal bits in all of a binding.
func exact(binding string) Output { return Output{Binding: binding} }

// private defines nothing of a binding that the kernel also writes: how it uses it is its
// own affair.
func private(binding string) Output { return Output{Binding: binding, Private: true}.where(nothing) }

// near allows reals to differ; see Output.
func near(binding string, rel, abs float64) Output {
	return Output{Binding: binding, Rel: rel, Abs: abs, Row: 1}
}

// upTo defines the first row * counts[slot] words.
func (o Output) upTo(slot, row int) Output {
	return o.where(func(r *Run) func(int) bool {
		n := row * int(r.Count(slot))
		return func(word int) bool { return word < n }
	}).columns(row)
}

// where sets what is defined.
func (o Output) where(defined func(r *Run) func(int) bool) Output {
	o.Defined = defined
	return o
}

// columns sets the number of columns.
func (o Output) columns(n int) Output {
	o.Row = n
	return o
}

// flips allows a share of the elements to be on the other side of a threshold.
func (o Output) flips(share float64, why string) Output {
	o.Flips, o.Why = share, why
	return o
}

// slack allows integers to differ by n.
func (o Output) slack(n uint32) Output {
	o.Slack = n
	return o
}

// gradient marks gradients.
func (o Output) gradient() Output {
	o.Gradient = true
	return o
}

// first defines the words below what n returns.
func first(n func(r *Run) int) func(r *Run) func(int) bool {
	return func(r *Run) func(int) bool {
		limit := n(r)
		return func(word int) bool { return word < limit }
	}
}

// rowsWhere defines the rows of size row whose element of the u32 binding is not
// 0, on both sides, among the first counts[slot].
func rowsWhere(binding string, slot, row int) func(r *Run) func(int) bool {
	return func(r *Run) func(int) bool {
		n, want, got := row*int(r.Count(slot)), r.Want[binding], r.Got[binding]
		return func(word int) bool {
			return word < n && want[word/row] != 0 && got[word/row] != 0
		}
	}
}

// pixels defines n words a pixel of the step's view, tiles n words a tile.
func pixels(n int) func(r *Run) func(int) bool {
	return first(func(r *Run) int { s := r.Step(); return n * int(s.Width*s.Height) })
}

func tiles(n int) func(r *Run) func(int) bool {
	return first(func(r *Run) int { s := r.Step(); return n * int(s.TilesX*s.TilesY) })
}

// blocks defines a word for each block of the count that the constant names.
func blocks(size, words int) func(r *Run) func(int) bool {
	return first(func(r *Run) int { return words * kernel.Blocks(int(r.Count(r.Constant("count"))), size) })
}

// counted defines a word for each element of the count that the constant names.
func counted() func(r *Run) func(int) bool {
	return first(func(r *Run) int { return int(r.Count(r.Constant("count"))) })
}
