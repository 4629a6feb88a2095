package cpu

import (
	"sync"
	"sync/atomic"
)

// pool runs the workgroups of one dispatch at a time on a fixed set of
// goroutines, the caller's among them. Workgroups are handed out by a counter;
// which goroutine takes which does not matter to the result.
type pool struct {
	workers []*worker
	done    sync.WaitGroup

	op     *operation
	order  []int // permutation of the workgroups, nil for the natural order
	groups int64
	chunk  int64
	next   atomic.Int64
}

type worker struct {
	group Group
	wake  chan struct{}
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
				p.work(w)
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
	p.op, p.order, p.groups = op, order, int64(groups)
	p.chunk = max(1, p.groups/int64(64*len(p.workers))) // tiles differ much in cost
	p.next.Store(0)
	helpers := min(len(p.workers), groups) - 1
	p.done.Add(helpers)
	for _, w := range p.workers[1 : 1+helpers] {
		w.wake <- struct{}{}
	}
	p.work(p.workers[0])
	p.done.Wait()
}

// work takes chunks of workgroups until none are left.
func (p *pool) work(w *worker) {
	for {
		from := p.next.Add(p.chunk) - p.chunk
		if from >= p.groups {
			return
		}
		for i := from; i < min(from+p.chunk, p.groups); i++ {
			w.group.ID = int(i)
			if p.order != nil {
				w.group.ID = p.order[i]
			}
			w.group.op, w.group.offset = p.op, 0
			p.op.run(&w.group)
		}
	}
}
