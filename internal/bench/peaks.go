package bench

import (
	"fmt"
	"sync"

	"splat/internal/kernel"
	"splat/internal/vec"
)

// peakBytes is the size of the arrays whose reading and copying are timed: more
// than caches hold.
const peakBytes = 128 << 20

// turns is the number of steps of the arithmetic loop in one run.
const turns = 1 << 20

// peakCases lists what the device can do at best: the rates that kernels are to
// be compared with. bytes is the size of an array. The loops are this process's
// own, so they speak for the CPU backend only; dispatches go through the backend,
// whichever it is.
func peakCases(bytes int) (list []Case) {
	loops := []struct {
		name   string
		arrays int
		work   func(words, threads int) *Work
	}{{"copy", 2, copyWork}, {"read", 1, readWork}, {"multiply_add", 0, multiplyAddWork}}
	for _, l := range loops {
		c := Case{host: int64(l.arrays * bytes), cpu: true}
		c.Name = "Peak/" + l.name + "/threads=1"
		c.prepare = func(*Rig, Case) (*Work, error) { return l.work(bytes/4, 1), nil }
		list = append(list, c)
		c.Name = "Peak/" + l.name + "/threads=all"
		c.prepare = func(r *Rig, _ Case) (*Work, error) { return l.work(bytes/4, r.threads), nil }
		list = append(list, c)
	}
	for _, groups := range []int{1, 256} {
		list = append(list, Case{
			Name:    fmt.Sprintf("Peak/dispatch/groups=%d", groups),
			prepare: func(r *Rig, _ Case) (*Work, error) { return r.dispatchWork(groups) },
		})
	}
	return list
}

// copyWork copies an array; what is read and what is written both count.
func copyWork(words, threads int) *Work {
	to, from := filledArray(words), filledArray(words)
	return &Work{
		Run: parallel(threads, func(thread int) {
			a, b := share(words, threads, thread)
			copy(to[a:b], from[a:b])
		}),
		Rates: []Metric{{"GB/s", float64(8 * words)}},
	}
}

// readWork adds up an array.
func readWork(words, threads int) *Work {
	from, sums := filledArray(words), make([]float32, 64*threads)
	return &Work{
		Run: parallel(threads, func(thread int) {
			a, b := share(words, threads, thread)
			sums[64*thread] = vec.Sum(from[a:b])
		}),
		Rates: []Metric{{"GB/s", float64(4 * words)}},
	}
}

// multiplyAddWork multiplies and adds in registers, which counts as two
// operations.
func multiplyAddWork(_, threads int) *Work {
	sums := make([]float32, 64*threads)
	return &Work{
		Run:   parallel(threads, func(thread int) { sums[64*thread] = vec.MultiplyAdd(turns, float32(thread)) }),
		Rates: []Metric{{"GFLOP/s", float64(2 * vec.MultiplyAdds() * turns * threads)}},
	}
}

// filledArray is an array whose pages are all there.
func filledArray(words int) []float32 {
	a := make([]float32, words)
	for i := range a {
		a[i] = float32(i & 7)
	}
	return a
}

// share returns the part of n elements that is a thread's.
func share(n, threads, thread int) (from, to int) {
	return n * thread / threads, n * (thread + 1) / threads
}

// parallel calls f n times on each of so many threads; they do not wait for one
// another in between.
func parallel(threads int, f func(thread int)) func(n int) error {
	return func(n int) error {
		var done sync.WaitGroup
		for thread := range threads {
			done.Go(func() {
				for range n {
					f(thread)
				}
			})
		}
		done.Wait()
		return nil
	}
}

// dispatchWork runs a dispatch whose workgroups return at once: the end of a
// refine that is not due.
func (r *Rig) dispatchWork(groups int) (*Work, error) {
	control := &kernel.Buffer{Name: "control", Elem: "Control", Len: 1, Persistent: true}
	refine := &kernel.Buffer{Name: "refine", Elem: "Refine", Len: 1, Persistent: true}
	r.drop()
	for _, b := range []*kernel.Buffer{control, refine} {
		if err := r.backend.Alloc(b); err != nil {
			return nil, err
		}
		r.loose = append(r.loose, b)
	}
	rec := &kernel.Recording{Name: "bench dispatch"}
	rec.Direct(kernel.RefineEnd, groups, kernel.Args{"control": control, "refine": refine})
	program, err := r.backend.Compile(rec)
	if err != nil {
		return nil, err
	}
	return &Work{Run: func(n int) error {
		if err := r.backend.Submit(program, n); err != nil {
			return err
		}
		return r.backend.Wait()
	}}, nil
}
