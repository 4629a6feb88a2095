package prof

import (
	"math"
	"strings"
	"testing"
	"time"

	"splat/internal/kernel"
)

const msec = time.Millisecond

// stepOf makes a recording of kernels by stage: two passes of a sort, blending, update.
func stepOf(t *testing.T) *kernel.Recording {
	t.Helper()
	buffer := func(name string, elem kernel.Elem, n int) *kernel.Buffer {
		return &kernel.Buffer{Name: name, Elem: elem, Len: n}
	}
	counts, sums := buffer("counts", kernel.U32, kernel.NumCounts), buffer("sums", kernel.U32, 64)
	keys, histogram := buffer("keys", kernel.U32, 64), buffer("histogram", kernel.U32, 256)
	rec := &kernel.Recording{Name: "step"}
	rec.Stage("tile-sort")
	for _, shift := range []uint32{0, 8} {
		rec.Direct(kernel.SortCount, 1, kernel.Args{"counts": counts, "keys": keys, "histogram": histogram}, kernel.CountPairs, shift)
		rec.Direct(kernel.ScanTop, 1, kernel.Args{"counts": counts, "sums": sums}, kernel.CountPairDigits, kernel.CountSorted)
	}
	rec.Stage("ranges")
	rec.Direct(kernel.Ranges, 1, kernel.Args{"counts": counts, "keys": keys, "ranges": buffer("ranges", kernel.U32, 8)})
	rec.Stage("commit")
	rec.Direct(kernel.SetVisible, 1, kernel.Args{"step": buffer("step", "Step", 1), "counts": counts, "args": buffer("args", kernel.U32, 3)})
	return rec
}

// run is a timeline in which each dispatch takes took, after a gap of gap.
func run(rec *kernel.Recording, step uint32, gap, took time.Duration) kernel.Timeline {
	l := kernel.Timeline{Recording: rec, Step: step}
	for range rec.Dispatches {
		l.Spans = append(l.Spans, kernel.Span{From: l.Total + gap, To: l.Total + gap + took})
		l.Total += gap + took
	}
	l.Total += gap
	return l
}

func TestSumsGroupsAndPasses(t *testing.T) {
	table, rec := NewTable(), stepOf(t)
	for i := range 20 {
		table.Add(run(rec, uint32(i), msec, time.Duration(1+i)*msec))
	}
	refine := *rec
	refine.Name = "refine"
	table.Add(run(&refine, 20, 0, msec))
	r := table.Report()
	if r.Error != 0 || math.Abs(r.KernelMS+r.GapMS-r.StepMS) > 1e-9 || r.GapMS != 7 || r.KernelMS != 6*10.5 {
		t.Errorf("kernels %g and gaps %g of %g", r.KernelMS, r.GapMS, r.StepMS)
	}
	sum := 0.0
	for _, row := range r.Rows {
		sum += row.TotalMS
		if row.Stage == "tile-sort 2/2" && row.Kernel == "sort_count" && row.Group == "forward" {
			if row.Calls != 20 || row.AverageMS != 10.5 || row.MedianMS != 11 || row.P95MS != 20 {
				t.Errorf("%+v", row)
			}
		}
	}
	groups := map[string]float64{}
	all, shares := 0.0, 0.0
	for _, g := range r.Groups {
		groups[g.Group] = g.TotalMS
		all += g.TotalMS
		shares += g.Share
	}
	if math.Abs(all-sum) > 1e-6 || math.Abs(shares-1) > 1e-9 {
		t.Errorf("groups sum to %g (shares %g), rows to %g", all, shares, sum)
	}
	if groups["forward"] != 5*210 || groups["update"] != 210 || groups["gaps"] != 140 || groups["refine"] != 6 {
		t.Errorf("groups %v", groups)
	}
	text := table.Format()
	for _, want := range []string{"tile-sort 1/2", "tile-sort 2/2", "gap: at a barrier", "off by 0.00 %", "a kernel's share is not its saving"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "1/4") || strings.Contains(text, "warning") {
		t.Error(text)
	}
}

