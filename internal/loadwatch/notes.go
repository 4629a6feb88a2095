package loadwatch

import (
	"fmt"
	"strings"
)

// Beyond these, other work is said to have disturbed a measurement.
const (
	otherShare  = 0.05 // of the machine's processors
	otherLeast  = 0.25 // processors
	gpuBusy     = 5    // percent, before the run begins
	clockSpread = 0.1  // of a clock's highest value
)

// notes says in words what speaks against the measurement.
func (r *Record) notes() (list []string) {
	if v := r.OtherCPU; v != nil && *v > max(otherShare*float64(r.Processors), otherLeast) {
		list = append(list, fmt.Sprintf("other processes kept %.1f of %d processors busy", *v, r.Processors))
	}
	if v := r.LoadBefore; v != nil && *v > max(otherShare*float64(r.Processors), otherLeast) && r.OtherCPU == nil {
		list = append(list, fmt.Sprintf("the load average was %.2f before the run began, on %d processors", *v, r.Processors))
	}
	if n := len(r.GPUUsers); n > 0 {
		list = append(list, "other processes had a GPU open: "+r.userNames())
	}
	for _, g := range r.GPUs {
		if g.BusyBefore != nil && *g.BusyBefore > gpuBusy {
			list = append(list, fmt.Sprintf("%s was %.0f %% busy before the run began", g.Name, *g.BusyBefore))
		}
		if g.MHz != nil && g.MHz.Median < (1-clockSpread)*g.MHz.Max {
			list = append(list, fmt.Sprintf("the clock of %s was mostly below its highest: median %.0f MHz, highest %.0f MHz", g.Name, g.MHz.Median, g.MHz.Max))
		}
	}
	if c := r.Calibration; c != nil && c.Drift > DriftLimit {
		list = append(list, fmt.Sprintf("the calibration kernel drifted by %.0f %%, more than %.0f %%: %s", 100*c.Drift, 100*DriftLimit, c.text()))
	}
	return list
}

// userNames names at most four processes.
func (r *Record) userNames() string {
	var names []string
	for i, u := range r.GPUUsers {
		if i == 4 {
			names = append(names, fmt.Sprintf("%d more", len(r.GPUUsers)-4))
			break
		}
		names = append(names, fmt.Sprintf("%s (%d)", u.Name, u.PID))
	}
	return strings.Join(names, ", ")
}

// text lists the calibrations.
func (c *Calibration) text() string {
	var parts []string
	for _, p := range c.Points {
		parts = append(parts, fmt.Sprintf("%.3f ms at step %d", p.MS, p.Step))
	}
	return strings.Join(parts, ", ")
}

// Text is what was found, for people: a few lines.
func (r *Record) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the machine during the run (%.1f s, %d processors)\n", r.Seconds, r.Processors)
	if r.OwnCPU != nil {
		fmt.Fprintf(&b, "  processors busy on average: %.2f by this run", *r.OwnCPU)
		if r.OtherCPU != nil {
			fmt.Fprintf(&b, ", %.2f by others", *r.OtherCPU)
		}
		if r.LoadBefore != nil {
			fmt.Fprintf(&b, "; load average %.2f before, %.2f after", *r.LoadBefore, *r.LoadAfter)
		}
		if r.Preempted != nil && *r.Preempted > 0 {
			fmt.Fprintf(&b, "; threads made to yield %d times", *r.Preempted)
		}
		b.WriteByte('\n')
	}
	line(&b, "CPU", r.CPUMHz, r.CPUCelsius, nil)
	for _, g := range r.GPUs {
		line(&b, g.Name, g.MHz, g.Celsius, g.Watts)
	}
	if c := r.Calibration; c != nil {
		fmt.Fprintf(&b, "  calibration (%s): %s; drift %.1f %%\n", c.Work, c.text(), 100*c.Drift)
	}
	if len(r.Notes) == 0 {
		b.WriteString("  no other load was found, as far as this machine tells\n")
	}
	for _, n := range r.Notes {
		b.WriteString("  warning: " + n + "\n")
	}
	return b.String()
}

func line(b *strings.Builder, name string, mhz, celsius, watts *Range) {
	var parts []string
	for _, v := range []struct {
		of   *Range
		what string
	}{{mhz, "MHz"}, {celsius, "degrees C"}, {watts, "W"}} {
		if v.of != nil {
			parts = append(parts, fmt.Sprintf("%.0f %s (%.0f to %.0f)", v.of.Median, v.what, v.of.Min, v.of.Max))
		}
	}
	if parts != nil {
		fmt.Fprintf(b, "  %s: %s\n", name, strings.Join(parts, ", "))
	}
}
