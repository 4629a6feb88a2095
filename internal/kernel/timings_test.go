package kernel

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTimings(t *testing.T) {
	var table Timings
	table.Add("sort", "scan", 1, time.Second)
	table.Add("emit", "scan", 2, time.Minute)
	table.Add("sort", "scan", 3, time.Second)
	want := []Timing{{"sort", "scan", 4, 2 * time.Second}, {"emit", "scan", 2, time.Minute}}
	if diff := cmp.Diff(want, table.Take()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	table.Add("emit", "scan", 1, time.Hour)
	if diff := cmp.Diff([]Timing{{"emit", "scan", 1, time.Hour}}, table.Take()); diff != "" {
		t.Errorf("after taking (-want +got):\n%s", diff)
	}
}
