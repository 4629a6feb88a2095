package kerneltest

import (
	"math"
	"strings"
	"testing"

	"splat/internal/kernel"
)

func bitsOf(v ...float64) []uint32 {
	out := make([]uint32, len(v))
	for i := range v {
		out[i] = math.Float32bits(float32(v[i]))
	}
	return out
}

// realComparison compares four reals in two columns, of which the last is
// undefined.
func realComparison(o Output, access kernel.Access, got ...float64) *comparison {
	o.Row = 2
	return &comparison{
		out: o, access: access, fields: layout(kernel.Real), columns: 2,
		before: bitsOf(9, 9, 9, 9), want: bitsOf(1, -1e-3, 100, 9), got: bitsOf(got...),
		defined: func(i int) bool { return i < 3 },
	}
}

func TestComparatorOfReals(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	near := Output{Rel: 1e-3, Abs: 1e-6}
	for name, c := range map[string]struct {
		cmp  *comparison
		want string // part of the error; empty: accepted
	}{
		"equal":                 {realComparison(Output{}, kernel.Write, 1, -1e-3, 100, 5), ""},
		"within rel":            {realComparison(near, kernel.Write, 1.0009, -1e-3, 100.09, 5), ""},
		"within abs of column":  {realComparison(near, kernel.Write, 1.001, -1e-3, 100, 5), ""},
		"beyond rel":            {realComparison(near, kernel.Write, 1.002, -1e-3, 100, 5), "row 0, column 0: 1.00"},
		"beyond in column":      {realComparison(near, kernel.Write, 1, -1.1e-3, 100, 5), "row 0, column 1"},
		"sign":                  {realComparison(near, kernel.Write, -1, -1e-3, 100, 5), "differ"},
		"zero":                  {realComparison(near, kernel.Write, 1, 0, 100, 5), "differ"},
		"NaN":                   {realComparison(Output{Rel: inf}, kernel.Write, 1, nan, 100, 5), "NaN, want"},
		"NaN despite flips":     {realComparison(Output{Flips: 1}, kernel.Write, 1, nan, 100, 5), "NaN, want"},
		"NaN undefined":         {realComparison(near, kernel.Write, 1, -1e-3, 100, nan), ""},
		"infinite":              {realComparison(near, kernel.Write, 1, -1e-3, inf, 5), "differ"},
		"one flip of three":     {realComparison(Output{Flips: 0.34}, kernel.Write, 2, -1e-3, 100, 5), ""},
		"two flips of three":    {realComparison(Output{Flips: 0.34}, kernel.Write, 2, -1e-3, 101, 5), "2 of 3"},
		"touched":               {realComparison(near, kernel.ReadWrite, 1, -1e-3, 100, 5), "outside"},
		"untouched":             {realComparison(near, kernel.ReadWrite, 1, -1e-3, 100, 9), ""},
		"small gradient lost":   {realComparison(Output{Abs: 1, Gradient: true}, kernel.Write, 1, 0, 100, 5), "zero where"},
		"small gradient is off": {realComparison(Output{Abs: 1, Gradient: true}, kernel.Write, 1, -1e-9, 100, 5), ""},
		"too short":             {realComparison(near, kernel.Write, 1, -1e-3, 100), "3 words"},
	} {
		t.Run(name, func(t *testing.T) { expectError(t, c.cmp.run(), c.want) })
	}
}

func TestComparatorDoubtsTheReference(t *testing.T) {
	c := realComparison(Output{Rel: 1}, kernel.Write, 1, 1, 1, 1)
	c.want[0] = bitsOf(math.NaN())[0]
	expectError(t, c.run(), "reference itself is NaN")
	c = realComparison(Output{Rel: 1}, kernel.Write, 1, -1e-3, 1e30, 1)
	c.want[2] = bitsOf(math.Inf(1))[0]
	expectError(t, c.run(), "differ")
	c.got[2] = c.want[2]
	expectError(t, c.run(), "")
}

func TestComparatorOfIntegers(t *testing.T) {
	compare := func(o Output, got ...uint32) error {
		return (&comparison{
			out: o, access: kernel.Write, fields: layout(kernel.U32), columns: 1, want: []uint32{5, 0, math.MaxUint32}, got: got,
			defined: func(int) bool { return true },
		}).run()
	}
	expectError(t, compare(Output{}, 5, 0, math.MaxUint32), "")
	expectError(t, compare(Output{}, 5, 1, math.MaxUint32), "element 1: 1, want 0")
	expectError(t, compare(Output{}, 5, math.MaxUint32, 0), "2 of 3") // no wrapping around
	expectError(t, compare(Output{Slack: 1}, 4, 1, math.MaxUint32-1), "")
	expectError(t, compare(Output{Slack: 1}, 3, 1, math.MaxUint32), "element 0")
	expectError(t, compare(Output{Rel: 1, Abs: 1}, 6, 0, math.MaxUint32), "element 0") // no tolerance of reals
}

