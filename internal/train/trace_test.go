package train

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel"
)

// listener is a tracer that keeps what it is told.
type listener struct {
	mu       sync.Mutex
	open     []string
	seen     map[string]int  // names of spans
	inside   map[string]bool // "waits inside training"
	counters map[string]float64
	refines  []int
	decoding int
	decoded  int
	flights  int
	kernels  map[string]int
}

func newListener() *listener {
	return &listener{seen: map[string]int{}, inside: map[string]bool{}, counters: map[string]float64{}, kernels: map[string]int{}}
}

func (l *listener) Begin(work kernel.HostWork, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, name)
	l.seen[name]++
	l.inside[work.String()+" in "+l.open[0]] = true
}

func (l *listener) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = l.open[:len(l.open)-1]
}

func (l *listener) Decoding(string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.decoding++
	return l.decoding
}

func (l *listener) Decoded(worker int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if worker > 0 {
		l.decoded++
	}
}

func (l *listener) Counter(name string, v float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counters[name] = v
}

func (l *listener) Instant(_ string, step int) { l.refines = append(l.refines, step) }

func (l *listener) Flight(kernel.Flight) { l.flights++ }

func (l *listener) Kernel(_, name string, _ kernel.Flight) { l.kernels[name]++ }

// A run that is followed has the same result, tells everything in pairs, and comes to
// rest where it is asked to.
func TestFollowedRun(t *testing.T) {
	c := smallConfig("mcmc", 40)
	c.Strategy.RefineEvery, c.Train.LogEvery = 10, 7
	plain, err := Run(t.Context(), Options{Config: c, Capture: smallCapture(t), Observer: &recorder{}})
	if err != nil {
		t.Fatal(err)
	}
	l := newListener()
	var rested []int
	followed, err := Run(t.Context(), Options{
		Config: c, Capture: smallCapture(t), Observer: &recorder{}, Tracer: l,
		AtRest: func(be kernel.Backend, step int) {
			if err := be.Wait(); err != nil {
				t.Error(err)
			}
			rested = append(rested, step)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain.Cloud, followed.Cloud); diff != "" {
		t.Errorf("following changed the result:\n%s", diff)
	}
	if len(l.open) != 0 || l.decoded != l.decoding || l.decoded == 0 {
		t.Errorf("open at the end: %q; %d pictures begun, %d decoded", l.open, l.decoding, l.decoded)
	}
	if diff := cmp.Diff([]int{0, 10, 20, 30, 40}, rested); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{kernel.PhaseTraining, kernel.PhaseEvaluation, "look", "report", "at rest", "programs"} {
		if l.seen[name] == 0 {
			t.Errorf("no span %q among %v", name, l.seen)
		}
	}
	if l.inside["submit in at rest"] || l.inside["decode in training"] || !l.inside["submit in training"] {
		t.Errorf("what was done where: %v", l.inside)
	}
	if l.counters["splats"] == 0 || l.counters["pairs"] == 0 {
		t.Errorf("counters: %v", l.counters)
	}
	for _, step := range l.refines {
		if step%10 != 0 {
			t.Errorf("a refine is marked at step %d", step)
		}
	}
}

// On a device a tracer adds no wait, no memory and no reading between limits.
func TestFollowingAddsNoWaits(t *testing.T) {
	s, be := vulkanSession(t, false)
	l := newListener()
	s.tracer = l
	s.follow()
	c, err := s.control()
	if err != nil {
		t.Fatal(err)
	}
	const until = 30
	c.Limit = until
	if err := s.setControl(c); err != nil {
		t.Fatal(err)
	}
	before, throttled := be.Counters(), be.Throttled()
	if err := s.fly(t.Context(), c, until); err != nil {
		t.Fatal(err)
	}
	after := be.Counters()
	if n := be.Throttled() - throttled; after.Waits-before.Waits != n {
		t.Errorf("%d waits, %d of them because enough is in flight", after.Waits-before.Waits, n)
	}
	if after.IdleWaits != before.IdleWaits || after.Maps != before.Maps || after.Allocations != before.Allocations || after.Buffers != before.Buffers {
		t.Errorf("counters were %+v, are %+v", before, after)
	}
	if err := be.Wait(); err != nil {
		t.Fatal(err)
	}
	if int64(l.flights) < after.Submits-before.Submits {
		t.Errorf("%d submissions, the device's times of %d are known", after.Submits-before.Submits, l.flights)
	}
}
