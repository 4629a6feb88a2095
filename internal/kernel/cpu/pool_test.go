package cpu

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Every workgroup of every dispatch runs once, and none is still running when run
// returns, whether helpers are awake, asleep, late or more than there are processors.
func TestPoolRunsEveryGroupOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 7} {
		p := newPool(threads)
		var ran [40]atomic.Int32
		var dispatch atomic.Int64
		op := &operation{}
		for n := range 3000 {
			groups := n % len(ran)
			op.run = func(g *Group) {
				if dispatch.Load() != int64(n) {
					t.Errorf("a workgroup of dispatch %d runs in dispatch %d", n, dispatch.Load())
				}
				if n%500 == 3 && g.ID == groups-1 {
					time.Sleep(2 * time.Millisecond) // long enough to fall asleep
				}
				if g.ID%5 == 1 {
					runtime.Gosched()
				}
				ran[g.ID].Add(1)
			}
			dispatch.Store(int64(n))
			p.run(op, groups, nil)
			for i := range ran {
				want := int32(0)
				if i < groups {
					want = 1
				}
				if got := ran[i].Swap(0); got != want {
					t.Fatalf("%d threads, dispatch %d: workgroup %d of %d ran %d times", threads, n, i, groups, got)
				}
			}
			if n%700 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		p.close()
	}
}

// The goroutines of a pool end with it, asleep or not.
func TestPoolCloses(t *testing.T) {
	before := runtime.NumGoroutine()
	for n := range 20 {
		p := newPool(4)
		if n%2 == 0 {
			time.Sleep(time.Millisecond)
		}
		p.run(&operation{run: func(*Group) {}}, n, nil)
		p.close()
	}
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}
