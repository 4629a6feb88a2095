package kernel

import (
	"testing"
	"time"
)

func TestTimelineRing(t *testing.T) {
	rec := &Recording{Name: "step", Dispatches: make([]Dispatch, 2)}
	var r TimelineRing
	r.Take(func(Timeline) { t.Error("an empty ring has timelines") })
	for i := range timelines + 3 {
		l := r.Next(rec)
		l.Step, l.Spans[1] = uint32(i), Span{1, time.Duration(i)}
	}
	var steps []uint32
	r.Take(func(l Timeline) {
		if len(l.Spans) != 2 || l.Spans[1].To != time.Duration(l.Step) {
			t.Errorf("step %d has the spans %v", l.Step, l.Spans)
		}
		steps = append(steps, l.Step)
	})
	if len(steps) != timelines || steps[0] != 3 || steps[len(steps)-1] != timelines+2 || r.Lost() != 3 {
		t.Errorf("%d timelines, from %v, %d lost", len(steps), steps[:1], r.Lost())
	}
	if r.Next(&Recording{Dispatches: make([]Dispatch, 1)}); len(r.list[r.first].Spans) != 1 {
		t.Error("spans of another recording")
	}
	if n := testing.AllocsPerRun(10, func() { r.Next(rec) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
