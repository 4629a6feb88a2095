package twin_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
	"splat/internal/kernel/twin"
)

// Where both sides compute the same, it does not matter who does what: also not
// where kernels write parts of a buffer, or nothing.
func TestSameBytesWhereverItRuns(t *testing.T) {
	for _, name := range []string{"steps", "mcmc", "adc shrinking", "no-op", "pair overflow", "adc splat overflow"} {
		sc := scenario(t, name)
		want := outcome(t, kerneltest.NewCPU(t, cpu.Options{}), sc)
		for _, o := range []twin.Options{
			{Host: []string{"loss"}},
			{Host: []string{"sort.scan", "update"}},
			{Host: []string{"refine", "rasterize"}},
			{Host: []string{"*.scan_top", "begin"}},
			{Host: []string{"all"}},
			{From: "tile-sort"},
			{From: "refine_end", Host: []string{"commit"}},
		} {
			be := join(t, fast(), fast(), o)
			if diff := cmp.Diff(want, outcome(t, be, sc)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", name, be.Device(), diff)
			}
		}
	}
}

// With sides that differ in bits the result tells who did the work.
func TestTheHostDoesTheWork(t *testing.T) {
	sc := scenario(t, "steps")
	ofDevice := outcome(t, kerneltest.NewCPU(t, cpu.Options{Reference: true}), sc)
	ofHost := outcome(t, kerneltest.NewCPU(t, cpu.Options{}), sc)
	if cmp.Equal(ofDevice, ofHost) {
		t.Fatal("both sides give the same bytes, so this test tells nothing")
	}
	if diff := cmp.Diff(ofHost, outcome(t, join(t, readable(), fast(), twin.Options{Host: []string{"all"}}), sc)); diff != "" {
		t.Errorf("all on the host is not the host's result:\n%s", diff)
	}
	mixed := outcome(t, join(t, readable(), fast(), twin.Options{Host: []string{"loss"}}), sc)
	if cmp.Equal(mixed, ofHost) || cmp.Equal(mixed, ofDevice) {
		t.Error("with the loss on the host, one side did all the work")
	}
}

// A host that poisons what a recording does not carry over, and shuffles, is fine.
func TestStrictHost(t *testing.T) {
	sc := scenario(t, "smooth cutoff")
	want := outcome(t, kerneltest.NewCPU(t, cpu.Options{Reference: true}), sc)
	strict := cpu.New(cpu.Options{Reference: true, Checked: true, ShuffleSeed: 3})
	if diff := cmp.Diff(want, outcome(t, join(t, readable(), strict, twin.Options{Host: []string{"all"}}), sc)); diff != "" {
		t.Error(diff)
	}
}

// A recording without a chosen dispatch is one program of the device, submitted as
// often as asked in one go, and takes nothing of the host.
func TestPassThrough(t *testing.T) {
	device, host := newSpy(fast()), newSpy(fast())
	sc := scenario(t, "mcmc")
	pl := load(t, join(t, device, host, twin.Options{Host: []string{"refine"}}), sc)
	at := slices.Index(device.compiled, pl.StepProgram.Recording())
	if at < 0 {
		t.Fatal("the device did not compile the recording of the step as it is")
	}
	kerneltest.Submit(t, pl, pl.StepProgram, 3)
	if diff := cmp.Diff([]string{"step"}, device.submitted); diff != "" {
		t.Errorf("submitted (-want +got):\n%s", diff)
	}
	if len(host.submitted) > 0 || len(device.read) > 0 {
		t.Errorf("the host ran %v, the device was read: %v", host.submitted, device.read)
	}
	if pl.RefineProgram.Recording().Name != "refine" || len(pl.RefineProgram.Recording().Dispatches) < 20 {
		t.Error("a program that was split does not return its recording")
	}
}

