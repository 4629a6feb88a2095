package vulkan

import (
	"encoding/binary"
	"slices"
	"time"
	"unsafe"

	"splat/internal/kernel"
	"splat/internal/vk"
)

// timings measures programs on the device. Of a step there are two recordings, which do
// the same behind the same barriers: the plain one, and one with a timestamp before and
// after each dispatch. The second one runs every so many steps, so seldom that it hardly
// shows. Its results are copied inside the list to memory that the host reads when it
// looks at what is done; nobody waits for them.
type timings struct {
	on     bool
	off    string  // why it is not, although that was asked for
	period float64 // nanoseconds a tick
	mask   uint64  // of the bits that count
	ring   kernel.TimelineRing
	costs  map[string]*cost // by the name of the recording
}

// Why there is no measuring.
const withoutTimestamps = "the device has no timestamps for single dispatches: nothing on it is measured kernel by kernel"

func (t *timings) open(o Options, info vk.Info) {
	bits := info.Limits.TimestampBits
	t.on = o.Profile && bits > 0 && !o.NoTimestamps
	if o.Profile && !t.on {
		t.off = withoutTimestamps
	}
	t.period, t.mask = info.Limits.TimestampPeriod, ^uint64(0)
	if bits > 0 && bits < 64 {
		t.mask = 1<<bits - 1
	}
	t.costs = map[string]*cost{}
}

// cost is what is known of the recordings of a name.
func (t *timings) cost(name string) *cost {
	if t.costs[name] == nil {
		t.costs[name] = &cost{every: firstEvery}
	}
	return t.costs[name]
}

// took is the time between two timestamps.
func (t *timings) took(from, to uint64) time.Duration {
	return time.Duration(float64((to-from)&t.mask) * t.period)
}

// probe is one instrumented copy of a program. While it is in flight others take its turn.
type probe struct {
	commands   *vk.Commands
	stamps     *vk.Timestamps
	memory     *vk.Buffer // control before, control after, timestamps
	times      int        // of timestamps
	submission uint64     // that it went with and that was not read yet; 0: it is free
}

const controlSize = int64(unsafe.Sizeof(kernel.Control{}))

