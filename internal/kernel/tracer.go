package kernel

import "time"

// HostWork is a kind of what the host does for a device.
type HostWork uint8

// The kinds of work. Loop is whatever the loop does that is none of the others: its
// spans enclose them.
const (
	HostLoop     HostWork = iota
	HostAllocate          // memory of buffers
	HostBuild             // pipelines: the driver compiles shaders
	HostRecord            // command lists and descriptor sets
	HostUpload            // bytes between buffers and the memory that the device copies from or to
	HostSubmit            // handing work to the driver; the CPU backend does the work itself there
	HostWait              // nothing but waiting for the device, or for a picture
	HostCallback          // looking at what has been done, and telling whoever listens
	HostDecode            // pictures
	NumHostWork
)

var hostWorkNames = [NumHostWork]string{"loop", "allocate", "build", "record", "upload", "submit", "wait", "callback", "decode"}

// String is the word for the kind, as summaries and traces have it.
func (w HostWork) String() string { return hostWorkNames[w] }

// Phases of a run that a Tracer tells apart; names of HostLoop spans.
const (
	PhaseSetUp      = "set up"
	PhaseTraining   = "training" // what counts as training time
	PhaseEvaluation = "evaluation"
	PhaseSaving     = "saving"
)

// Reasons to wait, names of HostWait spans.
const (
	WaitInFlight = "in flight"   // enough is in flight: the device has work
	WaitIdle     = "idle"        // for all of it to be done
	WaitUpload   = "upload ring" // for room to upload
	WaitPicture  = "picture"     // for a picture to be decoded
)

// Tracer is told what the host does, as it does it. It must be cheap, must not wait and
// must not allocate once it has seen a name; names are constants or live as long as the
// run. Whoever holds one may hold nil, which costs nothing: see BeginWork.
type Tracer interface {
	// Begin and End enclose work of the goroutine that drives the backend. Pairs nest.
	Begin(work HostWork, name string)
	End()
	// Decoding and Decoded enclose the decoding of a picture by any goroutine. Pictures
	// that are decoded at the same time have different workers.
	Decoding(name string) (worker int)
	Decoded(worker int)
	// Counter notes a value that changes over time, Instant something that happened
	// after the given number of steps.
	Counter(name string, value float64)
	Instant(name string, step int)
	// Flight tells when the device worked on a submission, some time later.
	Flight(f Flight)
	// Kernel tells when the device ran a dispatch of a kernel, where dispatches are
	// measured. Only From, To, Began and Within of f count.
	Kernel(stage, name string, f Flight)
}

// Flight is the device's work on one submission.
type Flight struct {
	What      string        // as the HostSubmit span has it
	Submitted time.Time     // when the host began to hand it over
	From, To  time.Duration // on the device's clock, which counts from any moment
	Seen      time.Time     // when the host knew that it was done
	// Began is From on the host's clock, by a reading of both clocks at once that is off
	// by at most Within; zero where the device cannot do that.
	Began  time.Time
	Within time.Duration
}

// Traced is a backend that tells a tracer what the host does in it.
type Traced interface{ SetTracer(Tracer) }

// BeginWork is t.Begin where there is a tracer.
func BeginWork(t Tracer, work HostWork, name string) {
	if t != nil {
		t.Begin(work, name)
	}
}

// EndWork is t.End where there is a tracer.
func EndWork(t Tracer) {
	if t != nil {
		t.End()
	}
}
