package hostprof

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"splat/internal/kernel"
	"splat/internal/trace"
)

// deviceUse is what is known of the device's own time in training.
type deviceUse struct {
	busy       time.Duration
	flights    int
	idle       []time.Duration // between one submission and the next
	latencies  []time.Duration // from a submission to an idle device to its first kernel
	bridge     bridge
	calibrated bool            // the device reads both clocks at once, and bridge is not needed
	within     []time.Duration // how far off latencies may be
	last       time.Duration   // the end of the last submission, on the device's clock
	stretch    int             // the training stretch that it was in
	shown      time.Duration   // the end of what the trace shows, on the host's clock
}

// Device is the device's own time in training, by timestamps around each submission.
type Device struct {
	BusyShare   *float64 `json:"busy_share"` // of the training time
	BusyMS      float64  `json:"busy_ms"`
	IdleMS      float64  `json:"idle_ms"` // between submissions, together
	IdleUS      float64  `json:"idle_us"` // between submissions, median
	Submissions int      `json:"submissions"`
	LatencyUS   *float64 `json:"latency_us"`   // from a submission to an idle device to its first kernel, median; null: no submission met an idle device
	Latencies   int      `json:"latencies"`    // submissions behind it
	ClockUS     float64  `json:"clock_off_us"` // how far the device's clock may be off the host's, median
	Clock       string   `json:"clock"`        // how the two were brought together
}

// Names of a trace's rows for the device.
const (
	deviceProcess = "device"
	flightLane    = "submissions"
)

// How clocks were brought together.
const (
	clockBracket    = "bracketed by submissions and waits"
	clockCalibrated = "calibrated timestamps"
)

// Flight implements kernel.Tracer.
func (r *Recorder) Flight(f kernel.Flight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := &r.device
	submitted := f.Submitted.Sub(r.epoch)
	offset, within := d.offset(&f, r.epoch)
	from := max(f.From, d.last)
	if r.phase == training {
		d.add(from, max(f.To, from), submitted-offset, within, r.stretch)
	}
	d.last, d.stretch = max(f.To, from), r.stretch
	if r.trace != nil {
		r.show(f.What, from+offset, d.last+offset, submitted)
	}
}

// offset is what to add to the device's time to get the host's, and how far off it may be.
func (d *deviceUse) offset(f *kernel.Flight, epoch time.Time) (offset, within time.Duration) {
	if !f.Began.IsZero() {
		d.calibrated = true
		return f.Began.Sub(epoch) - f.From, f.Within
	}
	d.bridge.see(f.Submitted.Sub(epoch), f.From, f.To, f.Seen.Sub(epoch))
	return d.bridge.offset()
}

// show passes a submission to the trace. Spans of a row must not overlap, also where the
// clocks' difference has just become clearer.
func (r *Recorder) show(what string, from, to, submitted time.Duration) {
	from = max(from, r.device.shown)
	to = max(to, from)
	r.device.shown = to
	r.trace.Span(r.flights, what, "device", from, to, trace.Arg{Key: "microseconds since it was submitted", Number: microseconds(from - submitted)})
}

// Kernel implements kernel.Tracer.
func (r *Recorder) Kernel(stage, name string, f kernel.Flight) {
	if r.trace == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	from := f.Began.Sub(r.epoch)
	if f.Began.IsZero() {
		if r.device.bridge.n == 0 {
			return // nobody knows yet when that was
		}
		offset, _ := r.device.bridge.offset()
		from = f.From + offset
	}
	row := r.kernels[name]
	if row == nil {
		row = &kernelRow{lane: r.trace.Lane(deviceProcess, name)}
		r.kernels[name] = row
	}
	from = max(from, row.end)
	row.end = from + max(f.To-f.From, 0)
	r.trace.Span(row.lane, name, stage, from, row.end)
}

// kernelRow is a trace's row of a kernel.
type kernelRow struct {
	lane trace.Lane
	end  time.Duration // of its last run
}

// add adds a submission that the device worked on in training; submitted is on its clock.
func (d *deviceUse) add(from, to, submitted, within time.Duration, stretch int) {
	d.busy += to - from
	d.flights++
	if d.flights == 1 || stretch != d.stretch {
		return
	}
	d.idle = append(d.idle, from-d.last)
	if submitted > d.last {
		d.latencies = append(d.latencies, max(from-submitted, 0))
		d.within = append(d.within, within)
	}
}

func (d *deviceUse) summary(wall time.Duration) *Device {
	if d.flights == 0 {
		return nil
	}
	share := d.busy.Seconds() / max(wall.Seconds(), 1e-9)
	out := &Device{
		BusyShare: &share, BusyMS: milliseconds(d.busy), IdleUS: microseconds(median(d.idle)), Submissions: d.flights,
		Latencies: len(d.latencies), ClockUS: microseconds(median(d.within)), Clock: clockBracket,
	}
	if d.calibrated {
		out.Clock = clockCalibrated
	}
	for _, t := range d.idle {
		out.IdleMS += milliseconds(t)
	}
	if len(d.latencies) > 0 {
		us := microseconds(median(d.latencies))
		out.LatencyUS = &us
	}
	return out
}

func microseconds(d time.Duration) float64 { return d.Seconds() * 1e6 }

func median(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(list))[len(list)/2]
}

func (d *Device) text(b *strings.Builder) {
	fmt.Fprintf(b, "  device, by its timestamps: busy %.1f %% of the training time in %d submissions; idle between them %.2f ms together, median %.1f us\n",
		100**d.BusyShare, d.Submissions, d.IdleMS, d.IdleUS)
	if d.LatencyUS == nil {
		b.WriteString("  launch latency: unknown, no submission met an idle device\n")
		return
	}
	fmt.Fprintf(b, "  launch latency, from a submission to an idle device to its first kernel: median %.1f us of %d, give or take %.1f us (clocks: %s)\n",
		*d.LatencyUS, d.Latencies, d.ClockUS, d.Clock)
}
