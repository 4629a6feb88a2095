package hostprof

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// wait is one place that waits for one thing.
type wait struct {
	phase  phase
	why    string
	caller string
	calls  int64
	wall   time.Duration
	cpu    time.Duration // of the waiting thread
	knows  bool          // cpu is known
}

// callDepth is how many callers are looked at: enough to get out of the backend.
const callDepth = 16

// place is what tells waits apart without looking up names.
type place struct {
	phase phase
	why   string
	pcs   [callDepth]uintptr
}

// waitTable adds up waits by phase, reason and caller.
type waitTable struct {
	rows   []*wait
	places map[place]*wait
}

// row returns the row of the wait that its caller's caller ended. Only the first of a
// place looks up names, and allocates.
func (t *waitTable) row(p phase, why string) *wait {
	at := place{phase: p, why: why}
	runtime.Callers(4, at.pcs[:])
	if row := t.places[at]; row != nil {
		return row
	}
	if t.places == nil {
		t.places = map[place]*wait{}
	}
	caller := callerOf(slices.Clone(at.pcs[:])) // at stays off the heap
	i := slices.IndexFunc(t.rows, func(w *wait) bool { return w.phase == p && w.why == why && w.caller == caller })
	if i < 0 {
		i = len(t.rows)
		t.rows = append(t.rows, &wait{phase: p, why: why, caller: caller})
	}
	t.places[at] = t.rows[i]
	return t.rows[i]
}

// callerOf names the innermost function outside the backends, and the one that called
// it: "control < advance".
func callerOf(pcs []uintptr) string {
	var names []string
	for frames := runtime.CallersFrames(pcs); len(names) < 2; {
		f, more := frames.Next()
		if !inside(f.Function) {
			names = append(names, shortName(f.Function))
		}
		if !more {
			break
		}
	}
	return strings.Join(names, " < ")
}

// insides are the packages that only pass a wait on.
var insides = []string{"internal/kernel.", "internal/kernel/", "internal/pipeline.", "internal/hostprof.(*Recorder)"}

func inside(function string) bool {
	if function == "" || strings.HasPrefix(function, "runtime.") {
		return true
	}
	return slices.ContainsFunc(insides, func(p string) bool { return strings.Contains(function, p) })
}

// shortName is a function without its package and receiver: advance of
// splat/internal/train.(*session).advance.func1.
func shortName(function string) string {
	name := function[strings.LastIndexByte(function, '/')+1:]
	_, name, _ = strings.Cut(name, ".")
	if rest, ok := strings.CutPrefix(name, "("); ok {
		_, name, _ = strings.Cut(rest, ".")
	}
	name, _, _ = strings.Cut(name, ".")
	return strings.TrimSuffix(name, "[")
}

func loaderName(worker int) string { return fmt.Sprintf("loader %d", worker+1) }
