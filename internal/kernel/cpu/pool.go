package cpu

import (
	"sync"
	"sync/atomic"
)

// pool runs the workgroups of one dispatch at a time on a fixed set of
// goroutines, the caller's among them. Each begins with the same share of the
// workgroups in every dispatch, so that what it wrote is likely still in its
// caches when it reads it, and then helps the others. Who runs what does not
// matter to the result.
type pool struct {
	workers []*worker
	done    sync.WaitGroup

	op    *operation
	order []int // permutation of the workgroups, nil for the natural order
	chunk int64
}

type worker struct {
	group Group
	wake  chan struct{}

	// The share of the current dispatch: workgroups [next, end) are left.
	next atomic.Int64
	end  int64
	_    [64]byte // the next worker's counter is on another cache line
}

func newPool(threads int) *pool {
	p := &pool{workers: make([]*worker, threads)}
	for i := range p.workers {
		w := &worker{wake: make(chan struct{}, 1)}
		p.workers[i] = w
		if i == 0 {
			continue // the caller
		}
		go func() {
			for range w.wake {
				p.work(i)
				p.done.Done()
			}
		}()
	}
	return p
}

func (p *pool) close() {
	for _, w := range p.workers[1:] {
		close(w.wake)
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
	p.done.Add(helpers)
	for _, w := range p.workers[n-helpers:] { // the last ones have a share in any case
		w.wake <- struct{}{}
	}
	p.work(0)
	p.done.Wait()
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
