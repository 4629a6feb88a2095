package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// traceEvent is an event of a trace, as a viewer reads it.
type traceEvent struct {
	Ph, Name, Cat string
	Pid, Tid      int
	Ts, Dur       float64
	Args          map[string]any
}

// traced runs a small training with a trace and returns the events by row: "process/lane".
func traced(t *testing.T, args ...string) (rows map[string][]traceEvent, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	var out, said bytes.Buffer
	run := func(args ...string) {
		t.Helper()
		if code := newApp(nil, &out, &said).run(t.Context(), args); code != 0 {
			t.Fatalf("splat %s: exit code %d\n%s", strings.Join(args, " "), code, said.String())
		}
	}
	run("demo", "--no-train", "--out", "demo", "--size", "24", "--train-views", "4", "--test-views", "1", "--quiet")
	run(append([]string{"train", filepath.Join("demo", "capture"), "--out", "run", "--trace", "t.json", "--max-splats", "300", "--steps", "40"}, args...)...)
	data, err := os.ReadFile("t.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ TraceEvents []traceEvent }
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatalf("%v", err)
	}
	return byRow(doc.TraceEvents), said.String()
}

// byRow names rows after what the metadata say; counters belong to their process.
func byRow(events []traceEvent) map[string][]traceEvent {
	processes, threads, rows := map[int]string{}, map[[2]int]string{}, map[string][]traceEvent{}
	for _, e := range events {
		name, _ := e.Args["name"].(string)
		switch e.Name {
		case "process_name":
			processes[e.Pid] = name
		case "thread_name":
			threads[[2]int{e.Pid, e.Tid}] = name
		}
	}
	for _, e := range events {
		if e.Ph != "M" {
			row := processes[e.Pid] + "/" + threads[[2]int{e.Pid, e.Tid}]
			rows[row] = append(rows[row], e)
		}
	}
	return rows
}

// checkRow fails where spans of a row overlap without one being inside the other, or
// times are not in the order in which things ended.
func checkRow(t *testing.T, row string, events []traceEvent) {
	t.Helper()
	last := 0.0
	var spans []traceEvent
	for _, e := range events {
		if e.Ts < 0 || e.Dur < 0 {
			t.Errorf("%s: %s at %v for %v", row, e.Name, e.Ts, e.Dur)
		}
		if e.Ph != "X" {
			continue
		}
		if end := e.Ts + e.Dur; end < last-0.002 {
			t.Errorf("%s: %s ends at %v, after something that ended at %v", row, e.Name, end, last)
		} else {
			last = end
		}
		spans = append(spans, e)
	}
	slices.SortStableFunc(spans, func(a, b traceEvent) int {
		return cmp.Or(cmp.Compare(a.Ts, b.Ts), cmp.Compare(b.Dur, a.Dur))
	})
	var open []float64 // ends of the spans that are open
	for _, e := range spans {
		for len(open) > 0 && open[len(open)-1] <= e.Ts+0.002 {
			open = open[:len(open)-1]
		}
		if len(open) > 0 && e.Ts+e.Dur > open[len(open)-1]+0.002 {
			t.Errorf("%s: %s from %v to %v reaches beyond what it began in, to %v", row, e.Name, e.Ts, e.Ts+e.Dur, open[len(open)-1])
		}
		open = append(open, e.Ts+e.Dur)
	}
}

func names(events []traceEvent) map[string]int {
	n := map[string]int{}
	for _, e := range events {
		n[e.Name]++
	}
	return n
}

const (
	mainRow    = "splat (host)/main loop"
	watcherRow = "splat (host)/watcher"
	loaderRow  = "splat (host)/loader 1"
	counters   = "splat (host)/"
)

func TestTraceOfATraining(t *testing.T) {
	rows, said := traced(t, "--device", "cpu", "--set", "strategy.refine_every=10", "--set", "strategy.refine_start=0.1",
		"--threads", "1", "--set", "backend.targets=upload", "--set", "train.log_every=10")
	for row, events := range rows {
		checkRow(t, row, events)
	}
	for row, want := range map[string][]string{
		mainRow:    {"training", "evaluation", "programs", "at rest", "supply pictures", "refine"},
		watcherRow: {"look", "report"},
		loaderRow:  {"r_0", "r_3"},
		counters:   {"splats", "pairs", "loss"},
	} {
		for _, name := range want {
			if names(rows[row])[name] == 0 {
				t.Errorf("%s: no %q among %v", row, name, names(rows[row]))
			}
		}
	}
	for _, e := range rows[mainRow] {
		if e.Name == "refine" && (e.Ph != "i" || e.Args["step"] == nil) {
			t.Errorf("a refine is marked as %+v", e)
		}
	}
	for _, name := range []string{"project", "rasterize", "loss", "update"} {
		events := rows["device/"+name]
		if names(events)[name] != len(events) || len(events) < 40 {
			t.Errorf("the row of %s: %v, expected one for each of 40 steps", name, names(events))
		}
	}
	if strings.Contains(said, "calibration         sort") {
		t.Errorf("the table of kernels has those of the calibration:\n%s", said)
	}
	if !strings.Contains(said, "limit: ") {
		t.Errorf("the summary does not say which side is the limit:\n%s", said)
	}
}

// On a GPU the device's submissions have a row, and each wait names who waited.
func TestTraceOfAGPU(t *testing.T) {
	if os.Getenv("SPLAT_REQUIRE_VULKAN") == "" {
		t.Skip("set SPLAT_REQUIRE_VULKAN=1 where there is a Vulkan device")
	}
	rows, said := traced(t, "--device", "vulkan", "--steps", "25", "--no-eval")
	for row, events := range rows {
		checkRow(t, row, events)
	}
	waits := 0
	for _, e := range rows[mainRow] {
		if e.Cat != "wait" {
			continue
		}
		waits++
		if caller, _ := e.Args["caller"].(string); caller == "" || strings.Contains(caller, "waitFor") {
			t.Errorf("%s at %v does not name its caller: %v", e.Name, e.Ts, e.Args)
		}
	}
	if waits == 0 {
		t.Errorf("no wait among %v", names(rows[mainRow]))
	}
	if n := names(rows["device/submissions"]); n["programs"] == 0 {
		t.Errorf("the device's submissions: %v", n)
	}
	if n := names(rows["device/rasterize"]); n["rasterize"] == 0 && names(rows["device/rasterize_saving"])["rasterize_saving"] == 0 {
		t.Errorf("kernels of the device: %v", n)
	}
	if names(rows[counters])["device memory of buffers, MiB"] == 0 {
		t.Error("no counter of memory")
	}
	if !strings.Contains(said, "launch latency") || !strings.Contains(said, "by its own timestamps the device was busy") {
		t.Errorf("the summary does not tell of the device:\n%s", said)
	}
}
