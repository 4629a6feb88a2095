package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/dataset"
	"splat/internal/imageio"
)

func TestTextTableLinesNumbersUp(t *testing.T) {
	table := newTable("name", ">value", "unit")
	table.row("é", "3", "dB")
	table.row("long name", "12.5", "")
	want := "name       value  unit\né              3  dB\nlong name   12.5"
	if d := cmp.Diff(want, table.String()); d != "" {
		t.Error(d)
	}
}

func TestPhotographIsWhatTheRunWasScoredAgainst(t *testing.T) {
	m := &imageio.Image{Width: 2, Height: 1, Premultiplied: true, Pix: []uint8{255, 0, 0, 255, 0, 0, 0, 0}}
	rgb, used := photograph(m, false, [3]float64{0, 0, 1})
	if d := cmp.Diff([]float32{1, 0, 0, 0, 0, 1}, rgb); d != "" || used != nil {
		t.Errorf("on blue: %s, used %v", d, used)
	}
	rgb, used = photograph(m, true, [3]float64{0, 0, 1})
	if d := cmp.Diff([]float32{1, 0, 0, 0, 0, 0}, rgb); d != "" || !cmp.Equal(used, []bool{true, false}) {
		t.Errorf("masked: %s, used %v", d, used)
	}
}

func TestSomeViewsAreSpreadOverTheTestViews(t *testing.T) {
	capture := &dataset.Capture{}
	for i := range 10 {
		capture.Views = append(capture.Views, dataset.View{Name: string(rune('a' + i)), Test: i%2 == 0})
	}
	views, split := someViews(capture, 2)
	if len(views) != 2 || views[0].Name != "a" || views[1].Name != "e" || split != "test" {
		t.Errorf("%v of %s, expected a and e of test", views, split)
	}
	for i := range capture.Views {
		capture.Views[i].Test = false
	}
	if views, split := someViews(capture, 20); len(views) != 10 || split != "train" {
		t.Errorf("%d of %s, expected all 10 of train", len(views), split)
	}
}
