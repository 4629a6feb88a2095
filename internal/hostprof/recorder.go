// Package hostprof accounts for the host's side of a run: what it does for the device,
// how long it waits and for whom, what the process has used of the processor. It is the
// tracer that the loop and the backends tell, and passes what it hears to a trace file.
//
// Waiting is told apart three ways: the time that passed, what the waiting thread used
// of the processor meanwhile (drivers may look again and again instead of sleeping), and
// the rest, in which it was blocked: asleep, costing nothing but the time.
package hostprof

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"splat/internal/kernel"
	"splat/internal/sysinfo"
	"splat/internal/trace"
)

// phase is a part of a run.
type phase int

const (
	setUp phase = iota
	training
	evaluation
	saving
	rest // between the others, once training has begun
	numPhases
)

var phases = map[string]phase{
	kernel.PhaseSetUp: setUp, kernel.PhaseTraining: training,
	kernel.PhaseEvaluation: evaluation, kernel.PhaseSaving: saving,
}

// amount is how often something was done and how long it took, without what was done
// inside it.
type amount struct {
	calls int64
	took  time.Duration
}

// frame is work that has begun and not ended.
type frame struct {
	work   kernel.HostWork
	name   string
	began  time.Duration
	inner  time.Duration // what was done inside took
	lane   trace.Lane
	before phase         // to go back to
	phased bool          // it began a phase
	times  sysinfo.Times // when it began a phase
	cpu    time.Duration // of the thread, when it began to wait
	knows  bool          // cpu is known
}

// decoding is a picture being decoded.
type decoding struct {
	name  string
	began time.Duration
	lane  trace.Lane
	busy  bool // with a picture
}

// Recorder is the tracer of one run. Its methods may be called from several goroutines,
// Begin and End from the one that drives the backend.
type Recorder struct {
	epoch   time.Time
	trace   *trace.Writer // nil: no file
	main    trace.Lane
	watch   trace.Lane
	marks   trace.Lane
	flights trace.Lane

	mu       sync.Mutex
	stack    []frame
	phase    phase
	amounts  [numPhases][kernel.NumHostWork]amount
	walls    [numPhases]time.Duration
	used     [numPhases]sysinfo.Times
	waits    waitTable
	submits  []submits
	decoding []decoding
	decoded  amount
	device   deviceUse
	kernels  map[string]*kernelRow
	stretch  int // how often training has begun
}

// submits counts the submissions of a kind in training.
type submits struct {
	name  string
	calls int64
}

// Names of processes and lanes in a trace.
const (
	hostProcess = "splat (host)"
	mainLane    = "main loop"
	watchLane   = "watcher"
)

// New returns a recorder that passes what it hears to a trace, or to none where t is nil.
func New(t *trace.Writer) *Recorder {
	r := &Recorder{epoch: time.Now(), trace: t, stack: make([]frame, 0, 32), kernels: map[string]*kernelRow{}}
	if t != nil {
		r.main, r.watch = t.Lane(hostProcess, mainLane), t.Lane(hostProcess, watchLane)
		r.marks, r.flights = r.main, t.Lane(deviceProcess, flightLane)
	}
	return r
}

// now is the time since the recorder was made.
func (r *Recorder) now() time.Duration { return time.Since(r.epoch) }

// Begin implements kernel.Tracer.
func (r *Recorder) Begin(work kernel.HostWork, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := frame{work: work, name: name, lane: r.main, before: r.phase}
	if n := len(r.stack); n > 0 {
		f.lane = r.stack[n-1].lane
	}
	switch work {
	case kernel.HostCallback:
		f.lane = r.watch
	case kernel.HostLoop:
		if p, ok := phases[name]; ok && p != r.phase {
			r.phase, f.phased = p, true
			f.times, _ = sysinfo.ProcessTimes()
			if p == training {
				r.stretch++
			}
		}
	case kernel.HostWait:
		runtime.LockOSThread() // so that the thread's clock means this goroutine
		f.cpu, f.knows = sysinfo.ThreadTime()
	}
	f.began = r.now()
	r.stack = append(r.stack, f)
}

