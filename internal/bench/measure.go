package bench

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Duration is how long a case is measured: for at least so much time, or, where
// it is not 0, exactly so many times.
type Duration struct {
	Time  time.Duration
	Times int
}

// ParseDuration reads a length of time, such as 1s, or a number of runs, such as
// 10x.
func ParseDuration(text string) (Duration, error) {
	if n, ok := strings.CutSuffix(text, "x"); ok {
		if times, err := strconv.Atoi(n); err == nil && times > 0 {
			return Duration{Times: times}, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return Duration{Time: d}, nil
	}
	return Duration{}, fmt.Errorf("found %q, expected a length of time such as 1s or a number of runs such as 10x", text)
}

// Result is one measurement of a case.
type Result struct {
	Name    string   `json:"name"`
	Runs    int      `json:"runs"`
	NsPerOp float64  `json:"ns_per_op"`
	Metrics []Metric `json:"metrics"` // those of the work, then allocations
}

// batch is about how long one submission may take: long enough that it costs
// nothing, short enough for a display's watchdog and for an interrupt.
const batch = 100 * time.Millisecond

// meter adds up the measured parts of a case.
type meter struct {
	work    *Work
	runs    int
	time    time.Duration
	mallocs uint64
	bytes   uint64
}

// Measure runs the work once to warm up and then for as long as d says.
func Measure(ctx context.Context, w *Work, d Duration) (Result, error) {
	warm := meter{work: w}
	if err := warm.add(1); err != nil {
		return Result{}, err
	}
	m := meter{work: w}
	each := warm.time
	for m.left(d, each) > 0 {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		if err := m.add(m.left(d, each)); err != nil {
			return Result{}, err
		}
		each = m.time / time.Duration(m.runs)
	}
	return m.result(), nil
}

// left is the number of runs to do in the next submission, where one takes each.
func (m *meter) left(d Duration, each time.Duration) int {
	n := d.Times - m.runs
	if d.Times == 0 {
		if m.time >= d.Time {
			return 0
		}
		n = int((d.Time-m.time)/max(each, 1)) + 1
	}
	return min(n, int(batch/max(each, 1))+1)
}

// add measures n runs, or a single one where the work must be reset before each.
func (m *meter) add(n int) error {
	if m.work.Reset != nil {
		n = 1
		if err := m.work.Reset(); err != nil {
			return err
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	err := m.work.Run(n)
	m.time += time.Since(start)
	runtime.ReadMemStats(&after)
	m.runs += n
	m.mallocs += after.Mallocs - before.Mallocs
	m.bytes += after.TotalAlloc - before.TotalAlloc
	return err
}

func (m *meter) result() Result {
	n := float64(m.runs)
	r := Result{Runs: m.runs, NsPerOp: float64(m.time.Nanoseconds()) / n}
	for _, rate := range m.work.Rates {
		r.Metrics = append(r.Metrics, Metric{rate.Unit, rate.Value / max(r.NsPerOp, 1)})
	}
	r.Metrics = append(r.Metrics, m.work.Metrics...)
	r.Metrics = append(r.Metrics,
		Metric{"B/op", float64(m.bytes / uint64(m.runs))}, Metric{"allocs/op", float64(m.mallocs / uint64(m.runs))})
	return r
}
