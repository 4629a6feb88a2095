package null_test

import (
	"strings"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/null"
	"splat/internal/pipeline"
	"splat/internal/train/strategy/mcmc"
)

func plan() pipeline.Plan {
	return pipeline.Plan{
		SHDegree: 3, Splats: 1000, Pairs: 5000, Views: 3, Pixels: 64 * 48, Tiles: 12, TargetPixels: 3 * 64 * 48,
		Training: true, Window: 11,
	}
}

func sum(pl *pipeline.Pipeline) (n int64) {
	for _, b := range pl.All() {
		n += b.Bytes()
	}
	return n
}

func mustNew(t *testing.T, be *null.Backend, p pipeline.Plan) *pipeline.Pipeline {
	t.Helper()
	pl, err := pipeline.New(be, p, mcmc.Record)
	if err != nil {
		t.Fatal(err)
	}
	return pl
}

func TestBytesAreTheSumOfTheBuffers(t *testing.T) {
	be := null.New()
	pl := mustNew(t, be, plan())
	if be.Bytes() != sum(pl) || be.Bytes() == 0 {
		t.Errorf("%d bytes, the buffers have %d", be.Bytes(), sum(pl))
	}
	pl.Free()
	if be.Bytes() != 0 {
		t.Errorf("%d bytes are left", be.Bytes())
	}
}

// TestGrowthIsOneArrayAtATime grows: afterwards the sum is right, and on the way no
// more than the largest array existed twice.
func TestGrowthIsOneArrayAtATime(t *testing.T) {
	be := null.New()
	pl := mustNew(t, be, plan())
	if err := pl.GrowSplats(3000); err != nil {
		t.Fatal(err)
	}
	if err := pl.GrowPairs(20000); err != nil {
		t.Fatal(err)
	}
	if be.Bytes() != sum(pl) {
		t.Errorf("%d bytes after growth, the buffers have %d", be.Bytes(), sum(pl))
	}
	var largest int64
	for _, b := range pl.All() {
		largest = max(largest, b.Bytes())
	}
	if be.Peak() > be.Bytes()+largest {
		t.Errorf("the peak of %d bytes is above %d and the largest array, %d", be.Peak(), be.Bytes(), largest)
	}
	if pl.Geom.Len != 3000*kernel.GeomRow || pl.Owners.Len != 20000 {
		t.Errorf("room for %d reals of geometry and %d pairs", pl.Geom.Len, pl.Owners.Len)
	}
}

// TestLargePlans adds up what no machine here could hold.
func TestLargePlans(t *testing.T) {
	be := null.New()
	p := plan()
	p.Splats, p.Pairs = 12_000_000, 3_000_000_000
	pl := mustNew(t, be, p)
	if be.Bytes() != sum(pl) || pl.SH.Bytes() != 2_304_000_000 || pl.Slots.Bytes() != 144_000_000_000 {
		t.Errorf("%d bytes, SH %d, slots %d", be.Bytes(), pl.SH.Bytes(), pl.Slots.Bytes())
	}
}

func TestPlaysProgramsAndDeliversZeros(t *testing.T) {
	be := null.New()
	pl := mustNew(t, be, plan())
	if err := be.Submit(pl.StepProgram, 3); err != nil {
		t.Fatal(err)
	}
	if want := 3 * len(pl.StepProgram.Recording().Dispatches); be.Dispatches() != want {
		t.Errorf("%d dispatches, want %d", be.Dispatches(), want)
	}
	be.Timelines(func(kernel.Timeline) { t.Error("a timeline") })
	if err := be.Wait(); err != nil {
		t.Error("waiting or timings")
	}
	if err := kernel.WriteSlice(be, pl.Geom, 0, []float32{1, 2}); err != nil {
		t.Fatal(err)
	}
	got := []float32{5, 5}
	if err := kernel.ReadSlice(be, pl.Geom, 0, got); err != nil || got[0] != 0 || got[1] != 0 {
		t.Errorf("read %v, %v", got, err)
	}
	if err := be.Copy(pl.GeomM, pl.Geom); err != nil {
		t.Error(err)
	}
	if be.Name() != "null" || be.Device() == "" {
		t.Errorf("calls itself %q on %q", be.Name(), be.Device())
	}
	be.Close()
}

func TestRefusals(t *testing.T) {
	be := null.New()
	good := &kernel.Buffer{Name: "good", Elem: kernel.U32, Len: 4}
	stray := &kernel.Buffer{Name: "stray", Elem: kernel.U32, Len: 4}
	if err := be.Alloc(good); err != nil {
		t.Fatal(err)
	}
	rec := &kernel.Recording{Name: "r"}
	rec.Direct(kernel.GatherTiles, 1, kernel.Args{"counts": good, "ids": good, "tiles": good, "ordered": stray})
	_, compile := be.Compile(rec)
	for name, c := range map[string]struct {
		err error
		say string
	}{
		"twice":          {be.Alloc(good), "good is allocated already"},
		"negative":       {be.Alloc(&kernel.Buffer{Name: "x", Elem: kernel.U32, Len: -1}), "x: no storage for -1"},
		"unknown":        {be.Alloc(&kernel.Buffer{Name: "x", Elem: "Thing", Len: 1}), `1 elements of "Thing"`},
		"read stray":     {be.ReadBytes(stray, 0, nil), "stray is not allocated"},
		"write stray":    {be.WriteBytes(stray, 0, nil), "stray is not allocated"},
		"beyond":         {be.WriteBytes(good, 3, make([]byte, 8)), "good has 4 elements, asked for 8 bytes at 3"},
		"before":         {be.ReadBytes(good, -1, nil), "good has 4 elements"},
		"slice beyond":   {kernel.WriteSlice(be, good, 3, []uint32{1, 2}), "good has 4 elements, asked for 3..5"},
		"slice before":   {kernel.ReadSlice(be, good, -1, []uint32{1}), "good has 4 elements, asked for -1..0"},
		"records beyond": {kernel.ReadRecords(be, good, 0, make([]kernel.Stats, 5)), "good has 4 elements, asked for 0..5"},
		"copy to":        {be.Copy(stray, good), "stray is not allocated"},
		"copy from":      {be.Copy(good, stray), "stray is not allocated"},
		"compile":        {compile, "recording r: null: buffer stray is not allocated"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.say) {
			t.Errorf("%s: error %v does not say %q", name, c.err, c.say)
		}
	}
	be.Free(stray) // never allocated: nothing happens
	be.Free(good)
	if be.Bytes() != 0 {
		t.Errorf("%d bytes are left", be.Bytes())
	}
}