// Neighbours on one side are one program there.
func TestSegments(t *testing.T) {
	device, host := newSpy(fast()), newSpy(fast())
	be := join(t, device, host, twin.Options{Host: []string{"depth-sort", "loss"}})
	pl := load(t, be, scenario(t, "smooth cutoff"))
	kerneltest.Submit(t, pl, pl.StepProgram, 2)
	if len(host.submitted) != 2*2 || len(device.submitted) != 2*3 {
		t.Errorf("the host ran %v, the device %v", host.submitted, device.submitted)
	}
	rec := pl.StepProgram.Recording()
	want := kernelsOf(rec, isStage("depth-sort", "loss"))
	if diff := cmp.Diff(append(want, want...), host.ran); diff != "" {
		t.Errorf("the host ran (-want +got):\n%s", diff)
	}
	if got, all := len(device.ran), 2*(len(rec.Dispatches)-len(want)); got != all {
		t.Errorf("the device ran %d dispatches, expected %d", got, all)
	}
}

// What the device does not change is fetched once: pictures are large.
func TestFetchesWhatChanged(t *testing.T) {
	device := newSpy(fast())
	pl := load(t, join(t, device, fast(), twin.Options{Host: []string{"loss"}}), scenario(t, "steps"))
	kerneltest.Submit(t, pl, pl.StepProgram, 4)
	got := [4]int{device.read["targets"], device.read["window"], device.read["image"], device.read["maps"]}
	if want := [4]int{1, 1, 4, 1}; got != want {
		t.Errorf("targets, window, image and maps were read %v times, expected %v", got, want)
	}
	kerneltest.WriteReals(t, pl, pl.Window, kerneltest.GaussianWindow(11))
	if err := pl.Backend.Copy(pl.Maps, pl.Maps); err != nil {
		t.Fatal(err)
	}
	kerneltest.Submit(t, pl, pl.StepProgram, 1)
	if device.read["targets"] != 1 || device.read["window"] != 2 || device.read["maps"] != 2 {
		t.Errorf("after a change of window and maps: read %v", device.read)
	}
}

// The host's buffers go with the device's, also where a pipeline grows or fails.
func TestNoBufferStays(t *testing.T) {
	host := newSpy(fast())
	be := join(t, fast(), host, twin.Options{Host: []string{"loss", "sort.scan"}, Check: []string{"update"}})
	sc := scenario(t, "steps")
	pl, err := sc.Scene.Build(be, sc.Refiner)
	if err != nil {
		t.Fatal(err)
	}
	if host.most == 0 || host.most >= len(pl.All()) {
		t.Errorf("the host has %d of %d buffers, expected those that its kernels touch", host.most, len(pl.All()))
	}
	before := len(host.live)
	if err := pl.GrowPairs(2 * pl.Plan.Pairs); err != nil {
		t.Fatal(err)
	}
	kerneltest.Submit(t, pl, pl.StepProgram, 1)
	if len(host.live) != before {
		t.Errorf("the host has %d buffers after growing, %d before", len(host.live), before)
	}
	pl.Free()
	if len(host.live) != 0 {
		t.Errorf("%d buffers stay on the host", len(host.live))
	}

	full := newSpy(cpu.New(cpu.Options{MaxBytes: 1 << 14}))
	_, err = sc.Scene.Build(join(t, fast(), full, twin.Options{Host: []string{"all"}}), nil)
	if err == nil || !strings.Contains(err.Error(), "on the host: cpu: out of memory: buffer ") {
		t.Errorf("a host without room: %v", err)
	}
	if len(full.live) != 0 {
		t.Errorf("%d buffers stay on the host that had no room", len(full.live))
	}
}

