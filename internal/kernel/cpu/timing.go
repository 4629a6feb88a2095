package cpu

import (
	"time"
	"unsafe"

	"splat/internal/kernel"
)

// measure runs a program with the time of each dispatch taken.
func (b *Backend) measure(p *program) {
	l := b.timelines.Next(p.rec)
	before := p.control()
	l.Step = before.Step
	began := time.Now()
	for i := range p.ops {
		from := time.Since(began)
		b.run(&p.ops[i])
		l.Spans[i] = kernel.Span{From: from, To: time.Since(began)}
		if b.tracer != nil {
			op := &p.ops[i]
			b.tracer.Kernel(op.stage, op.contract.Name, kernel.Flight{To: l.Spans[i].Took(), Began: began.Add(from)})
		}
	}
	l.Total = time.Since(began)
	l.Idle = p.rec.Idled(before, p.control())
}

// control is the state of the device as it is; zeros where the program has none.
func (p *program) control() (c kernel.Control) {
	if p.state == nil {
		return c
	}
	return *(*kernel.Control)(unsafe.Pointer(&p.state.raw[0]))
}

// Timelines implements kernel.Backend.
func (b *Backend) Timelines(visit func(kernel.Timeline)) { b.timelines.Take(visit) }

// Sampling implements kernel.Sampled: every step is measured.
func (*Backend) Sampling() kernel.Sampling {
	return kernel.Sampling{Every: 1, Clock: "monotonic clock"}
}
