package hostprof

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"splat/internal/kernel"
	"splat/internal/trace"
)

// work lets some time pass, on the processor or asleep.
func work(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

// drain waits, as the loop does at the end of a flight.
func drain(r *Recorder, d time.Duration, wait func(time.Duration)) {
	r.Begin(kernel.HostWait, kernel.WaitIdle)
	wait(d)
	r.End()
}

// train is some training: submissions, a wait asleep and a wait on the processor.
func train(r *Recorder) {
	r.Begin(kernel.HostLoop, kernel.PhaseTraining)
	defer r.End()
	for range 3 {
		r.Begin(kernel.HostSubmit, "programs")
		work(time.Millisecond)
		r.End()
	}
	drain(r, 20*time.Millisecond, time.Sleep)
	r.Begin(kernel.HostUpload, "read")
	drain(r, 5*time.Millisecond, work)
	work(2 * time.Millisecond)
	r.End()
}

func recorded(t *testing.T, w *trace.Writer) *Recorder {
	t.Helper()
	r := New(w)
	r.Begin(kernel.HostAllocate, "geom")
	drain(r, 3*time.Millisecond, time.Sleep)
	r.End()
	other := r.Decoding("r_6")
	worker := r.Decoding("r_7")
	if worker == other {
		t.Errorf("two pictures at a time by worker %d", worker)
	}
	r.Decoded(other)
	train(r)
	r.Decoded(worker)
	r.Begin(kernel.HostLoop, kernel.PhaseEvaluation)
	r.Begin(kernel.HostSubmit, "programs")
	work(time.Millisecond)
	r.End()
	r.End()
	r.Counter("splats", 12)
	r.Instant("refine", 100)
	return r
}

func kindOf(s Summary, name string) Kind {
	i := slices.IndexFunc(s.Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}
	}
	return s.Kinds[i]
}

// Time is counted once, in the phase and the kind that it belongs to.
func TestTimesAreCountedOnce(t *testing.T) {
	s := recorded(t, nil).Summary(3, "vulkan")
	sum := 0.0
	for _, k := range s.Kinds {
		sum += k.TrainingMS
	}
	if wall := 1000 * s.TrainingSeconds; sum < 0.98*wall || sum > 1.001*wall {
		t.Errorf("kinds add up to %v ms of %v", sum, wall)
	}
	if k := kindOf(s, "wait"); k.Calls != 2 || k.TrainingMS < 25 || k.SetUpMS < 3 {
		t.Errorf("waits: %+v", k)
	}
	if k := kindOf(s, "allocate"); k.TrainingMS != 0 || k.SetUpMS > 2.9 {
		t.Errorf("allocating does not include waiting: %+v", k)
	}
	if k := kindOf(s, "submit"); k.Calls != 3 || k.TrainingMS < 3 || k.ElseMS < 1 {
		t.Errorf("submissions: %+v", k)
	}
	if len(s.Submissions) != 1 || s.Submissions[0] != (Submissions{"programs", 3}) {
		t.Errorf("submissions in training: %+v", s.Submissions)
	}
	if s.Decoded != 2 {
		t.Errorf("%d pictures decoded, expected 2", s.Decoded)
	}
}

// Blocked is what a wait does not spend on the processor, and is told for each caller.
func TestBlockedIsNotWork(t *testing.T) {
	s := recorded(t, nil).Summary(3, "vulkan")
	if len(s.Waits) != 1 {
		t.Fatalf("waits by caller: %+v", s.Waits)
	}
	w := s.Waits[0]
	if w.Why != kernel.WaitIdle || w.Caller != "drain < train" || w.Calls != 2 {
		t.Errorf("%+v", w)
	}
	if w.BlockedMS == nil {
		t.Skip("this system does not tell what a thread has used")
	}
	if b := *w.BlockedMS; b < 18 || b > w.WallMS-2 {
		t.Errorf("blocked %v ms of %v, expected the 20 ms asleep and not the 5 ms on the processor", b, w.WallMS)
	}
}

func TestNoAllocationOnceNamesAreKnown(t *testing.T) {
	w, err := trace.Create(filepath.Join(t.TempDir(), "t.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := New(w)
	turn := func() {
		r.Begin(kernel.HostLoop, kernel.PhaseTraining)
		r.Begin(kernel.HostSubmit, "programs")
		r.End()
		drain(r, 0, func(time.Duration) {})
		r.Counter("splats", 1)
		r.Instant("refine", 1)
		r.End()
	}
	if n := testing.AllocsPerRun(200, turn); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// What goes to the trace nests, a lane at a time, and names who waited.
func TestTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	w, err := trace.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	r := recorded(t, w)
	r.End() // once too often
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ TraceEvents []map[string]any }
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, want := range []string{`"caller":"drain \u003c train"`, `"name":"wait: idle"`, `"loader 2"`, `"r_7"`, `"splats"`, `"refine"`, `"training"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in:\n%s", want, text)
		}
	}
}

func TestJudge(t *testing.T) {
	ms := func(v float64) *float64 { return &v }
	busy := func(v float64) *Device { return &Device{BusyShare: &v} }
	for name, c := range map[string]struct {
		s       Summary
		backend string
		want    string
	}{
		"nothing":    {Summary{}, "vulkan", LimitUnknown},
		"cpu":        {Summary{TrainingSeconds: 1}, "cpu", LimitProcessor},
		"held back":  {Summary{TrainingSeconds: 1, Waits: []Wait{{Why: waitFlight, Calls: 50, WallMS: 900, BlockedMS: ms(890)}}, WaitSeconds: 0.9}, "vulkan", LimitDevice},
		"no waits":   {Summary{TrainingSeconds: 1, Waits: []Wait{{Why: kernel.WaitIdle, Calls: 5, WallMS: 20}}, WaitSeconds: 0.02}, "vulkan", LimitHost},
		"turns":      {Summary{TrainingSeconds: 1, Waits: []Wait{{Why: kernel.WaitIdle, Calls: 500, WallMS: 600}}, WaitSeconds: 0.6}, "vulkan", LimitTurns},
		"pictures":   {Summary{TrainingSeconds: 1, Waits: []Wait{{Why: waitPicture, Calls: 50, WallMS: 700}}, WaitSeconds: 0.7}, "vulkan", LimitLoader},
		"busy":       {Summary{TrainingSeconds: 1, Device: busy(0.97)}, "vulkan", LimitDevice},
		"idle":       {Summary{TrainingSeconds: 1, Device: busy(0.5), WaitSeconds: 0.05}, "vulkan", LimitHost},
		"idle turns": {Summary{TrainingSeconds: 1, Device: busy(0.5), WaitSeconds: 0.6}, "vulkan", LimitTurns},
	} {
		c.s.judge(c.backend)
		if c.s.Limit != c.want || len(c.s.Why) == 0 {
			t.Errorf("%s: %s %q, expected %s", name, c.s.Limit, c.s.Why, c.want)
		}
		if text := c.s.Text(); !strings.Contains(text, "limit: "+limitWords[c.want]) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

func TestShortName(t *testing.T) {
	for in, want := range map[string]string{
		"splat/internal/train.(*session).advance.func1": "advance", "splat/internal/train.Run": "Run",
		"splat/internal/cli.(*app).train": "train", "main.main": "main", "splat/x.Read[...]": "Read",
	} {
		if got := shortName(in); got != want {
			t.Errorf("%s: %s, expected %s", in, got, want)
		}
	}
}
