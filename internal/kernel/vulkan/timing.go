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
	table   kernel.Timings
	scratch []uint64
}

func (t *timings) open(on bool, info vk.Info) {
	t.on = on && info.Limits.TimestampBits > 0
	t.period = info.Limits.TimestampPeriod
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
		took := float64((ticks[2*i+1]-ticks[2*i])&t.mask) * t.period
		t.table.Add(d.Stage, d.Kernel.Name, 1, time.Duration(took))
	}
	return nil
}

// Timings implements kernel.Backend.
func (b *Backend) Timings() []kernel.Timing {
	t := &b.timings
	if !t.on {
		return nil
	}
	return t.table.Take()
}
