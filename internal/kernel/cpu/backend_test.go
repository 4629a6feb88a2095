package cpu

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"splat/internal/kernel"
)

// testKernel registers a kernel for one test.
func testKernel(t *testing.T, name string, bindings []kernel.Binding, run func(*Group)) *kernel.Contract {
	t.Helper()
	c := &kernel.Contract{Name: name, Group: 4, Bindings: bindings}
	register(c, run, run)
	t.Cleanup(func() { delete(twins, name) })
	return c
}

// u32Buffer makes a persistent buffer of n words on be.
func u32Buffer(t *testing.T, be *Backend, name string, n int) *kernel.Buffer {
	t.Helper()
	b := &kernel.Buffer{Name: name, Elem: kernel.U32, Len: n, Persistent: true}
	if err := be.Alloc(b); err != nil {
		t.Fatal(err)
	}
	return b
}

func submit(t *testing.T, be *Backend, rec *kernel.Recording) {
	t.Helper()
	p, err := be.Compile(rec)
	if err != nil {
		t.Fatal(err)
	}
	if err := be.Submit(p, 1); err != nil {
		t.Fatal(err)
	}
}

func panicText(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

var inOut = []kernel.Binding{{Name: "in", Elem: kernel.U32, Access: kernel.Read}, {Name: "out", Elem: kernel.U32, Access: kernel.Write}}

// TestCheckedCatchesAWriteToAReadOnlyBinding and the same kernel passes unchecked.
func TestCheckedCatchesAWriteToAReadOnlyBinding(t *testing.T) {
	k := testKernel(t, "test_vandal", inOut, func(g *Group) { words(g, "in")[2] = 7 })
	for _, checked := range []bool{false, true} {
		be := New(Options{Threads: 1, Checked: checked})
		defer be.Close()
		in, out := u32Buffer(t, be, "in", 8), u32Buffer(t, be, "out", 8)
		rec := &kernel.Recording{Name: "r"}
		rec.Direct(k, 1, kernel.Args{"in": in, "out": out})
		text := panicText(func() { submit(t, be, rec) })
		if said := strings.Contains(text, "test_vandal wrote to in"); said != checked {
			t.Errorf("checked %v: said %q", checked, text)
		}
	}
}

// TestCheckedPoisonsWhatIsNotDeclared: a kernel that reaches for a buffer which it
// does not bind finds poison, and the buffer is whole again afterwards.
func TestCheckedPoisonsWhatIsNotDeclared(t *testing.T) {
	for _, checked := range []bool{false, true} {
		be := New(Options{Threads: 1, Checked: checked})
		defer be.Close()
		secret := u32Buffer(t, be, "secret", 4)
		if err := kernel.WriteSlice(be, secret, 0, []uint32{42, 43, 44, 45}); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint("test_thief", checked)
		k := testKernel(t, name, inOut, func(g *Group) { words(g, "out")[0] = be.memory[secret].u32[0] })
		in, out := u32Buffer(t, be, "in", 4), u32Buffer(t, be, "out", 4)
		rec := &kernel.Recording{Name: "r"}
		rec.Direct(k, 1, kernel.Args{"in": in, "out": out})
		submit(t, be, rec)
		var got, kept [4]uint32
		if err := kernel.ReadSlice(be, out, 0, got[:]); err != nil {
			t.Fatal(err)
		}
		if err := kernel.ReadSlice(be, secret, 0, kept[:]); err != nil {
			t.Fatal(err)
		}
		if stolen := got[0] == 42; stolen == checked {
			t.Errorf("checked %v: the kernel read %#x", checked, got[0])
		}
		if kept != [4]uint32{42, 43, 44, 45} {
			t.Errorf("checked %v: the buffer holds %v afterwards", checked, kept)
		}
	}
}

// TestCheckedPoisonsScratch: scratch is poisoned before a submission, write-only
// scratch before each dispatch; what persists is not.
func TestCheckedPoisonsScratch(t *testing.T) {
	var seen [3]uint32
	bindings := []kernel.Binding{
		{Name: "kept", Elem: kernel.U32, Access: kernel.Read}, {Name: "changed", Elem: kernel.U32, Access: kernel.ReadWrite},
		{Name: "written", Elem: kernel.U32, Access: kernel.Write},
	}
	k := testKernel(t, "test_reader", bindings, func(g *Group) {
		seen = [3]uint32{words(g, "kept")[0], words(g, "changed")[0], words(g, "written")[0]}
		words(g, "changed")[0], words(g, "written")[0] = 5, 5
	})
	be := New(Options{Threads: 1, Checked: true})
	defer be.Close()
	kept := u32Buffer(t, be, "kept", 1)
	changed := &kernel.Buffer{Name: "changed", Elem: kernel.U32, Len: 1}
	written := &kernel.Buffer{Name: "written", Elem: kernel.U32, Len: 1}
	for _, b := range []*kernel.Buffer{changed, written} {
		if err := be.Alloc(b); err != nil {
			t.Fatal(err)
		}
	}
	rec := &kernel.Recording{Name: "r"}
	args := kernel.Args{"kept": kept, "changed": changed, "written": written}
	rec.Direct(k, 1, args)
	submit(t, be, rec)
	if seen != [3]uint32{0, poison, poison} {
		t.Errorf("the first dispatch saw %#x", seen)
	}
	rec.Direct(k, 1, args)
	submit(t, be, rec)
	if seen != [3]uint32{0, 5, poison} {
		t.Errorf("a second dispatch of one submission saw %#x", seen)
	}
}

func TestPoisonIsNaN(t *testing.T) {
	s := &storage{u32: make([]uint32, 3), f32: make([]float32, 3), f64: make([]float64, 3), raw: make([]byte, 4)}
	s.fill()
	if s.u32[2] != poison || s.f32[2] == s.f32[2] || s.f64[2] == s.f64[2] || math.Float32frombits(poison) == math.Float32frombits(poison) || s.raw[3] != 0xFF {
		t.Errorf("%+v", s)
	}
}

// TestUndeclaredNamesPanic: a kernel cannot name what its contract lacks, nor take
// a binding for another type.
func TestUndeclaredNamesPanic(t *testing.T) {
	for name, run := range map[string]func(*Group){
		"has no binding other":  func(g *Group) { words(g, "other") },
		"binding in is u32":     func(g *Group) { reals[float32](g, "in") },
		"has no constant other": func(g *Group) { g.Constant("other") },
	} {
		k := testKernel(t, "test_"+name, inOut, run)
		be := New(Options{Threads: 1})
		defer be.Close()
		rec := &kernel.Recording{Name: "r"}
		rec.Direct(k, 1, kernel.Args{"in": u32Buffer(t, be, "in", 1), "out": u32Buffer(t, be, "out", 1)})
		if text := panicText(func() { submit(t, be, rec) }); !strings.Contains(text, name) {
			t.Errorf("said %q, want %q", text, name)
		}
	}
	if text := panicText(func() { register(kernel.Begin, nil, nil) }); !strings.Contains(text, "begin registered twice") {
		t.Errorf("a second function for a kernel: %q", text)
	}
}

// TestEveryWorkgroupRunsOnce for any number of threads, in natural and random
// order, direct and indirect with a folded grid.
func TestEveryWorkgroupRunsOnce(t *testing.T) {
	const n = 1000
	var runs [n]atomic.Int32
	k := testKernel(t, "test_counter", inOut, func(g *Group) { runs[g.ID].Add(1) })
	for _, o := range []Options{{Threads: 1}, {Threads: 2}, {Threads: 16}, {Threads: 3, Checked: true}} {
		for _, indirect := range []bool{false, true} {
			be := New(o)
			rec := &kernel.Recording{Name: "r"}
			args := kernel.Args{"in": u32Buffer(t, be, "in", 1), "out": u32Buffer(t, be, "out", 1)}
			if indirect {
				grid := u32Buffer(t, be, "args", 6)
				if err := kernel.WriteSlice(be, grid, 3, []uint32{n / 4, 4, 1}); err != nil {
					t.Fatal(err)
				}
				rec.Indirect(k, grid, 1, args)
				rec.Indirect(k, grid, 0, args) // nothing to do
			} else {
				rec.Direct(k, n, args)
			}
			submit(t, be, rec)
			be.Close()
			for i := range runs {
				if got := runs[i].Swap(0); got != 1 {
					t.Fatalf("%+v, indirect %v: workgroup %d ran %d times", o, indirect, i, got)
				}
			}
		}
	}
}

// TestShuffleSeedChangesTheOrder of workgroups, and the same seed gives it again.
func TestShuffleSeedChangesTheOrder(t *testing.T) {
	var mu sync.Mutex
	var order []int
	k := testKernel(t, "test_order", inOut, func(g *Group) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, g.ID)
	})
	with := func(seed uint64) string {
		order = nil
		be := New(Options{Threads: 1, Checked: true, ShuffleSeed: seed})
		defer be.Close()
		rec := &kernel.Recording{Name: "r"}
		rec.Direct(k, 50, kernel.Args{"in": u32Buffer(t, be, "in", 1), "out": u32Buffer(t, be, "out", 1)})
		submit(t, be, rec)
		return fmt.Sprint(order)
	}
	if a, b := with(1), with(2); a == b || a != with(1) {
		t.Errorf("seed 1 gives %s, seed 2 %s", a, b)
	}
}

