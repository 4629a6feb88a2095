// Package trace writes files in the Trace Event format, which Perfetto and Chromium
// open. Events go to a temporary file as they come, by a goroutine of the package's own:
// adding one copies it into memory that is there already and never waits for the disk.
// Where the disk is slower than the program, events are left out and counted, and the
// file says how many.
package trace

import (
	"errors"
	"io"
	"sync"
	"time"

	"splat/internal/atomicfile"
)

// Sizes of the memory that events wait in: about 4 MB.
const (
	chunkEvents = 2048
	chunks      = 16
)

// Lane is a row of a trace: a thread of a process.
type Lane struct{ process, thread int32 }

// Arg is a named value shown with an event: Text, or Number where Text is "".
type Arg struct {
	Key, Text string
	Number    float64
}

// kind is what an event is, as the format has it.
type kind byte

const (
	complete kind = 'X'
	counter  kind = 'C'
	instant  kind = 'i'
	metadata kind = 'M'
)

// event is one of them. Its strings are not copied.
type event struct {
	kind     kind
	lane     Lane
	name     string
	category string
	at, took time.Duration
	args     [2]Arg
}

// Writer is a trace being written. Its methods may be called from several goroutines;
// strings that are passed must not change. Times count from any moment that is the same
// for all events.
type Writer struct {
	mu      sync.Mutex
	current []event
	full    chan []event
	free    chan []event
	lost    int64
	closed  bool
	dropped bool            // nobody wants the file
	lanes   map[string]Lane // by process and name
	order   map[int32]int32 // lanes of a process so far
	procs   map[string]int32

	open chan struct{} // closed when the temporary file is open
	done chan struct{} // closed when the file is there, or err says why not
	err  error
}

// Create begins a trace that will be at path once it is closed. Events are kept in a
// file beside it until then. It fails where no file can be made there.
func Create(path string) (*Writer, error) {
	w := newWriter(chunks)
	go w.run(path)
	select {
	case <-w.open:
		return w, nil
	case <-w.done:
		close(w.full)
		return nil, w.err
	}
}

// run writes the file, until the trace is closed.
func (w *Writer) run(path string) {
	w.err = atomicfile.Write(path, w.write)
	close(w.done)
	for chunk := range w.full { // where writing failed
		w.free <- chunk[:0]
	}
}

func newWriter(n int) *Writer {
	w := &Writer{
		full: make(chan []event, n), free: make(chan []event, n), open: make(chan struct{}), done: make(chan struct{}),
		lanes: map[string]Lane{}, procs: map[string]int32{}, order: map[int32]int32{},
	}
	for range n {
		w.free <- make([]event, 0, chunkEvents)
	}
	w.current = <-w.free
	return w
}

// Lane returns the row of that name in a process, and makes both where there are none.
// Processes and rows are shown in the order in which they were made.
func (w *Writer) Lane(process, name string) Lane {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := process + "\x00" + name
	if l, ok := w.lanes[key]; ok {
		return l
	}
	pid, known := w.procs[process]
	if !known {
		pid = int32(len(w.procs)) + 1
		w.procs[process] = pid
		w.describe(Lane{pid, 0}, "process_name", Arg{Key: "name", Text: process})
		w.describe(Lane{pid, 0}, "process_sort_index", Arg{Key: "sort_index", Number: float64(pid)})
	}
	w.order[pid]++
	l := Lane{pid, w.order[pid]}
	w.lanes[key] = l
	w.describe(l, "thread_name", Arg{Key: "name", Text: name})
	w.describe(l, "thread_sort_index", Arg{Key: "sort_index", Number: float64(l.thread)})
	return l
}

func (w *Writer) describe(l Lane, what string, a Arg) {
	w.put(event{kind: metadata, lane: l, name: what, args: [2]Arg{a}})
}

// Span adds something that lasted. Spans of a lane must nest.
func (w *Writer) Span(l Lane, name, category string, from, to time.Duration, args ...Arg) {
	e := event{kind: complete, lane: l, name: name, category: category, at: from, took: max(to-from, 0)}
	copy(e.args[:], args)
	w.add(e)
}

// Instant adds something that happened.
func (w *Writer) Instant(l Lane, name, category string, at time.Duration, args ...Arg) {
	e := event{kind: instant, lane: l, name: name, category: category, at: at}
	copy(e.args[:], args)
	w.add(e)
}

// Counter adds a value that holds from then on. Values that are not numbers are left out.
func (w *Writer) Counter(l Lane, name string, at time.Duration, value float64) {
	if value-value != 0 {
		return
	}
	w.add(event{kind: counter, lane: Lane{process: l.process}, name: name, at: at, args: [2]Arg{{Key: "value", Number: value}}})
}

func (w *Writer) add(e event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(e)
}

// put keeps an event, or counts it where there is no room. mu is held.
func (w *Writer) put(e event) {
	switch {
	case w.closed:
	case len(w.current) < cap(w.current):
		w.current = append(w.current, e)
	case w.next():
		w.current = append(w.current, e)
	default:
		w.lost++
	}
}

// next passes the full chunk on and takes an empty one, if there is any.
func (w *Writer) next() bool {
	select {
	case empty := <-w.free:
		w.full <- w.current // has room for all chunks
		w.current = empty
		return true
	default:
		return false
	}
}

// Lost is how many events were left out so far.
func (w *Writer) Lost() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost
}

// Close writes what is left and puts the file in its place. Closing again returns the
// same.
func (w *Writer) Close() error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		w.full <- w.current
		close(w.full)
	}
	w.mu.Unlock()
	<-w.done
	return w.err
}

// errDropped ends the writing of a file that nobody wants.
var errDropped = errors.New("dropped")

// Drop is Close without a file: what was written is removed.
func (w *Writer) Drop() {
	w.mu.Lock()
	w.dropped = true
	w.mu.Unlock()
	_ = w.Close() // says that it was dropped
}

// write is the file's text. It ends when the trace is closed.
func (w *Writer) write(to io.Writer) error {
	close(w.open)
	t := newText(to)
	for chunk := range w.full {
		for i := range chunk {
			t.event(&chunk[i])
		}
		clear(chunk)
		w.free <- chunk[:0]
		if t.err != nil {
			return t.err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dropped {
		return errDropped
	}
	return t.end(w.lost)
}
