package bench

import (
	"context"
	"flag"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
)

var all = flag.Bool("all", false, "benchmark the whole grid instead of the usual scenes")

// The benchmarks of Go's own tool have the names that the bench command prints, so
// that benchstat compares the output of both.
func BenchmarkStep(b *testing.B)   { benchmark(b, "Step/") }
func BenchmarkRender(b *testing.B) { benchmark(b, "Render/") }
func BenchmarkKernel(b *testing.B) { benchmark(b, "Kernel/") }
func BenchmarkPeak(b *testing.B)   { benchmark(b, "Peak/") }

func benchmark(b *testing.B, kind string) {
	be := cpu.New(cpu.Options{})
	defer be.Close()
	rig := NewRig(be, runtime.GOMAXPROCS(0))
	defer rig.Close()
	s := Selection{All: *all, Peaks: kind == "Peak/", Filter: regexp.MustCompile("^" + kind)}
	for _, c := range s.Cases() {
		b.Run(strings.TrimPrefix(c.Name, kind), func(b *testing.B) {
			w, err := rig.Prepare(c)
			if err != nil {
				b.Fatal(err)
			}
			loop(b, w)
		})
	}
}

func loop(b *testing.B, w *Work) {
	b.ReportAllocs()
	for b.Loop() {
		if w.Reset != nil {
			b.StopTimer()
			if err := w.Reset(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		if err := w.Run(1); err != nil {
			b.Fatal(err)
		}
	}
	for _, m := range w.Metrics {
		b.ReportMetric(m.Value, m.Unit)
	}
	for _, r := range w.Rates {
		b.ReportMetric(r.Value*float64(b.N)/float64(b.Elapsed().Nanoseconds()), r.Unit)
	}
}

// tiny is a scene for tests.
var tiny = Scene{Splats: 700, Width: 90, Height: 50}

func testRig(t *testing.T) *Rig {
	be := cpu.New(cpu.Options{Threads: 2})
	t.Cleanup(be.Close)
	rig := NewRig(be, 2)
	t.Cleanup(rig.Close)
	return rig
}

func prepare(t *testing.T, rig *Rig, c Case) *Work {
	t.Helper()
	w, err := rig.Prepare(c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func run(t *testing.T, w *Work, n int) {
	t.Helper()
	if w.Reset != nil {
		if err := w.Reset(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Run(n); err != nil {
		t.Fatal(err)
	}
}

// Every dispatch of the step belongs to a case, and every case has some.
func TestCasesCoverTheStep(t *testing.T) {
	rig := testRig(t)
	prepare(t, rig, sceneCases(tiny)[1])
	covered := map[string]bool{}
	for _, d := range rig.world.pl.StepProgram.Recording().Dispatches {
		covered[d.Stage+" "+d.Kernel.Name] = slices.ContainsFunc(groups, func(g group) bool { return g.of.takes(d) })
	}
	for name, ok := range covered {
		if !ok {
			t.Errorf("no case times %s", name)
		}
	}
	if len(covered) < 20 {
		t.Errorf("the step has %d kinds of dispatches: these are not all", len(covered))
	}
	for _, g := range groups {
		if _, err := rig.world.part(g.of); err != nil {
			t.Errorf("%s: %v", g.name, err)
		}
	}
	if _, err := rig.world.part(pick{"project", "no_such_kernel"}); err == nil {
		t.Error("a case of nothing was compiled")
	}
}

// contents reads all buffers but those that a training moves on.
func contents(t *testing.T, w *world) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, b := range w.pl.All() {
		if b.Persistent && b != w.pl.Image || b == w.pl.Step || b == w.pl.Refine {
			continue
		}
		data := make([]byte, b.Bytes())
		if err := w.pl.Backend.ReadBytes(b, 0, data); err != nil {
			t.Fatal(err)
		}
		out[b.Name] = string(data)
	}
	return out
}

// A case must do the same work again and again: after any number of runs the
// lists, the picture, the gradients are those of the whole step. Scans reuse
// scratch; the groups that leave their lists half made say so.
func TestRunsRepeat(t *testing.T) {
	rig := testRig(t)
	cases := sceneCases(tiny)[1:]
	prepare(t, rig, cases[0])
	want := contents(t, rig.world)
	scratch := []string{"offsets", "sums", "histogram", "digits", "counts"}
	for _, c := range cases {
		w := prepare(t, rig, c)
		for range 3 {
			run(t, w, 1)
		}
		if !rig.world.filled {
			continue
		}
		for name, data := range contents(t, rig.world) {
			if data != want[name] && !slices.Contains(scratch, name) {
				t.Errorf("%s: buffer %s differs after three runs", c.Name, name)
			}
		}
	}
	prepare(t, rig, cases[0])
	for name, data := range contents(t, rig.world) {
		if data != want[name] {
			t.Errorf("buffer %s differs after all cases and another step", name)
		}
	}
}

// The groups in turn are the step: after a picture of nothing they restore it.
func TestGroupsAreTheStep(t *testing.T) {
	rig := testRig(t)
	prepare(t, rig, sceneCases(tiny)[1])
	w := rig.world
	want := contents(t, w)
	for _, b := range w.pl.All() {
		if !b.Persistent && b.Elem == kernel.Real || b == w.pl.Image {
			if err := kernel.WriteSlice(w.pl.Backend, b, 0, make([]float32, b.Len)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, g := range groups {
		p, err := w.part(g.of)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.submit(p, 1); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range contents(t, w) {
		if data != want[name] {
			t.Errorf("buffer %s differs", name)
		}
	}
}

// A sort must find its keys out of order each time.
func TestSortsAreReset(t *testing.T) {
	rig := testRig(t)
	for _, c := range sceneCases(tiny) {
		if !strings.Contains(c.Name, "sort") {
			continue
		}
		w := prepare(t, rig, c)
		keys, count := rig.world.pl.Keys[0], rig.world.visible
		if strings.Contains(c.Name, "tile") {
			keys, count = rig.world.pl.PairKeys[0], rig.world.pairs
		}
		run(t, w, 1)
		if err := w.Reset(); err != nil {
			t.Fatal(err)
		}
		list := make([]uint32, count)
		if err := kernel.ReadSlice(rig.backend, keys, 0, list); err != nil {
			t.Fatal(err)
		}
		if slices.IsSorted(list) {
			t.Errorf("%s: the keys are in order before the run", c.Name)
		}
	}
}

// Steps advance, and the splats stay where they are.
func TestStepsMoveNothing(t *testing.T) {
	rig := testRig(t)
	w := prepare(t, rig, sceneCases(tiny)[1])
	geom := make([]float32, tiny.Splats*kernel.GeomRow)
	read := func(b *kernel.Buffer) []float32 {
		if err := kernel.ReadSlice(rig.backend, b, 0, geom); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(geom)
	}
	before := read(rig.world.pl.Geom)
	run(t, w, 40)
	after := read(rig.world.pl.Geom)
	for i := range before {
		if d := after[i] - before[i]; !(d < 1e-6 && d > -1e-6) {
			t.Fatalf("element %d of geom went from %v to %v", i, before[i], after[i])
		}
	}
	if !slices.ContainsFunc(read(rig.world.pl.GeomM), func(m float32) bool { return m != 0 }) {
		t.Error("the optimiser saw no gradient")
	}
	c, err := kernel.ReadRecord[kernel.Control](rig.backend, rig.world.pl.Control, 0)
	if err != nil || c.Step != 41 || c.Overflow != 0 || c.NonFinite != 0 {
		t.Errorf("after 41 steps: %+v, %v", c, err)
	}
}

// The cloud must look like a trained one, or its times say nothing.
func TestSceneIsLikeATrainedOne(t *testing.T) {
	rig := testRig(t)
	for _, s := range []Scene{{20_000, 200, 200}, {100_000, 800, 800}, {100_000, 640, 360}} {
		prepare(t, rig, sceneCases(s)[0])
		w := rig.world
		within := func(what string, v, lo, hi float64) {
			if v < lo || v > hi {
				t.Errorf("%s: %s %.3g, expected %g to %g", s, what, v, lo, hi)
			}
		}
		within("visible share", float64(w.visible)/float64(s.Splats), 0.5, 0.8)
		within("pairs of a visible splat", float64(w.pairs)/float64(w.visible), 1.3, 6)
		within("estimate of the pairs", float64(pairsOf(s.Splats, s.Width, s.Height))/float64(w.pairs), 1, 1.3)
		image := make([]float32, 4*s.Width*s.Height)
		if err := kernel.ReadSlice(rig.backend, w.pl.Image, 0, image); err != nil {
			t.Fatal(err)
		}
		through := 0.0
		for i := 3; i < len(image); i += 4 {
			through += float64(image[i])
		}
		within("transmittance", through/float64(s.Width*s.Height), 0.01, 0.25)
	}
}

// Where the estimate is too low, the pairs get room.
func TestPairsGrow(t *testing.T) {
	rig := testRig(t)
	w, err := newWorld(rig.backend, tiny, true)
	if err != nil {
		t.Fatal(err)
	}
	defer w.pl.Free()
	if err := w.pl.GrowPairs(10); err != nil {
		t.Fatal(err)
	}
	if err := w.fill(); err != nil || w.pairs < 100 || w.pl.Plan.Pairs < int(w.pairs) {
		t.Errorf("%d pairs in room for %d: %v", w.pairs, w.pl.Plan.Pairs, err)
	}
}

// The seed decides everything: two rigs make the same picture.
func TestSceneIsTheSameEachTime(t *testing.T) {
	a, b := testRig(t), testRig(t)
	prepare(t, a, sceneCases(tiny)[1])
	prepare(t, b, sceneCases(tiny)[1])
	x, y := contents(t, a.world), contents(t, b.world)
	for name := range x {
		if x[name] != y[name] {
			t.Errorf("buffer %s differs", name)
		}
	}
}

func TestBytesAreWhatIsAllocated(t *testing.T) {
	for _, c := range sceneCases(tiny) {
		need, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		enough := cpu.New(cpu.Options{Threads: 1, MaxBytes: need})
		short := cpu.New(cpu.Options{Threads: 1, MaxBytes: need - 1})
		rig, poor := NewRig(enough, 1), NewRig(short, 1)
		if _, err := rig.Prepare(c); err != nil {
			t.Errorf("%s in %d bytes: %v", c.Name, need, err)
		}
		if _, err := poor.Prepare(c); err == nil {
			t.Errorf("%s fitted in less than %d bytes", c.Name, need)
		}
		rig.Close()
		enough.Close()
		short.Close()
	}
}

// A rig gives back what it took.
func TestRigFreesScenes(t *testing.T) {
	need, err := sceneCases(tiny)[1].Bytes()
	if err != nil {
		t.Fatal(err)
	}
	be := cpu.New(cpu.Options{Threads: 1, MaxBytes: need + need/2})
	defer be.Close()
	rig := NewRig(be, 1)
	defer rig.Close()
	other := tiny
	other.Width++
	for _, c := range []Case{sceneCases(tiny)[1], sceneCases(other)[1], sceneCases(tiny)[0], peakCases(1 << 10)[6], sceneCases(tiny)[2]} {
		prepare(t, rig, c)
	}
}

func TestPeaksMeasure(t *testing.T) {
	rig := testRig(t)
	for _, c := range peakCases(1 << 12) {
		w := prepare(t, rig, c)
		r, err := Measure(context.Background(), w, Duration{Times: 3})
		if err != nil || r.Runs != 3 || r.NsPerOp <= 0 {
			t.Errorf("%s: %+v, %v", c.Name, r, err)
		}
		if !strings.Contains(c.Name, "dispatch") && (r.Metrics[0].Value <= 0 || !strings.HasSuffix(r.Metrics[0].Unit, "/s")) {
			t.Errorf("%s: no rate: %+v", c.Name, r)
		}
	}
}

// Every element is one thread's share.
func TestShares(t *testing.T) {
	seen := 0
	for thread := range 7 {
		a, b := share(1003, 7, thread)
		if seen != a || b <= a {
			t.Errorf("thread %d has %d..%d after %d", thread, a, b, seen)
		}
		seen = b
	}
	if seen != 1003 {
		t.Errorf("%d of 1003 elements are shared", seen)
	}
}
