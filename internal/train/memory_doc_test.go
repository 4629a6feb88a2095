package train

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/gaussian"
	"splat/internal/kernel"
	"splat/internal/kernel/null"
	"splat/internal/pipeline"
)

// The tables of docs/memory.md stand between comments and are made here. With
// UPDATE_SNAPSHOTS set they are written.
func TestMemoryTablesAreCurrent(t *testing.T) {
	const file = "../../docs/memory.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for name, table := range map[string]string{
		"units": unitsTable(t), "buffers": buffersTable(t), "examples": examplesTable(t), "result": resultText(),
	} {
		if want, err = fillIn(want, name, table); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv("UPDATE_SNAPSHOTS") != "" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, string(text)); d != "" {
		t.Errorf("docs/memory.md is out of date, run go generate ./internal/train (-want +got):\n%s", d)
	}
}

// fillIn replaces what is between the comments of a generated block.
func fillIn(text, name, table string) (string, error) {
	begin, end := "<!-- generated: "+name+" -->", "<!-- end -->"
	before, rest, ok := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("docs/memory.md: no block %q", begin)
	}
	return before + begin + table + end + after, nil
}

func TestFillIn(t *testing.T) {
	got, err := fillIn("a <!-- generated: x -->old<!-- end --> b <!-- end -->", "x", "new")
	if want := "a <!-- generated: x -->new<!-- end --> b <!-- end -->"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"", "<!-- generated: x -->", "<!-- generated: y --><!-- end -->"} {
		if _, err := fillIn(text, "x", "new"); err == nil {
			t.Errorf("%q was filled in", text)
		}
	}
}