func TestSharedMemoryDoesNotOverlap(t *testing.T) {
	k := testKernel(t, "test_shared", inOut, func(g *Group) {
		a, b, c := shared[uint32](g, 100), shared[float64](g, 33), shared[uint32](g, 100_000)
		for i := range a {
			a[i] = 1
		}
		for i := range b {
			b[i] = 2
		}
		for i := range c {
			c[i] = 3
		}
		var sum uint32
		for _, v := range a {
			sum += v
		}
		for _, v := range b {
			sum += uint32(v)
		}
		words(g, "out")[g.ID] = sum + c[99_999]
	})
	be := New(Options{Threads: 2})
	defer be.Close()
	out := u32Buffer(t, be, "out", 20)
	rec := &kernel.Recording{Name: "r"}
	rec.Direct(k, 20, kernel.Args{"in": u32Buffer(t, be, "in", 1), "out": out})
	submit(t, be, rec)
	got := make([]uint32, 20)
	if err := kernel.ReadSlice(be, out, 0, got); err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v != 169 {
			t.Errorf("workgroup %d: %d, want 169", i, v)
		}
	}
}

func TestProfileMeasures(t *testing.T) {
	k := testKernel(t, "test_quick", inOut, func(*Group) {})
	be := New(Options{Threads: 1, Profile: true})
	defer be.Close()
	rec := &kernel.Recording{Name: "r"}
	args := kernel.Args{"in": u32Buffer(t, be, "in", 1), "out": u32Buffer(t, be, "out", 1)}
	rec.Stage("one")
	rec.Direct(k, 1, args)
	rec.Direct(k, 1, args)
	rec.Stage("two")
	rec.Direct(k, 1, args)
	submit(t, be, rec)
	submit(t, be, rec)
	calls := map[string]int{}
	be.Timelines(func(l kernel.Timeline) {
		end, sum := time.Duration(0), time.Duration(0)
		for i, span := range l.Spans {
			if span.From < end || span.To < span.From {
				t.Errorf("span %d is %v, the one before ended at %v", i, span, end)
			}
			sum += span.From - end + span.Took()
			end = span.To
			calls[l.Recording.Dispatches[i].Stage]++
		}
		if end > l.Total || sum != end || l.Total == 0 {
			t.Errorf("spans up to %v, %v in all, of %v", end, sum, l.Total)
		}
	})
	if calls["one"] != 4 || calls["two"] != 2 {
		t.Errorf("calls %v", calls)
	}
	be.Timelines(func(kernel.Timeline) { t.Error("told twice") })
}

