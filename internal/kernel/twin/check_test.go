package twin_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
	"splat/internal/kernel/twin"
)

// A check of sides that agree within tolerances says nothing and leaves the
// device's result, every dispatch of it.
func TestCheckKeepsTheDevicesResult(t *testing.T) {
	for _, name := range []string{"steps", "mcmc", "adc growing", "no-op", "pair overflow", "render"} {
		sc := scenario(t, name)
		want := outcome(t, kerneltest.NewCPU(t, cpu.Options{}), sc)
		compared := 0
		be := join(t, fast(), readable(), twin.Options{
			Check: []string{"all"},
			Compare: func(d *kernel.Dispatch, groups int, before, want, got map[string][]uint32) error {
				compared++
				return kerneltest.Compare(d, groups, before, want, got)
			},
		})
		pl := load(t, be, sc)
		if err := play(pl, sc); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		dispatches := 0
		for _, p := range sc.Programs(pl) {
			dispatches += len(p.Recording().Dispatches)
		}
		if compared != dispatches {
			t.Errorf("%s: %d dispatches compared, expected %d", name, compared, dispatches)
		}
		if name == "render" {
			continue // changes no state
		}
		got := kerneltest.State(t, pl)
		delete(want, "image")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", name, diff)
		}
	}
}

// mutant is a device one of whose kernels does something wrong from the second
// submission of it on.
type mutant struct {
	kernel.Backend
	name, binding string
	change        func([]uint32)
	seen, after   int // dispatches of the kernel; those that are right
}

func (m *mutant) Submit(p kernel.Program, times int) error {
	if err := m.Backend.Submit(p, times); err != nil {
		return err
	}
	for _, d := range p.Recording().Dispatches {
		if d.Kernel.Name != m.name {
			continue
		}
		if m.seen++; m.seen > m.after {
			m.alter(d.Buffers[d.Kernel.Index(m.binding)])
		}
	}
	return nil
}

func (m *mutant) alter(b *kernel.Buffer) {
	data := make([]byte, b.Bytes())
	if err := m.ReadBytes(b, 0, data); err != nil {
		panic(err)
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = uint32(data[4*i]) | uint32(data[4*i+1])<<8 | uint32(data[4*i+2])<<16 | uint32(data[4*i+3])<<24
	}
	m.change(words)
	for i, w := range words {
		data[4*i], data[4*i+1], data[4*i+2], data[4*i+3] = byte(w), byte(w>>8), byte(w>>16), byte(w>>24)
	}
	if err := m.WriteBytes(b, 0, data); err != nil {
		panic(err)
	}
}

func set(at int, w uint32) func([]uint32) { return func(words []uint32) { words[at] = w } }

var five, nan = math.Float32bits(5), math.Float32bits(float32(math.NaN()))

// Each wrong kernel is blamed, with the place of the difference and nothing else.
func TestMutantsAreCaught(t *testing.T) {
	const scene = "steps" // from step 4 on; the first of its views is smaller than what is altered in some
	for _, m := range []struct {
		kernel, binding string
		change          func([]uint32)
		after           int
		check, stage    string
		submission      int
		place           string
	}{
		{"loss_gradient", "gradient", set(3*5+2, nan), 1, "loss", "loss", 2, "gradient: element 17, pixel x 5 y 0, row 5, column 2: NaN, want "},
		{"loss", "partials", set(2*2+1, five), 0, "*.loss", "loss", 2, "partials: 1 of 24 elements differ, the first at element 5, tile x 2 y 0, row 2, column 1: 5, want "},
		{"update", "geom", set(kernel.GeomRow*7+3, five), 0, "all", "update", 1, "geom: 1 of 30000 elements differ, the first at element 87, row 7, column 3: 5, want "},
		{"sort_scatter", "keys_out", set(2, 9), 5, "tile-sort", "tile-sort", 2, "keys_out: 1 of "},
		{"scan_top", "counts", set(kernel.CountVisible, 3), 0, "compact", "compact", 1, "counts: 1 of "},
		{"begin", "step", set(0, 1), 2, "begin", "begin", 3, "step: 1 of "},
		{"commit", "control", set(0, 77), 3, "commit", "commit", 4, "record 0, field Step: 77, want 8"},
		{"compact", "tiles", set(0, 1<<20), 0, "all", "compact", 1, "tiles: read-only, but changed"},
	} {
		sc := scenario(t, scene)
		device := &mutant{Backend: fast(), name: m.kernel, binding: m.binding, change: m.change, after: m.after}
		pl := load(t, join(t, device, fast(), twin.Options{Check: []string{m.check}}), sc)
		err := pl.Backend.Submit(pl.StepProgram, 6)
		var d *twin.Difference
		if !errors.As(err, &d) {
			t.Errorf("%s.%s: %v", m.kernel, m.binding, err)
			continue
		}
		at := pl.StepProgram.Recording().Dispatches[d.Dispatch-1]
		got := []any{d.Kernel, d.Stage, d.Recording, d.Submission, d.Of, at.Kernel.Name, at.Stage}
		want := []any{m.kernel, m.stage, "step", m.submission, len(pl.StepProgram.Recording().Dispatches), m.kernel, m.stage}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s.%s (-want +got):\n%s", m.kernel, m.binding, diff)
		}
		if s := err.Error(); !strings.Contains(s, m.place) || strings.Contains(s, "\n") {
			t.Errorf("%s.%s: %s\nexpected %q", m.kernel, m.binding, s, m.place)
		}
		if d.Step != nil && d.Step.Index != uint32(4+m.submission-1) {
			t.Errorf("%s.%s: step %d in submission %d", m.kernel, m.binding, d.Step.Index, m.submission)
		}
	}
}

