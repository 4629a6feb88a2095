package kernel

import (
	"slices"
	"strings"
	"testing"
)

var (
	copyKernel = &Contract{Name: "copy", Bindings: []Binding{{"from", U32, Read}, {"to", U32, Write}}, Constants: []string{"n"}}
	bumpKernel = &Contract{Name: "bump", Bindings: []Binding{{"in", U32, Read}, {"x", U32, ReadWrite}}}
	joinKernel = &Contract{Name: "join", Bindings: []Binding{{"a", U32, Read}, {"b", U32, Read}, {"to", U32, Write}}}
)

func buffers(names ...string) (out []*Buffer) {
	for _, n := range names {
		out = append(out, &Buffer{Name: n, Elem: U32, Len: 8})
	}
	return out
}

func TestRecordingKeepsDispatches(t *testing.T) {
	b := buffers("a", "b", "args")
	r := &Recording{Name: "r"}
	r.Stage("first")
	r.Direct(copyKernel, 7, Args{"from": b[0], "to": b[1]}, 42)
	r.Stage("second")
	r.Indirect(bumpKernel, b[2], 3, Args{"in": b[1], "x": b[0]})
	d, i := r.Dispatches[0], r.Dispatches[1]
	if d.Groups != 7 || d.Indirect != nil || d.Stage != "first" || !slices.Equal(d.Constants, []uint32{42}) {
		t.Errorf("direct: %+v", d)
	}
	if i.Indirect != b[2] || i.Entry != 3 || i.Stage != "second" || !slices.Equal(i.Buffers, []*Buffer{b[1], b[0]}) {
		t.Errorf("indirect: %+v", i)
	}
	if got := r.Buffers(); !slices.Equal(got, []*Buffer{b[0], b[1], b[2]}) {
		t.Errorf("buffers: %d", len(got))
	}
}

func TestRecordingRefusesMismatches(t *testing.T) {
	b := buffers("a", "b")
	float := &Buffer{Name: "float", Elem: Real, Len: 8}
	for name, c := range map[string]struct {
		kernel    *Contract
		args      Args
		constants []uint32
		say       string
	}{
		"wrong type":         {copyKernel, Args{"from": float, "to": b[1]}, []uint32{1}, "from is u32, buffer float is real"},
		"missing":            {copyKernel, Args{"from": b[0]}, []uint32{1}, "wants 2 buffers and 1 constants, got 1 and 1"},
		"misnamed":           {copyKernel, Args{"from": b[0], "two": b[1]}, []uint32{1}, "no buffer for to"},
		"nil":                {copyKernel, Args{"from": b[0], "to": nil}, []uint32{1}, "no buffer for to"},
		"too many":           {copyKernel, Args{"from": b[0], "to": b[1], "x": b[1]}, []uint32{1}, "got 3 and 1"},
		"no constant":        {copyKernel, Args{"from": b[0], "to": b[1]}, nil, "2 buffers and 1 constants, got 2 and 0"},
		"too many constants": {copyKernel, Args{"from": b[0], "to": b[1]}, []uint32{1, 2}, "got 2 and 2"},
		"read and written":   {copyKernel, Args{"from": b[0], "to": b[0]}, []uint32{1}, "buffer a is bound twice and written"},
		"changed and read":   {bumpKernel, Args{"in": b[1], "x": b[1]}, nil, "buffer b is bound twice and written"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Recording{Name: "r"}
			text := panics(func() { r.Direct(c.kernel, 1, c.args, c.constants...) })
			if !strings.Contains(text, c.say) || !strings.Contains(text, "recording r: kernel "+c.kernel.Name) {
				t.Errorf("said %q, want %q", text, c.say)
			}
			if len(r.Dispatches) != 0 {
				t.Error("recorded all the same")
			}
		})
	}
}

func TestWrittenFirstAndReadSecondIsAliasing(t *testing.T) {
	reversed := &Contract{Name: "reversed", Bindings: []Binding{{"to", U32, Write}, {"from", U32, Read}}}
	b := buffers("a")[0]
	r := &Recording{Name: "r"}
	if text := panics(func() { r.Direct(reversed, 1, Args{"to": b, "from": b}) }); !strings.Contains(text, "bound twice") {
		t.Errorf("said %q", text)
	}
}

func TestReadingABufferTwiceIsFine(t *testing.T) {
	b := buffers("a", "b")
	r := &Recording{Name: "r"}
	if text := panics(func() { r.Direct(joinKernel, 1, Args{"a": b[0], "b": b[0], "to": b[1]}) }); text != "" {
		t.Error(text)
	}
}

func TestBarriers(t *testing.T) {
	b := buffers("a", "b", "c", "d", "args")
	x, y, z, w, args := b[0], b[1], b[2], b[3], b[4]
	cp := func(from, to *Buffer) func(*Recording) {
		return func(r *Recording) { r.Direct(copyKernel, 1, Args{"from": from, "to": to}, 0) }
	}
	bump := func(in, x *Buffer) func(*Recording) {
		return func(r *Recording) { r.Direct(bumpKernel, 1, Args{"in": in, "x": x}) }
	}
	indirect := func(from, to *Buffer) func(*Recording) {
		return func(r *Recording) { r.Indirect(copyKernel, args, 0, Args{"from": from, "to": to}, 0) }
	}
	for name, c := range map[string]struct {
		list []func(*Recording)
		want []bool
	}{
		"empty":                     {nil, []bool{}},
		"independent":               {[]func(*Recording){cp(x, y), cp(z, w)}, []bool{false, false}},
		"two readers":               {[]func(*Recording){cp(x, y), cp(x, z)}, []bool{false, false}},
		"read after write":          {[]func(*Recording){cp(x, y), cp(y, z)}, []bool{false, true}},
		"write after read":          {[]func(*Recording){cp(x, y), cp(z, x)}, []bool{false, true}},
		"write after write":         {[]func(*Recording){cp(x, y), cp(z, y)}, []bool{false, true}},
		"in place twice":            {[]func(*Recording){bump(x, y), bump(x, y)}, []bool{false, true}},
		"one barrier covers all":    {[]func(*Recording){cp(x, y), cp(y, z), cp(x, w)}, []bool{false, true, false}},
		"barrier forgets":           {[]func(*Recording){cp(x, y), cp(y, z), cp(y, w)}, []bool{false, true, false}},
		"hazard across a quiet one": {[]func(*Recording){cp(x, y), cp(z, w), cp(y, z)}, []bool{false, false, true}},
		"chain":                     {[]func(*Recording){cp(x, y), cp(y, z), cp(z, w)}, []bool{false, true, true}},
		"arguments written":         {[]func(*Recording){cp(x, args), indirect(y, z)}, []bool{false, true}},
		"arguments read":            {[]func(*Recording){indirect(y, z), cp(x, args)}, []bool{false, true}},
		"arguments read twice":      {[]func(*Recording){indirect(y, z), indirect(y, w)}, []bool{false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Recording{Name: "r"}
			for _, add := range c.list {
				add(r)
			}
			if got := r.Barriers(); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
