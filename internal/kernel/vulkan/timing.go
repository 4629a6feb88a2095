package vulkan

import (
	"time"

	"splat/internal/kernel"
	"splat/internal/vk"
)

// timings adds up what dispatches took on the device.
type timings struct {
	on      bool
	period  float64 // nanoseconds a tick
	mask    uint64  // of the bits that count
	table   map[timingKey]*kernel.Timing
	order   []timingKey
	scratch []uint64
}

type timingKey struct{ stage, kernel string }

func (t *timings) open(on bool, info vk.Info) {
	t.on = on && info.Limits.TimestampBits > 0
	t.period, t.table = info.Limits.TimestampPeriod, map[timingKey]*kernel.Timing{}
	t.mask = ^uint64(0)
	if bits := info.Limits.TimestampBits; bits > 0 && bits < 64 {
		t.mask = 1<<bits - 1
	}
}

// add reads the timestamps of a program that has run.
func (t *timings) add(p *program) error {
	n := 2 * len(p.ops)
	if cap(t.scratch) < n {
		t.scratch = make([]uint64, n)
	}
	ticks := t.scratch[:n]
	if ready, err := p.stamps.Read(0, ticks); err != nil || !ready {
		return err
	}
	for i := range p.rec.Dispatches {
		d := &p.rec.Dispatches[i]
		key := timingKey{d.Stage, d.Kernel.Name}
		row := t.table[key]
		if row == nil {
			row = &kernel.Timing{Stage: d.Stage, Kernel: d.Kernel.Name}
			t.table[key] = row
			t.order = append(t.order, key)
		}
		row.Calls++
		row.Total += time.Duration(float64((ticks[2*i+1]-ticks[2*i])&t.mask) * t.period)
	}
	return nil
}

// Timings implements kernel.Backend.
func (b *Backend) Timings() []kernel.Timing {
	t := &b.timings
	if !t.on {
		return nil
	}
	out := make([]kernel.Timing, 0, len(t.order))
	for _, k := range t.order {
		out = append(out, *t.table[k])
	}
	clear(t.table)
	t.order = t.order[:0]
	return out
}
