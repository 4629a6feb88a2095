package pipeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel/null"
	"splat/internal/pipeline"
)

func sizesOf(t *testing.T, p pipeline.Plan) ([]pipeline.Sized, int64) {
	t.Helper()
	be := null.New()
	pl, err := pipeline.New(be, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pl.Sizes(), be.Bytes()
}

func trainingPlan() pipeline.Plan {
	return pipeline.Plan{
		SHDegree: 3, Splats: 5000, Pairs: 7000, Views: 9, Pixels: 640 * 480, Tiles: 40 * 30,
		TargetPixels: 9 * 640 * 480, Training: true, Window: 11,
	}
}

// What each buffer's length follows from, spelled out for some of every kind.
func TestSizesKnowWhatBuffersFollow(t *testing.T) {
	sizes, total := sizesOf(t, trainingPlan())
	got, sum := map[string]pipeline.Count{}, int64(0)
	for _, s := range sizes {
		got[s.Name] = s.Per
		sum += s.Bytes()
	}
	for name, want := range map[string]pipeline.Count{
		"geom": pipeline.PerSplat, "sh second moment": pipeline.PerSplat, "base": pipeline.PerSplat,
		"slots": pipeline.PerPair, "pair keys alternate": pipeline.PerPair,
		"histogram": pipeline.PerSortKey, "digits": pipeline.PerSortKey, "sums": pipeline.PerSortKey,
		"maps": pipeline.PerPixel, "image": pipeline.PerPixel, "ranges": pipeline.PerTile, "partials": pipeline.PerTile,
		"targets": pipeline.PerTargetPixel, "views": pipeline.PerView, "control": "", "ring": "", "window": "",
	} {
		if per, ok := got[name]; !ok || per != want {
			t.Errorf("buffer %s is per %q, expected %q", name, per, want)
		}
	}
	if sum != total {
		t.Errorf("the buffers add up to %d bytes, allocated were %d", sum, total)
	}
	if n := pipeline.Bytes(sizes, pipeline.PerTargetPixel); n != 4*9*640*480 {
		t.Errorf("%d bytes of targets", n)
	}
}

// The classes do not depend on the plan, whichever of splats and pairs is more.
func TestSizesDoNotDependOnTheCounts(t *testing.T) {
	few, many := trainingPlan(), trainingPlan()
	few.Pairs, many.Pairs = 1, 1<<20
	a, _ := sizesOf(t, few)
	b, _ := sizesOf(t, many)
	var perA, perB []pipeline.Count
	for i := range a {
		perA, perB = append(perA, a[i].Per), append(perB, b[i].Per)
	}
	if d := cmp.Diff(perA, perB); d != "" {
		t.Errorf("the classes differ:\n%s", d)
	}
	if n := pipeline.Bytes(b, pipeline.PerPair) - pipeline.Bytes(a, pipeline.PerPair); n != (1<<20-1)*68 {
		t.Errorf("%d bytes for %d more pairs", n, 1<<20-1)
	}
}

func TestSizesOfRenderingAlone(t *testing.T) {
	p := trainingPlan()
	p.Training = false
	sizes, total := sizesOf(t, p)
	_, training := sizesOf(t, trainingPlan())
	if total >= training || pipeline.Bytes(sizes, pipeline.PerTargetPixel) != 0 {
		t.Errorf("%d bytes to render, %d to train, targets %d", total, training, pipeline.Bytes(sizes, pipeline.PerTargetPixel))
	}
}