// Spans that overlap are counted twice by a sum: the table says that it is wrong.
func TestOverlapsAreFound(t *testing.T) {
	table, l := NewTable(), run(stepOf(t), 1, 0, msec)
	l.Spans[3].From -= msec
	table.Add(l)
	if e := table.Error(); e < sumTolerance {
		t.Errorf("error %g", e)
	}
	if text := table.Format(); !strings.Contains(text, "warning: kernels and gaps are") {
		t.Error(text)
	}
}

func TestWhatDoesNotCount(t *testing.T) {
	table, rec := NewTable(), stepOf(t)
	table.Skip(5)
	idle, render := run(rec, 7, 0, msec), *rec
	idle.Idle = true
	render.Name = "render"
	table.Add(idle)
	table.Add(run(rec, 4, 0, msec))
	table.Add(run(&render, 9, 0, msec))
	table.Saw(4, Counts{Pairs: 1000})
	if len(table.Rows()) != 0 || table.Work().Steps != 0 || !strings.Contains(table.Format(), "no step was measured") {
		t.Errorf("%+v", table.Rows())
	}
	table.Add(run(rec, 5, 0, msec))
	if len(table.Rows()) == 0 || table.Steps() != 1 {
		t.Error("step 5 does not count")
	}
	table.Sampling(kernel.Sampling{Off: "no clock"})
	if table.Format() != "profile: no clock\n" {
		t.Error(table.Format())
	}
}

func TestHostKernelsAreMarked(t *testing.T) {
	table, l := NewTable(), run(stepOf(t), 1, 0, msec)
	l.Host = true
	table.Add(l)
	if rows := table.Rows(); rows[0].Kernel != "sort_count (host)" || rows[0].Runs != 1 || rows[0].Median != msec {
		t.Errorf("%+v", rows[0])
	}
}

func TestModel(t *testing.T) {
	table, rec := NewTable(), stepOf(t)
	table.Add(run(rec, 0, 0, msec))
	table.Saw(0, Counts{Pairs: 4000, Tiles: 10})
	table.Saw(1, Counts{Pairs: 6000, Tiles: 10})
	table.Peaks(Peaks{Bytes: 1e9})
	table.ReadBack(48)
	table.Submitted(0, 8)
	r := table.Report()
	want := 4*5000. + 4*256*3 // keys, and the digits of three blocks
	if row := r.Rows[1]; row.Kernel != "sort_count" || row.Bytes != want || row.OfBytes != want/1e6 || row.Ops != 0 {
		t.Errorf("%+v, expected %g bytes", row, want)
	}
	if w := r.Work; w.Pairs != 5000 || w.ReadBack != 6 || w.Dispatches != 6 || w.Barriers == 0 {
		t.Errorf("%+v", w)
	}
}

// One opaque splat in front of a faint one: the pixel at its middle closes.
func TestPixelsAreCounted(t *testing.T) {
	p := picture{step: kernel.Step{TilesX: 1, TilesY: 1, Width: 4, Height: 1}, ranges: []uint32{0, 3}, pairs: []uint32{0, 1, 2}, owners: []uint32{0, 0, 1}}
	p.proj = make([]float32, 2*kernel.ProjRow)
	near, far := p.proj[:kernel.ProjRow], p.proj[kernel.ProjRow:]
	near[kernel.ProjX], near[kernel.ProjY], near[kernel.ProjConicA], near[kernel.ProjConicC] = 0.5, 0.5, 40, 40
	near[kernel.ProjOpacity], near[kernel.ProjPower] = 0.9999, 12
	far[kernel.ProjConicA], far[kernel.ProjConicC], far[kernel.ProjOpacity], far[kernel.ProjPower] = 1e-4, 1e-4, 0.5, 10
	// Pixel 0: the first one blends, the second would make it opaque. Others: out of reach twice, then the faint one.
	if got := p.count(); got.Evaluated != 2+3*3 || got.Blended != 1+3 {
		t.Errorf("%+v", got)
	}
}
