// Package twin is a backend made of two: a device, and a host that has a twin of
// each of the device's kernels. Chosen dispatches of a recording run on the host,
// between the others that run on the device, or on both to be compared. Running a
// kernel by its twin, bisecting a recording and checking it are one mechanism.
//
// The device's buffers are the ones that count. What a host dispatch binds is
// copied from there before it and what it writes is copied back after it, so
// each change of sides waits for the device. Recordings without a chosen dispatch
// are the device's own programs.
package twin

import (
	"errors"
	"fmt"
	"strings"

	"splat/internal/kernel"
)

// Options chooses dispatches by selectors, see Selectors. A dispatch that is chosen
// for the host and for a check runs on the host, unchecked.
type Options struct {
	// Host chooses what the host runs.
	Host []string
	// From chooses where the device takes over: dispatches before the first chosen
	// one of a recording run on the host. Recordings without one are left alone.
	From string
	// Check chooses what both sides run from the same inputs. The device's result
	// is the one that is kept.
	Check []string
	// Compare tells what is wrong with a dispatch that was checked. The maps hold the
	// words of the buffers by binding: before, after the host and after the device.
	// Check needs it.
	Compare func(d *kernel.Dispatch, groups int, before, want, got map[string][]uint32) error
	// Nearest finds the name that a mistyped selector most likely meant, or "". It
	// may be nil.
	Nearest func(word string, names []string) string
}

// Backend implements kernel.Backend.
type Backend struct {
	device, host kernel.Backend
	opts         Options
	onHost       choice
	from         choice
	checked      choice
	shadows      map[*kernel.Buffer]*shadow
	runs         map[string]int // of each recording that has been split, by name
	chunk        []byte         // on the way from one side to the other
}

// New combines device and host, which Close closes. A selector that names nothing
// is an error that lists what there is.
func New(device, host kernel.Backend, o Options) (*Backend, error) {
	if len(o.Check) > 0 && o.Compare == nil {
		return nil, errors.New("twin: a check needs a comparison")
	}
	b := &Backend{device: device, host: host, opts: o, shadows: map[*kernel.Buffer]*shadow{}, runs: map[string]int{}}
	var from []string
	if o.From != "" {
		from = []string{o.From}
	}
	var errs [3]error
	b.onHost, errs[0] = choose(o.Host, o.Nearest)
	b.from, errs[1] = choose(from, o.Nearest)
	b.checked, errs[2] = choose(o.Check, o.Nearest)
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Idle lists the selectors that chose nothing in any recording compiled so far,
// such as a kernel of a strategy that is not in use.
func (b *Backend) Idle() []string {
	return append(append(b.onHost.idle(), b.from.idle()...), b.checked.idle()...)
}

// SetTracer passes a tracer to both sides.
func (b *Backend) SetTracer(t kernel.Tracer) {
	for _, side := range []kernel.Backend{b.device, b.host} {
		if s, ok := side.(kernel.Traced); ok {
			s.SetTracer(t)
		}
	}
}

// Name is the device's.
func (b *Backend) Name() string { return b.device.Name() }

// Budget is the memory that the device has free, in bytes, 0 where it does not say.
func (b *Backend) Budget() int64 {
	if d, ok := b.device.(interface{ Budget() int64 }); ok {
		return d.Budget()
	}
	return 0
}

// Device is the device's, and what does not run there alone.
func (b *Backend) Device() string {
	var with []string
	if len(b.opts.Host) > 0 {
		with = append(with, strings.Join(b.opts.Host, ", ")+" on the host")
	}
	if b.opts.From != "" {
		with = append(with, "everything before "+b.opts.From+" on the host")
	}
	if len(b.opts.Check) > 0 {
		with = append(with, strings.Join(b.opts.Check, ", ")+" checked on the host")
	}
	if with == nil {
		return b.device.Device()
	}
	return b.device.Device() + ", with " + strings.Join(with, ", ")
}

// Alloc gives buf storage on the device. The host's follows when a recording needs
// it there.
func (b *Backend) Alloc(buf *kernel.Buffer) error { return b.device.Alloc(buf) }

// Free releases buf's storage on both sides.
func (b *Backend) Free(buf *kernel.Buffer) {
	b.device.Free(buf)
	b.dropShadow(buf)
}

// WriteBytes goes to the device.
func (b *Backend) WriteBytes(buf *kernel.Buffer, at int, data []byte) error {
	b.outdate(buf)
	return b.device.WriteBytes(buf, at, data)
}

// ReadBytes comes from the device.
func (b *Backend) ReadBytes(buf *kernel.Buffer, at int, data []byte) error {
	return b.device.ReadBytes(buf, at, data)
}

// Peek comes from the device, unless the host was the last to write buf: the device
// copies what is watched when it has run a program, not when it was written to.
func (b *Backend) Peek(buf *kernel.Buffer, at int, data []byte) error {
	if s := b.shadows[buf]; s != nil && !s.stale && buf.Watched {
		return b.host.ReadBytes(s.on, at, data)
	}
	return b.device.Peek(buf, at, data)
}

// Copy happens on the device.
func (b *Backend) Copy(to, from *kernel.Buffer) error {
	b.outdate(to)
	return b.device.Copy(to, from)
}

// Wait waits for both sides.
func (b *Backend) Wait() error {
	return errors.Join(b.device.Wait(), b.host.Wait())
}

// Timelines are the device's and then the host's. A recording that is split has one for
// each part; transfers are in none.
func (b *Backend) Timelines(visit func(kernel.Timeline)) {
	b.device.Timelines(visit)
	b.host.Timelines(func(l kernel.Timeline) {
		l.Host = true
		visit(l)
	})
}

// Sampling is the device's.
func (b *Backend) Sampling() kernel.Sampling {
	if d, ok := b.device.(kernel.Sampled); ok {
		return d.Sampling()
	}
	return kernel.Sampling{}
}

// Close closes both sides.
func (b *Backend) Close() {
	for buf := range b.shadows {
		b.dropShadow(buf)
	}
	b.host.Close()
	b.device.Close()
}

// Submit implements kernel.Backend. It returns after the last dispatch of the host;
// what the device does after that it may still be doing.
func (b *Backend) Submit(p kernel.Program, times int) error {
	prog, ok := p.(*program)
	if !ok {
		return fmt.Errorf("twin: program of another backend: %T", p)
	}
	if prog.whole != nil {
		return prog.whole.submit(b, times)
	}
	for range times {
		b.runs[prog.rec.Name]++
		for _, part := range prog.parts {
			if err := part.run(b); err != nil {
				return err
			}
		}
	}
	return nil
}