// makeProbes records the instrumented copies of a program, one more than can be in flight.
func (p *program) makeProbes() error {
	if !p.backend.timings.on {
		return nil
	}
	p.probes, p.brackets = make([]probe, p.backend.opts.InFlight+1), make([]probe, p.backend.opts.InFlight+1)
	for i := range p.probes {
		if err := p.makeProbe(&p.probes[i], 2*len(p.ops)+2, p.recordProbe); err != nil {
			return err
		}
		if err := p.makeProbe(&p.brackets[i], 2, p.recordBracket); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) makeProbe(q *probe, times int, record func(c *vk.Commands, q *probe)) (err error) {
	d := p.backend.device
	q.times = times
	if q.stamps, err = d.NewTimestamps(times); err != nil {
		return err
	}
	if q.memory, err = d.NewBuffer("timestamps", 2*controlSize+int64(8*times), vk.ReadbackMemory); err != nil {
		return err
	}
	clear(q.memory.Bytes())
	if q.commands, err = d.NewCommands(true); err != nil {
		return err
	}
	p.copyState(q.commands, q, 0)
	q.commands.Barrier(everything)
	q.commands.ResetTimestamps(q.stamps, 0, times)
	q.commands.Timestamp(q.stamps, 0)
	record(q.commands, q)
	q.commands.Timestamp(q.stamps, times-1)
	p.copyState(q.commands, q, controlSize)
	q.commands.CopyTimestamps(q.memory, 2*controlSize, q.stamps, 0, times)
	q.commands.Barrier(vk.ToHost)
	return q.commands.End()
}

// copyState copies the control record, by which a run knows its step.
func (p *program) copyState(c *vk.Commands, q *probe, offset int64) {
	if m := p.backend.memory[p.rec.State()]; m != nil {
		c.Barrier(vk.ComputeToTransfer | vk.TransferToTransfer)
		c.Copy(q.memory, offset, m, 0, controlSize)
	}
}

// recordProbe records the program with timestamps.
func (p *program) recordProbe(c *vk.Commands, q *probe) {
	for i := range p.ops {
		if op := &p.ops[i]; op.barrier != 0 && i > 0 {
			c.Barrier(op.barrier)
		}
		c.Timestamp(q.stamps, 2*i+1)
		p.launch(c, i)
		c.Timestamp(q.stamps, 2*i+2)
	}
	c.Barrier(everything)
}

// recordBracket records the plain program, of which only beginning and end are measured:
// what the instrumented one is compared with.
func (p *program) recordBracket(c *vk.Commands, _ *probe) {
	for i := range p.ops {
		p.dispatch(c, i, i > 0)
	}
	c.Barrier(everything)
}

func (q *probe) free() {
	if q.commands != nil {
		q.commands.Free()
	}
	if q.stamps != nil {
		q.stamps.Free()
	}
	if q.memory != nil {
		q.memory.Free()
	}
}

// instrument exchanges at most one of the lists, all of p's plain one, for a measured one
// where it is time for that.
func (b *Backend) instrument(p *program, lists []*vk.Commands) *probe {
	t := &b.timings
	if !t.on || len(lists) == 0 {
		return nil
	}
	at, from, c := 0, p.probes, t.cost(p.rec.Name)
	if p.rec.Name != rareProgram {
		if c.since += len(lists); c.since < c.every {
			return nil
		}
		at = max(len(lists)-1-(c.since-c.every), 0)
		if c.wantsPlain() {
			from = p.brackets
		}
	}
	i := slices.IndexFunc(from, func(q probe) bool { return q.submission == 0 })
	if i < 0 {
		return nil // all are in flight: a later step
	}
	c.since = len(lists) - 1 - at
	c.turn++
	lists[at] = from[i].commands
	return &from[i]
}

// Names of recordings. A refine runs so seldom that it is measured each time; what is
// said about the cost of measuring is about steps.
const (
	rareProgram = "refine"
	stepProgram = "step"
)

// harvest reads the probes that are done. It does not wait.
func (b *Backend) harvest() {
	if !b.timings.on {
		return
	}
	done, err := b.queue.done()
	if err != nil {
		return // whoever waits next hears of it
	}
	for _, p := range b.order {
		for i := range p.probes {
			if q := &p.probes[i]; q.submission > 0 && q.submission <= done {
				b.readProbe(p, q)
			}
			if q := &p.brackets[i]; q.submission > 0 && q.submission <= done {
				b.readBracket(p, q)
			}
		}
	}
}

// readProbe makes a timeline of a measured run.
func (b *Backend) readProbe(p *program, q *probe) {
	t := &b.timings
	q.submission = 0
	ticks := q.ticks(&b.ticks)
	l := t.ring.Next(p.rec)
	before, after := q.states()
	l.Step, l.Idle = before.Step, p.rec.Idled(before, after)
	for i := range l.Spans {
		l.Spans[i] = kernel.Span{From: t.took(ticks[0], ticks[2*i+1]), To: t.took(ticks[0], ticks[2*i+2])}
	}
	l.Total = t.took(ticks[0], ticks[len(ticks)-1])
	if !l.Idle && p.rec.Name != rareProgram {
		t.cost(p.rec.Name).add(l.Total, true)
	}
	b.tellKernels(p, ticks[1:len(ticks)-1])
}

// readBracket notes how long a plain run took.
func (b *Backend) readBracket(p *program, q *probe) {
	q.submission = 0
	ticks := q.ticks(&b.ticks)
	if before, after := q.states(); !p.rec.Idled(before, after) {
		b.timings.cost(p.rec.Name).add(b.timings.took(ticks[0], ticks[1]), false)
	}
}

// ticks reads the timestamps into scratch.
func (q *probe) ticks(scratch *[]uint64) []uint64 {
	*scratch = (*scratch)[:0]
	bytes := q.memory.Bytes()[2*controlSize:]
	for i := range q.times {
		*scratch = append(*scratch, binary.LittleEndian.Uint64(bytes[8*i:]))
	}
	return *scratch
}

// states are the control records before and after.
func (q *probe) states() (before, after kernel.Control) {
	pair := [2]kernel.Control{}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&pair)), 2*controlSize), q.memory.Bytes())
	return pair[0], pair[1]
}

// Timelines implements kernel.Backend.
func (b *Backend) Timelines(visit func(kernel.Timeline)) {
	b.harvest()
	b.timings.ring.Take(visit)
}

// Sampling implements kernel.Sampled.
func (b *Backend) Sampling() kernel.Sampling {
	t := &b.timings
	if !t.on {
		return kernel.Sampling{Off: t.off}
	}
	c := t.cost(stepProgram)
	return kernel.Sampling{Every: c.every, Cost: c.relative(), Clock: "device timestamps"}
}
