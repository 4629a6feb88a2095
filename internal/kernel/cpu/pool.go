package cpu

import "sync/atomic"

// pool runs the workgroups of one dispatch at a time on a fixed set of
// goroutines, the caller's among them. Each begins with the same share of the
// workgroups in every dispatch, so that what it wrote is likely still in its
// caches when it reads it, and then helps the others. Who runs what does not
// matter to the result.
type pool struct {
	workers []*worker
	busy    atomic.Int64  // helpers that have not finished the dispatch
	idle    chan struct{} // told by the last of them, if the caller sleeps
	asleep  atomic.Bool   // the caller

	op    *operation
	order []int // permutation of the workgroups, nil for the natural order
	chunk int64
}

type worker struct {
	group Group
	state atomic.Int32  // waiting, called or sleeping
	wake  chan struct{} // for a sleeping one

	// The share of the current dispatch: workgroups [next, end) are left.
	next atomic.Int64
	end  int64
	_    [64]byte // the next worker's counter is on another cache line
}

func newPool(threads int) *pool {
	p := &pool{workers: make([]*worker, threads), idle: make(chan struct{}, 1)}
	for i := range p.workers {
		w := &worker{wake: make(chan struct{}, 1)}
		p.workers[i] = w
		if i == 0 {
			continue // the caller
		}
		go func() {
			for w.await() {
				p.work(i)
				p.finish()
			}
		}()
	}
	return p
}

// States of a worker.
const (
	waiting = iota
	called
	sleeping
	closed
)

// spins is how often a waiting goroutine looks before it sleeps: some microseconds,
// as long as going to sleep and waking up takes.
const spins = 2000

// await returns true when the worker is called, false when the pool is closed.
func (w *worker) await() bool {
	for range spins {
		switch w.state.Load() {
		case called:
			w.state.Store(waiting)
			return true
		case closed:
			return false
		}
	}
	if w.state.CompareAndSwap(waiting, sleeping) {
		<-w.wake
	}
	if w.state.Load() == closed {
		return false
	}
	w.state.Store(waiting)
	return true
}

// call makes a worker work, or end.
func (w *worker) call(as int32) {
	if w.state.Swap(as) == sleeping {
		w.wake <- struct{}{}
	}
}

// finish tells the caller when the last helper is done.
func (p *pool) finish() {
	if p.busy.Add(-1) == 0 && p.asleep.CompareAndSwap(true, false) {
		p.idle <- struct{}{}
	}
}

// join waits for the helpers. A helper that is late with its word about an earlier
// dispatch may wake it for nothing, so it looks again.
func (p *pool) join() {
	for range spins {
		if p.busy.Load() == 0 {
			return
		}
	}
	for p.busy.Load() != 0 {
		p.asleep.Store(true)
		if p.busy.Load() == 0 && p.asleep.CompareAndSwap(true, false) {
			return
		}
		<-p.idle
	}
}

func (p *pool) close() {
	for _, w := range p.workers[1:] {
		w.call(closed)
	}
}

// run executes all workgroups of op and returns when they are done.
func (p *pool) run(op *operation, groups int, order []int) {
	if groups == 0 {
		return
	}
	p.op, p.order = op, order
	n := len(p.workers)
	p.chunk = int64(max(1, groups/(64*n))) // tiles differ much in cost
	for i, w := range p.workers {
		w.next.Store(int64(groups * i / n))
		w.end = int64(groups * (i + 1) / n)
	}
	helpers := min(n, groups) - 1
	p.busy.Store(int64(helpers))
	for _, w := range p.workers[n-helpers:] { // the last ones have a share in any case
		w.call(called)
	}
	p.work(0)
	p.join()
}

// work runs worker me's share in chunks, then what the others have left.
func (p *pool) work(me int) {
	w := p.workers[me]
	for k := range p.workers {
		share := p.workers[(me+k)%len(p.workers)]
		for {
			from := share.next.Add(p.chunk) - p.chunk
			if from >= share.end {
				break
			}
			for i := from; i < min(from+p.chunk, share.end); i++ {
				w.group.ID = int(i)
				if p.order != nil {
					w.group.ID = p.order[i]
				}
				w.group.op, w.group.offset = p.op, 0
				p.op.run(&w.group)
			}
		}
	}
}