// Close frees what is left and closes both.
func TestClose(t *testing.T) {
	device, host := &closing{Backend: fast()}, &closing{Backend: fast()}
	be, err := twin.New(device, host, twin.Options{Host: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scenario(t, "render").Scene.Build(be, nil); err != nil {
		t.Fatal(err)
	}
	be.Close()
	if device.closed != 1 || host.closed != 1 || host.freed == 0 {
		t.Errorf("closed %d and %d times, %d buffers freed on the host", device.closed, host.closed, host.freed)
	}
}

type closing struct {
	kernel.Backend
	closed, freed int
}

func (c *closing) Close()                { c.closed++; c.Backend.Close() }
func (c *closing) Free(b *kernel.Buffer) { c.freed++; c.Backend.Free(b) }

func TestNames(t *testing.T) {
	for want, o := range map[string]twin.Options{
		"":                        {},
		", with loss on the host": {Host: []string{"loss"}},
		", with sort.scan, refine on the host, everything before emit on the host, all checked on the host": {
			Host: []string{"sort.scan", "refine"}, From: "emit", Check: []string{"all"},
		},
	} {
		device := fast()
		be := join(t, device, fast(), o)
		if be.Name() != "cpu" || be.Device() != device.Device()+want {
			t.Errorf("%s, %s; expected the device's name and %q", be.Name(), be.Device(), want)
		}
	}
}

// Times of both sides, the host's kernels marked.
func TestTimelines(t *testing.T) {
	profiled := func() kernel.Backend { return cpu.New(cpu.Options{Profile: true}) }
	pl := load(t, join(t, profiled(), profiled(), twin.Options{Host: []string{"*.loss"}}), scenario(t, "smooth cutoff"))
	kerneltest.Submit(t, pl, pl.StepProgram, 2)
	calls := map[string]int{}
	pl.Backend.Timelines(func(l kernel.Timeline) {
		for _, d := range l.Recording.Dispatches {
			name := d.Stage + " " + d.Kernel.Name
			if l.Host {
				name += " (host)"
			}
			calls[name]++
		}
	})
	for name, want := range map[string]int{"loss loss (host)": 2, "loss loss": 0, "loss loss_gradient": 2, "update update": 2} {
		if calls[name] != want {
			t.Errorf("%s: %d calls, expected %d", name, calls[name], want)
		}
	}
	pl.Backend.Timelines(func(kernel.Timeline) { t.Error("told twice") })
	join(t, fast(), fast(), twin.Options{}).Timelines(func(kernel.Timeline) { t.Error("measuring is off") })
}

func TestPeekAsksTheDevice(t *testing.T) {
	device, host := newSpy(fast()), newSpy(fast())
	pl := load(t, join(t, device, host, twin.Options{Host: []string{"begin"}}), scenario(t, "steps"))
	kerneltest.Submit(t, pl, pl.StepProgram, 1)
	if _, err := kernel.PeekRecord[kernel.Control](pl.Backend, pl.Control, 0); err != nil || device.peeked != 1 || host.peeked != 0 {
		t.Errorf("peeked at the device %d times, at the host %d (%v)", device.peeked, host.peeked, err)
	}
}

// A device copies what is watched at the end of its programs, so it does not know
// what the host wrote afterwards.
func TestPeekSeesWhatTheHostWrote(t *testing.T) {
	device := newSpy(fast())
	pl := load(t, join(t, device, fast(), twin.Options{Host: []string{"commit"}}), scenario(t, "steps"))
	for step := range uint32(3) {
		kerneltest.Submit(t, pl, pl.StepProgram, 1)
		c, err := kernel.PeekRecord[kernel.Control](pl.Backend, pl.Control, 0)
		if err != nil || c.Step != 4+step+1 {
			t.Errorf("control shows step %d (%v), expected %d", c.Step, err, 4+step+1)
		}
		ring := make([]kernel.Stats, pl.Ring.Len)
		if err := kernel.PeekRecords(pl.Backend, pl.Ring, 0, ring); err != nil || ring[4+step].Step != 4+step {
			t.Errorf("the ring shows step %d (%v), expected %d", ring[4+step].Step, err, 4+step)
		}
	}
	kerneltest.SetControl(t, pl, kernel.Control{})
	if err := pl.Backend.Peek(pl.Geom, 0, make([]byte, 4)); err != nil || device.peeked != 1 {
		t.Errorf("the device was asked %d times, expected once, for what is not watched", device.peeked)
	}
}

func TestProgramOfAnotherBackend(t *testing.T) {
	other := kerneltest.NewCPU(t, cpu.Options{})
	pl := load(t, other, scenario(t, "render"))
	err := join(t, fast(), fast(), twin.Options{}).Submit(pl.RenderProgram, 1)
	if err == nil || !strings.Contains(err.Error(), "program of another backend") {
		t.Error(err)
	}
}

// broken is a backend that fails at something when told to.
type broken struct {
	kernel.Backend
	submit bool   // after the work
	write  string // to the buffer of this name
}

func (b *broken) Submit(p kernel.Program, times int) error {
	err := b.Backend.Submit(p, times)
	if b.submit {
		return fmt.Errorf("no submit")
	}
	return err
}

func (b *broken) WriteBytes(buf *kernel.Buffer, at int, data []byte) error {
	if b.write == buf.Name {
		return fmt.Errorf("no write")
	}
	return b.Backend.WriteBytes(buf, at, data)
}

// What fails on the host is told, and what the host then holds is not believed: the
// same step can run again.
func TestFailures(t *testing.T) {
	device, host := &broken{Backend: fast()}, &broken{Backend: fast()}
	sc := scenario(t, "steps")
	pl := load(t, join(t, device, host, twin.Options{Host: []string{"update"}}), sc)
	for _, b := range []*broken{
		{submit: true}, {write: "geom"}, {submit: true}, {write: "sh"},
	} {
		host.submit, host.write = b.submit, b.write
		if err := pl.Backend.Submit(pl.StepProgram, 1); err == nil || !strings.HasPrefix(err.Error(), "no ") {
			t.Errorf("found %v, expected what failed", err)
		}
		host.submit, host.write = false, ""
	}
	if err := play(pl, sc); err != nil {
		t.Fatal(err)
	}
	want := load(t, kerneltest.NewCPU(t, cpu.Options{}), sc)
	if err := play(want, sc); err != nil {
		t.Fatal(err)
	}
	if diff := kerneltest.Different(kerneltest.State(t, want), kerneltest.State(t, pl)); len(diff) > 0 {
		t.Errorf("different after failures: %v", diff)
	}
	device.submit = true
	if err := pl.Backend.Submit(pl.StepProgram, 1); err == nil {
		t.Error("a failure of the device was not told")
	}
}

// Buffers larger than what is moved at a time.
func TestLargeBuffers(t *testing.T) {
	const n = 5_000_000 // 20 MB
	be := join(t, fast(), fast(), twin.Options{Host: []string{"scan_reduce", "scan_apply"}})
	buffer := func(name string, n int) *kernel.Buffer {
		b := &kernel.Buffer{Name: name, Elem: kernel.U32, Len: n, Persistent: true}
		if err := be.Alloc(b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	blocks := kernel.Blocks(n, kernel.ScanBlock)
	counts, sums := buffer("counts", kernel.NumCounts), buffer("sums", blocks)
	in, out := buffer("in", n), buffer("out", n)
	rec := &kernel.Recording{Name: "scan"}
	rec.Direct(kernel.ScanReduce, blocks, kernel.Args{"counts": counts, "in": in, "sums": sums}, kernel.CountSplats, 1)
	rec.Direct(kernel.ScanTop, 1, kernel.Args{"counts": counts, "sums": sums}, kernel.CountSplats, kernel.CountVisible)
	rec.Direct(kernel.ScanApply, blocks, kernel.Args{"counts": counts, "in": in, "sums": sums, "out": out}, kernel.CountSplats, 1)
	p, err := be.Compile(rec)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]uint32, n)
	for i := range data {
		data[i] = uint32(i % 3) // as flags: two of three
	}
	err = errors.Join(
		kernel.WriteSlice(be, in, 0, data), kernel.WriteSlice(be, counts, kernel.CountSplats, []uint32{n}),
		be.Submit(p, 1), kernel.ReadSlice(be, out, 0, data),
	)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range data {
		if want := uint32(i/3*2 + max(i%3-1, 0)); v != want {
			t.Fatalf("element %d: found %d, expected %d", i, v, want)
		}
	}
}