// otherProgram belongs to no backend.
type otherProgram struct{}

func (otherProgram) Recording() *kernel.Recording { return nil }

func TestBackendRefusals(t *testing.T) {
	k := testKernel(t, "test_plain", inOut, func(*Group) {})
	be := New(Options{Threads: 1})
	defer be.Close()
	a := u32Buffer(t, be, "a", 4)
	stray := &kernel.Buffer{Name: "stray", Elem: kernel.U32, Len: 4}
	compile := func(k *kernel.Contract, in, out, grid *kernel.Buffer) error {
		rec := &kernel.Recording{Name: "r"}
		if grid != nil {
			rec.Indirect(k, grid, 0, kernel.Args{"in": in, "out": out})
		} else {
			rec.Direct(k, 1, kernel.Args{"in": in, "out": out})
		}
		_, err := be.Compile(rec)
		return err
	}
	b := u32Buffer(t, be, "b", 4)
	real := &kernel.Buffer{Name: "real", Elem: kernel.Real, Len: 4}
	if err := be.Alloc(real); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		err error
		say string
	}{
		"twice":          {be.Alloc(a), "a is allocated already"},
		"negative":       {be.Alloc(&kernel.Buffer{Name: "x", Elem: kernel.U32, Len: -1}), "x: no storage for -1 elements"},
		"unknown":        {be.Alloc(&kernel.Buffer{Name: "x", Elem: "Thing", Len: 1}), `"Thing"`},
		"no function":    {compile(&kernel.Contract{Name: "nobody", Bindings: inOut}, a, b, nil), "kernel nobody has no CPU function"},
		"not allocated":  {compile(k, stray, b, nil), "kernel test_plain: buffer stray is not allocated"},
		"no arguments":   {compile(k, a, b, stray), "argument buffer stray is not allocated"},
		"other program":  {be.Submit(otherProgram{}, 1), "program of another backend"},
		"read stray":     {be.ReadBytes(stray, 0, make([]byte, 4)), "stray is not allocated"},
		"write beyond":   {be.WriteBytes(a, 3, make([]byte, 8)), "a has 4 elements, asked for 3..5"},
		"write before":   {be.WriteBytes(a, -1, make([]byte, 4)), "a has 4 elements"},
		"half a word":    {be.WriteBytes(a, 0, make([]byte, 3)), "a has 4 elements"},
		"copy of a type": {be.Copy(a, real), "cannot copy buffer real to a"},
		"copy of stray":  {be.Copy(a, stray), "cannot copy buffer stray to a"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.say) {
			t.Errorf("%s: error %v does not say %q", name, c.err, c.say)
		}
	}
	be.Free(a)
	be.Free(a)
	if err := be.Alloc(a); err != nil {
		t.Errorf("a freed buffer cannot come back: %v", err)
	}
}

// TestCopyAndTransfer moves data in and out, at both precisions.
func TestCopyAndTransfer(t *testing.T) {
	for _, double := range []bool{false, true} {
		be := New(Options{Threads: 1, Float64: double})
		defer be.Close()
		short := &kernel.Buffer{Name: "short", Elem: kernel.Real, Len: 2}
		long := &kernel.Buffer{Name: "long", Elem: kernel.Real, Len: 4}
		for _, b := range []*kernel.Buffer{short, long} {
			if err := be.Alloc(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := kernel.WriteSlice(be, long, 1, []float32{1.5, 2.5, 3.5}); err != nil {
			t.Fatal(err)
		}
		if err := be.Copy(short, long); err != nil {
			t.Fatal(err)
		}
		var got [2]float32
		if err := kernel.ReadSlice(be, short, 0, got[:]); err != nil {
			t.Fatal(err)
		}
		if got != [2]float32{0, 1.5} {
			t.Errorf("float64 %v: copied %v", double, got)
		}
		if double && be.Reals64(long)[2] != 2.5 {
			t.Errorf("float64 storage holds %v", be.Reals64(long))
		}
	}
}
