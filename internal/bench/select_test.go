package bench

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func names(list []Case) (out []string) {
	for _, c := range list {
		out = append(out, c.Name)
	}
	return out
}

// Names are an interface: benchstat matches old and new by them.
func TestNamesAreStable(t *testing.T) {
	all := names(Cases())
	for _, want := range []string{
		"Step/splats=0.1M/size=800x800", "Render/splats=1M/size=1920x1080", "Kernel/rasterize/splats=1M/size=1920x1080",
		"Kernel/rasterize_backward/splats=10M/size=3840x2160", "Kernel/depth_sort/splats=0.1M/size=3840x2160",
		"Kernel/tile_sort/splats=1M/size=800x800", "Kernel/scan/splats=10M/size=800x800",
	} {
		if !slices.Contains(all, want) {
			t.Errorf("no case is called %s", want)
		}
	}
	if len(all) != 9*(len(groups)+2) {
		t.Errorf("%d cases", len(all))
	}
	sorted := slices.Clone(all)
	slices.Sort(sorted)
	if len(slices.Compact(sorted)) != len(all) {
		t.Error("a name occurs twice")
	}
}

func TestUsualCasesAreSmall(t *testing.T) {
	for _, c := range (Selection{}).Cases() {
		n, err := c.Bytes()
		if err != nil || n > 2<<30 {
			t.Errorf("%s needs %d bytes: %v", c.Name, n, err)
		}
	}
}

func TestSelections(t *testing.T) {
	filter := regexp.MustCompile
	for name, c := range map[string]struct {
		s    Selection
		want []string
	}{
		"usual, filtered": {Selection{Filter: filter("^Step")}, []string{"Step/splats=0.1M/size=800x800", "Step/splats=1M/size=1920x1080"}},
		"beyond the usual": {Selection{Filter: filter("^Step/splats=10M")}, []string{
			"Step/splats=10M/size=800x800", "Step/splats=10M/size=1920x1080", "Step/splats=10M/size=3840x2160"}},
		"counts": {Selection{Splats: []int{2000}, Filter: filter("^Render.*x1080$")}, []string{"Render/splats=2k/size=1920x1080"}},
		"sizes":  {Selection{Sizes: []Size{{64, 48}}, Splats: []int{999}, Filter: filter("/scan/")}, []string{"Kernel/scan/splats=999/size=64x48"}},
		"peaks":  {Selection{Peaks: true, Filter: filter("dispatch")}, []string{"Peak/dispatch/groups=1", "Peak/dispatch/groups=256"}},
		"none":   {Selection{Filter: filter("nothing")}, nil},
		"no 4K":  {Selection{Splats: []int{2000}, Sizes: []Size{{64, 48}}, Filter: filter("3840")}, nil},
	} {
		if d := cmp.Diff(c.want, names(c.s.Cases())); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestCountsRoundTrip(t *testing.T) {
	for _, n := range []int{1, 500, 999, 1000, 1500, 20_000, 99_999, 100_000, 123_456, 1_000_000, 2_500_000, MaxSplats} {
		got, err := ParseCounts(FormatCount(n))
		if err != nil || !cmp.Equal(got, []int{n}) {
			t.Errorf("%d is written %s and read as %v, %v", n, FormatCount(n), got, err)
		}
	}
	if got, err := ParseCounts("0.1M, 1M"); err != nil || !cmp.Equal(got, []int{100_000, 1_000_000}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"", "0", "-1", "M", "1G", "51M", "NaN", "Inf", "0.0001k", "1M,", "1M 2M"} {
		if got, err := ParseCounts(text); err == nil || !strings.Contains(err.Error(), "expected a number of splats") {
			t.Errorf("%q is read as %v, %v", text, got, err)
		}
	}
}

func TestSizesRoundTrip(t *testing.T) {
	for _, s := range append([]Size{{1, 1}, {MaxSide, 7}}, Sizes...) {
		if got, err := ParseSizes(s.String()); err != nil || !cmp.Equal(got, []Size{s}) {
			t.Errorf("%s is read as %v, %v", s, got, err)
		}
	}
	for _, text := range []string{"", "800", "800x", "x800", "0x5", "-3x5", "16385x1", "8x8x8", "800 x 800"} {
		if got, err := ParseSizes(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]Duration{"1s": {Time: time.Second}, "250ms": {Time: 250 * time.Millisecond}, "10x": {Times: 10}} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q is read as %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0x", "-1x", "x", "1.5x", "0s", "-1s", "5"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}