// planned makes the buffers of a plan with as many things of each kind.
func planned(t *testing.T, degree int, training bool) []pipeline.Sized {
	t.Helper()
	const n = thingsOfEach
	p := pipeline.Plan{SHDegree: degree, Splats: n, Pairs: n, Views: n, Pixels: n, Tiles: n, Training: training}
	if training {
		p.Window, p.TargetPixels = 11, n
	}
	pl, err := pipeline.New(null.New(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pl.Sizes()
}

const thingsOfEach = 1 << 20

// each is the number of bytes for each thing of a kind.
func each(list []pipeline.Sized, per pipeline.Count) float64 {
	return float64(pipeline.Bytes(list, per)) / thingsOfEach
}

func unitsTable(t *testing.T) string {
	var b strings.Builder
	fmt.Fprint(&b, "\n| bytes for each | training | drawing only |\n|---|---|---|\n")
	for degree := range 4 {
		fmt.Fprintf(&b, "| splat, SH degree %d | %g | %g |\n", degree, each(planned(t, degree, true), pipeline.PerSplat), each(planned(t, degree, false), pipeline.PerSplat))
	}
	training, drawing := planned(t, 3, true), planned(t, 3, false)
	for _, per := range []pipeline.Count{pipeline.PerPair, pipeline.PerSortKey, pipeline.PerPixel, pipeline.PerTile, pipeline.PerTargetPixel} {
		name := string(per)
		if per == pipeline.PerPixel || per == pipeline.PerTile {
			name += " of the largest view"
		}
		fmt.Fprintf(&b, "| %s | %.3g | %.3g |\n", name, each(training, per), each(drawing, per))
	}
	fmt.Fprint(&b, "| test pixel | 4 | 4 |\n")
	return b.String()
}

func buffersTable(t *testing.T) string {
	var b strings.Builder
	fmt.Fprint(&b, "\n| buffer | for each | elements | bytes | kept |\n|---|---|---|---|---|\n")
	list := planned(t, 3, true)
	for _, per := range []pipeline.Count{
		pipeline.PerSplat, pipeline.PerPair, pipeline.PerSortKey, pipeline.PerPixel, pipeline.PerTile, pipeline.PerTargetPixel, pipeline.PerView,
	} {
		for _, s := range list {
			if s.Per == per {
				elements := float64(s.Len) / thingsOfEach
				fmt.Fprintf(&b, "| %s | %s | %s | %.3g | %s |\n", s.Name, per, elementText(elements, s.Elem), float64(s.Bytes())/thingsOfEach, kept(s))
			}
		}
	}
	for _, s := range list {
		if s.Per == "" {
			fmt.Fprintf(&b, "| %s | run | %s | %d | %s |\n", s.Name, elementText(float64(s.Len), s.Elem), s.Bytes(), kept(s))
		}
	}
	return b.String()
}

func elementText(n float64, elem kernel.Elem) string {
	if n == 1 {
		return string(elem)
	}
	return fmt.Sprintf("%.3g %s", n, elem)
}

func kept(s pipeline.Sized) string {
	if s.Persistent {
		return "yes"
	}
	return ""
}

// example is a training to work out.
type example struct {
	title         string
	splats, start int
	width, height int
	trains, tests int
	pairs         int // that the fullest view needs
	why           string
}

var examples = []example{
	{"50 000 splats at 200x200, as in the first Lego run", 50_000, 50_000, 200, 200, 100, 25, 90_000, "what was measured at the end"},
	{"1 000 000 splats at 1600x1066", 1_000_000, 100_000, 1600, 1066, 200, 28, 3_000_000, "five for each of 600 000 visible splats"},
}

func (e example) capture() *dataset.Capture {
	c := &dataset.Capture{Points: &dataset.Points{XYZ: make([]float32, 3*e.start)}}
	for i := range e.trains + e.tests {
		v := dataset.View{Test: i >= e.trains}
		v.Camera.Width, v.Camera.Height = e.width, e.height
		c.Views = append(c.Views, v)
	}
	return c
}

// later is the plan once the pairs have grown as roomFor lets them.
func (e example) later(t *testing.T, m MemoryPlan) int64 {
	t.Helper()
	if e.pairs <= int(m.Pairs.Count)/5*4 {
		return m.Total
	}
	n := max(int(m.Pairs.Count)*3/2, e.pairs+e.pairs/8)
	grown := pipeline.Plan{SHDegree: 3, Splats: e.splats, Pairs: n, Training: true}
	pl, err := pipeline.New(null.New(), grown, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m.Total - m.Pairs.Bytes - m.SortKeys.Bytes + pipeline.Bytes(pl.Sizes(), pipeline.PerPair, pipeline.PerSortKey)
}

func examplesTable(t *testing.T) string {
	var b strings.Builder
	for _, e := range examples {
		c := config.Default("mcmc")
		c.Model.MaxSplats = e.splats
		m, err := Memory(c, e.capture())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n**%s**, %d pictures to train on, %d to measure on, %d splats at the start:\n\n", e.title, e.trains, e.tests, e.start)
		fmt.Fprint(&b, "| what | count | bytes each | together |\n|---|---|---|---|\n")
		row := func(name string, p MemoryPart) {
			fmt.Fprintf(&b, "| %s | %d | %.3g | %s |\n", name, p.Count, p.Each, humanBytes(p.Bytes))
		}
		row("splats", m.Splats)
		row("pairs", m.Pairs)
		row("sort keys", m.SortKeys)
		row("pixels of a view", m.ViewPixels)
		row("tiles of a view", m.ViewTiles)
		row("target pixels", m.TargetPixels)
		row("test pixels", m.TestPixels)
		fmt.Fprintf(&b, "| other | | | %s |\n| **total at the start** | | | **%s** |\n", humanBytes(m.Other), humanBytes(m.Total))
		fmt.Fprintf(&b, "| while loading, above the total | | | %s |\n", humanBytes(m.Loading))
		fmt.Fprintf(&b, "| **total with %d pairs** (%s) | | | **%s** |\n", e.pairs, e.why, humanBytes(e.later(t, m)))
	}
	return b.String()
}

// resultText says what a downloaded splat takes.
func resultText() string {
	const n = 1000
	c := gaussian.New(n, 3)
	floats := len(c.Means) + len(c.Quats) + len(c.LogScales) + len(c.Opacities) + len(c.SH)
	return fmt.Sprintf("%d bytes a splat at SH degree 3", 4*floats/n)
}