func TestComparatorOfRecords(t *testing.T) {
	fields := layout("Refine")
	want := make([]uint32, len(fields))
	want[11] = bitsOf(0.5)[0] // Fade
	compare := func(at int, w uint32) error {
		got := append([]uint32(nil), want...)
		got[at] = w
		return (&comparison{
			out: Output{Rel: 1e-3}, access: kernel.Write, fields: fields, columns: len(fields), want: want, got: got,
			defined: func(int) bool { return true },
		}).run()
	}
	expectError(t, compare(11, bitsOf(0.5004)[0]), "")
	expectError(t, compare(11, bitsOf(0.51)[0]), "field Fade: 0.5")
	expectError(t, compare(8, 1), "field Adds: 1, want 0")
}

func TestCompareRunWithoutWork(t *testing.T) {
	run := func(got uint32) *Run {
		d := &kernel.Dispatch{Kernel: kernel.RefineEnd}
		return &Run{
			Dispatch: d,
			Before:   map[string][]uint32{"control": make([]uint32, 12), "refine": make([]uint32, 16)},
			Want:     map[string][]uint32{"control": make([]uint32, 12), "refine": make([]uint32, 16)},
			Got:      map[string][]uint32{"control": {11: got}, "refine": make([]uint32, 16)},
		}
	}
	expectError(t, errorOf(run(0), false), "")
	expectError(t, errorOf(run(1), false), "outside of what the kernel may write")
	r := run(0)
	r.Got["refine"][3] = 1
	expectError(t, errorOf(r, false), "read-only, but changed")
	r = run(0)
	r.Dispatch.Kernel = &kernel.Contract{Name: "no such kernel"}
	expectError(t, errorOf(r, false), "has no case")
}

func TestExactForgivesNothing(t *testing.T) {
	image := bitsOf(1, 1, 1, 1)
	run := func(got []uint32) *Run {
		step := make([]uint32, kernel.Elem("Step").Size()/4)
		step[20], step[21] = 1, 1 // width and height
		same := map[string][]uint32{"step": step, "last": {1}}
		r := &Run{Dispatch: &kernel.Dispatch{Kernel: kernel.Rasterize}, Groups: 1}
		for _, m := range []*map[string][]uint32{&r.Before, &r.Want, &r.Got} {
			*m = map[string][]uint32{"image": image}
			for k, v := range same {
				(*m)[k] = v
			}
		}
		r.Got["image"] = got
		return r
	}
	if s := run(image).Step(); s.Width != 1 || s.Height != 1 {
		t.Fatalf("the step is not %d x %d", s.Width, s.Height)
	}
	almost := bitsOf(1, 1+1e-6, 1, 1)
	expectError(t, errorOf(run(almost), false), "")
	expectError(t, errorOf(run(almost), true), "differ")
}

func errorOf(r *Run, exact bool) error {
	_, err := CompareRun(r, exact)
	return err
}

// The deviation is the one that is nearest to its tolerance, and flips are told.
func TestDeviation(t *testing.T) {
	near := Output{Binding: "out", Rel: 1e-3, Abs: 1e-5}
	for name, c := range map[string]struct {
		cmp  *comparison
		want Deviation
	}{
		"equal": {realComparison(near, kernel.Write, 1, -1e-3, 100, 5), Deviation{}},
		// columns: of 100 and of 1e-3; errors are relative to |want| + 0.01 of that
		"within":  {realComparison(near, kernel.Write, 1.001, -1e-3, 100.01, 5), Deviation{"out", 0.001 / 2, 1e-3, 0}},
		"beyond":  {realComparison(near, kernel.Write, 1.001, -1e-3, 120.2, 5), Deviation{"out", 20.2 / 101, 1e-3, 0}},
		"a flip":  {realComparison(Output{Binding: "out", Rel: 1e-3, Flips: 0.4}, kernel.Write, 1, -1e-3, 150, 5), Deviation{Flips: 1}},
		"no size": {realComparison(Output{Binding: "out"}, kernel.Write, 1, -1e-3, math.Inf(1), 5), Deviation{"out", farOff, 0, 0}},
	} {
		c.cmp.notNaN()
		c.cmp.values()
		got := c.cmp.deviation
		if got.Binding != c.want.Binding || math.Abs(got.Error-c.want.Error) > 1e-6 || got.Tolerance != c.want.Tolerance || got.Flips != c.want.Flips {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	sum := Deviation{"a", 1e-4, 1e-3, 2}
	sum.merge(Deviation{"b", 1e-6, 2e-6, 1}) // half of its tolerance, against a tenth
	sum.merge(Deviation{"c", 1, 3, 0})
	if want := (Deviation{"b", 1e-6, 2e-6, 3}); sum != want {
		t.Errorf("merged %+v, want %+v", sum, want)
	}
}

func expectError(t *testing.T, err error, part string) {
	t.Helper()
	switch {
	case part == "" && err != nil:
		t.Errorf("rejected: %v", err)
	case part != "" && err == nil:
		t.Errorf("accepted, expected an error with %q", part)
	case part != "" && !strings.Contains(err.Error(), part):
		t.Errorf("error %q does not say %q", err, part)
	}
}