// End implements kernel.Tracer.
func (r *Recorder) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.stack) - 1
	if n < 0 {
		return
	}
	f := r.stack[n]
	r.stack = r.stack[:n]
	end := r.now()
	took := end - f.began
	if n > 0 {
		r.stack[n-1].inner += took
	}
	sum := &r.amounts[r.phase][f.work]
	sum.calls++
	sum.took += took - f.inner
	caller := ""
	switch f.work {
	case kernel.HostWait:
		caller = r.waited(&f, took)
	case kernel.HostSubmit:
		r.submitted(f.name)
	}
	if f.phased {
		r.leave(&f, took)
	}
	r.tell(&f, end, caller)
}

// waited adds a wait and returns who waited.
func (r *Recorder) waited(f *frame, took time.Duration) string {
	row := r.waits.row(r.phase, f.name)
	row.calls++
	row.wall += took
	if cpu, ok := sysinfo.ThreadTime(); ok && f.knows {
		row.cpu += min(max(cpu-f.cpu, 0), took)
		row.knows = true
	}
	runtime.UnlockOSThread()
	return row.caller
}

func (r *Recorder) submitted(name string) {
	if r.phase != training {
		return
	}
	for i := range r.submits {
		if r.submits[i].name == name {
			r.submits[i].calls++
			return
		}
	}
	r.submits = append(r.submits, submits{name, 1})
}

// leave ends a phase.
func (r *Recorder) leave(f *frame, took time.Duration) {
	r.walls[r.phase] += took
	if now, ok := sysinfo.ProcessTimes(); ok {
		r.used[r.phase] = r.used[r.phase].Add(now.Sub(f.times))
	}
	left := r.phase
	r.phase = f.before
	if left == training && r.phase == setUp {
		r.phase = rest
	}
}

// tell passes a span to the trace.
func (r *Recorder) tell(f *frame, end time.Duration, caller string) {
	if r.trace == nil {
		return
	}
	if caller == "" {
		r.trace.Span(f.lane, spanName(f), f.work.String(), f.began, end)
		return
	}
	r.trace.Span(f.lane, spanName(f), f.work.String(), f.began, end, trace.Arg{Key: "caller", Text: caller})
}

// spanName is how work is called in a trace. What happens between steps makes no string.
func spanName(f *frame) string {
	switch f.work {
	case kernel.HostWait:
		if name, ok := waitNames[f.name]; ok {
			return name
		}
	case kernel.HostAllocate:
		return "allocate " + f.name
	case kernel.HostRecord:
		return "record " + f.name
	}
	return f.name
}

// waitNames spares the strings that would be made for each wait.
var waitNames = map[string]string{
	kernel.WaitInFlight: "wait: in flight", kernel.WaitIdle: "wait: idle", kernel.WaitUpload: "wait: upload ring", kernel.WaitPicture: "wait: picture",
}

// Decoding implements kernel.Tracer.
func (r *Recorder) Decoding(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	worker := slices.IndexFunc(r.decoding, func(d decoding) bool { return !d.busy })
	if worker < 0 {
		worker = len(r.decoding)
		d := decoding{}
		if r.trace != nil {
			d.lane = r.trace.Lane(hostProcess, loaderName(worker))
		}
		r.decoding = append(r.decoding, d)
	}
	d := &r.decoding[worker]
	d.name, d.began, d.busy = name, r.now(), true
	return worker
}

// Decoded implements kernel.Tracer.
func (r *Recorder) Decoded(worker int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := &r.decoding[worker]
	d.busy = false
	end := r.now()
	r.decoded.calls++
	r.decoded.took += end - d.began
	if r.trace != nil {
		r.trace.Span(d.lane, d.name, kernel.HostDecode.String(), d.began, end)
	}
}

// Counter implements kernel.Tracer.
func (r *Recorder) Counter(name string, value float64) {
	if r.trace != nil {
		r.trace.Counter(r.main, name, r.now(), value)
	}
}

// Instant implements kernel.Tracer.
func (r *Recorder) Instant(name string, step int) {
	if r.trace != nil {
		r.trace.Instant(r.marks, name, "step", r.now(), trace.Arg{Key: "step", Number: float64(step)})
	}
}
