package prof

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"splat/internal/kernel"
)

// programs are the recordings that count, and the group of all that a recording has; ""
// where its stages decide.
var programs = map[string]string{"step": "", "refine": "refine"}

// Groups in the order of a step. Each kernel is in one.
var groupOrder = []string{"forward", "loss", "backward", "update", gaps, "refine"}

// stageGroups is the group of each stage of a step; the others are forward.
var stageGroups = map[string]string{"loss": "loss", "rasterize-backward": "backward", "update": "update", "commit": "update"}

func groupOf(program, stage string) string {
	if program != "" {
		return program
	}
	if g, ok := stageGroups[stage]; ok {
		return g
	}
	return "forward"
}

// base is the name of a recording without the part of it that a device runs.
func base(name string) string {
	name, _, _ = strings.Cut(name, " ")
	return name
}

// labelsOf names the stage of each dispatch, sorts with the pass: "tile-sort 1/2".
func (t *Table) labelsOf(rec *kernel.Recording) []string {
	if out := t.labels[rec]; out != nil {
		return out
	}
	out := make([]string, len(rec.Dispatches))
	t.waits[rec] = rec.Barriers()
	for from := 0; from < len(out); {
		to := from
		for to < len(out) && rec.Dispatches[to].Stage == rec.Dispatches[from].Stage {
			to++
		}
		label(rec.Dispatches[from:to], out[from:to])
		from = to
	}
	t.labels[rec] = out
	return out
}

// label names the dispatches of one stage. A pass of a sort begins with the first kernel
// that is given another shift.
func label(list []kernel.Dispatch, out []string) {
	passes, last := 0, -1
	number := make([]int, len(list))
	for i := range list {
		if k := slices.Index(list[i].Kernel.Constants, "shift"); k >= 0 && int(list[i].Constants[k]) != last {
			last = int(list[i].Constants[k])
			passes++
		}
		number[i] = passes
	}
	for i := range list {
		out[i] = list[i].Stage
		if number[i] > 0 {
			out[i] = fmt.Sprintf("%s %d/%d", list[i].Stage, number[i], passes)
		}
	}
}

// Group is the sum of the rows of a group.
type Group struct {
	Name  string
	Calls int
	Total time.Duration
}

// Groups sums each kernel once, in the order of a step.
func (t *Table) Groups() (out []Group) {
	for _, name := range groupOrder {
		g := Group{Name: name}
		for _, r := range t.rows {
			if r.Group == name {
				g.Calls += r.Calls
				g.Total += r.Total
			}
		}
		if g.Calls > 0 {
			out = append(out, g)
		}
	}
	return out
}
