package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// record is an event as a reader of the format sees it.
type record struct {
	Ph, Name, Cat string
	Pid, Tid      int
	Ts, Dur       float64
	Args          map[string]any
}

type document struct {
	TraceEvents []record
	OtherData   map[string]any
}

func parse(t *testing.T, path string) document {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatalf("%v in:\n%s", err, data)
	}
	return d
}

func create(t *testing.T) (*Writer, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.json")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	return w, path
}

func TestWhatIsAddedIsRead(t *testing.T) {
	w, path := create(t)
	main, gpu := w.Lane("host", `main "loop"`), w.Lane("GPU", "queue")
	if again := w.Lane("host", `main "loop"`); again != main {
		t.Errorf("the lane is %v, then %v", main, again)
	}
	w.Span(main, "wait", "host", 1500*time.Nanosecond, 4*time.Microsecond, Arg{Key: "caller", Text: "fly"}, Arg{Key: "n", Number: 2.5})
	w.Instant(main, "refine", "step", 5*time.Microsecond, Arg{Key: "step", Number: 100})
	w.Counter(gpu, "splats", 6*time.Microsecond, 3000)
	w.Counter(gpu, "splats", 7*time.Microsecond, math.NaN())
	w.Counter(gpu, "splats", 7*time.Microsecond, math.Inf(1))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("before Close the file is there already: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Span(main, "late", "", 0, 1)
	if err := w.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	d := parse(t, path)
	var names, events []string
	for _, e := range d.TraceEvents {
		if e.Ph == "M" {
			names = append(names, fmt.Sprint(e.Name, " ", e.Pid, ".", e.Tid, " ", e.Args["name"]))
			continue
		}
		events = append(events, fmt.Sprint(e.Ph, e.Pid, ".", e.Tid, " ", e.Name, " ", e.Ts, "+", e.Dur, " ", e.Args))
	}
	want := []string{
		"X1.1 wait 1.5+2.5 map[caller:fly n:2.5]",
		"i1.1 refine 5+0 map[step:100]",
		"C2.0 splats 6+0 map[value:3000]",
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{"process_name 1.0 host", `thread_name 1.1 main "loop"`, "process_name 2.0 GPU", "thread_name 2.1 queue"} {
		if !strings.Contains(strings.Join(names, "\n"), want) {
			t.Errorf("no %q among\n%s", want, strings.Join(names, "\n"))
		}
	}
	if d.OtherData["events_left_out"] != 0.0 {
		t.Errorf("%v events were left out", d.OtherData["events_left_out"])
	}
}

// Many events from several goroutines all arrive, and none allocates.
func TestManyEvents(t *testing.T) {
	w, path := create(t)
	const workers, each = 4, 3000
	var done sync.WaitGroup
	for k := range workers {
		lane := w.Lane("host", fmt.Sprint("worker ", k))
		done.Go(func() {
			for i := range each {
				if w.Lost() > 0 { // the test's disk may be slow
					return
				}
				w.Span(lane, "work", "host", time.Duration(i)*time.Microsecond, time.Duration(i+1)*time.Microsecond)
			}
		})
	}
	done.Wait()
	lost := w.Lost()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	next := map[int]float64{}
	n := 0
	for _, e := range parse(t, path).TraceEvents {
		if e.Ph != "X" {
			continue
		}
		n++
		if e.Ts != next[e.Tid] {
			t.Fatalf("lane %d: an event at %v after %v", e.Tid, e.Ts, next[e.Tid])
		}
		next[e.Tid] = e.Ts + e.Dur
	}
	if n != workers*each && lost == 0 {
		t.Errorf("%d events were read, %d added, none left out", n, workers*each)
	}
}

func TestAddingDoesNotAllocate(t *testing.T) {
	w, _ := create(t)
	defer w.Close()
	lane := w.Lane("host", "main")
	if n := testing.AllocsPerRun(1000, func() { w.Span(lane, "a", "b", 0, 1, Arg{Key: "k", Text: "v"}) }); n != 0 {
		t.Errorf("%v allocations an event", n)
	}
}

// Where nothing is written, events beyond the memory are counted and nobody waits.
func TestFullMemory(t *testing.T) {
	w := newWriter(2)
	lane := w.Lane("host", "main")
	for range 3 * chunkEvents {
		w.Span(lane, "a", "", 0, 1)
	}
	if lost, want := w.Lost(), int64(chunkEvents+4); lost != want {
		t.Errorf("%d events were lost, expected %d", lost, want)
	}
}

func TestDropped(t *testing.T) {
	w, path := create(t)
	w.Span(w.Lane("host", "main"), "a", "", 0, 1)
	w.Drop()
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 0 {
		t.Errorf("left after dropping: %v, %v", left, err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestFailures(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(filepath.Join(file, "t.json")); err == nil {
		t.Error("a trace inside a file was begun")
	}
	w := newWriter(2)
	lane := w.Lane("host", "main")
	for range chunkEvents {
		w.Span(lane, strings.Repeat("x", 100), "", 0, 1)
	}
	go func() {
		for range 4 * chunkEvents {
			w.Span(lane, "more", "", 0, 1)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		close(w.full)
	}()
	if err := w.write(broken{}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("writing to a full disk: %v", err)
	}
}