// The whole text once.
func TestDifferenceIsOneLine(t *testing.T) {
	d := &twin.Difference{
		Kernel: "loss", Stage: "loss", Recording: "step", Dispatch: 50, Of: 54, Submission: 3,
		Step: &kernel.Step{Index: 512, View: 7}, Err: errors.Join(errors.New("maps: a"), errors.New("partials: b")),
	}
	want := "kernel loss (stage loss) differs from its host twin in dispatch 50 of 54 of recording step, submission 3 (step 512, view 7): maps: a; partials: b"
	if d.Error() != want {
		t.Errorf("found    %s\nexpected %s", d, want)
	}
}

// The submissions of a recording are counted on when it is compiled again.
func TestSubmissionsAfterGrowing(t *testing.T) {
	sc := scenario(t, "steps")
	device := &mutant{Backend: fast(), name: "commit", binding: "control", change: set(0, 77), after: 3}
	pl := load(t, join(t, device, fast(), twin.Options{Check: []string{"commit"}}), sc)
	kerneltest.Submit(t, pl, pl.StepProgram, 2)
	if err := pl.GrowPairs(2 * pl.Plan.Pairs); err != nil {
		t.Fatal(err)
	}
	var d *twin.Difference
	if err := pl.Backend.Submit(pl.StepProgram, 2); !errors.As(err, &d) || d.Submission != 4 {
		t.Errorf("found %v, expected a difference in submission 4", err)
	}
}

// A check sees what the device holds, also where nothing has told that it changed.
func TestCheckBelievesNothing(t *testing.T) {
	device := fast()
	be := join(t, device, fast(), twin.Options{Check: []string{"*.loss"}})
	sc := scenario(t, "steps")
	pl := load(t, be, sc)
	kerneltest.Submit(t, pl, pl.StepProgram, 1)
	if err := kernel.WriteSlice(device, pl.Window, 0, make([]float32, 11)); err != nil { // not through be
		t.Fatal(err)
	}
	if err := pl.Backend.Submit(pl.StepProgram, 1); err != nil {
		t.Errorf("both sides had the same window, and yet: %v", err)
	}
}

func TestCheckNeedsAComparison(t *testing.T) {
	if _, err := twin.New(nil, nil, twin.Options{Check: []string{"all"}}); err == nil {
		t.Error("accepted")
	}
}

// What runs on the host is not checked against the host.
func TestHostGoesBeforeCheck(t *testing.T) {
	device := &mutant{Backend: fast(), name: "loss", binding: "maps", change: set(0, nan)}
	pl := load(t, join(t, device, fast(), twin.Options{Host: []string{"*.loss"}, Check: []string{"all"}}), scenario(t, "steps"))
	if err := pl.Backend.Submit(pl.StepProgram, 1); err != nil || device.seen != 0 {
		t.Errorf("the device ran the kernel %d times: %v", device.seen, err)
	}
}

// The host goes on from the device's result of a check, not from its own.
func TestHostAfterCheck(t *testing.T) {
	sc := scenario(t, "steps")
	host := []string{"loss", "update"}
	want := outcome(t, join(t, readable(), fast(), twin.Options{Host: host}), sc)
	got := outcome(t, join(t, readable(), fast(), twin.Options{Host: host, Check: []string{"all"}}), sc)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with and without a check (-without +with):\n%s", diff)
	}
}
