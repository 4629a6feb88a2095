package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"splat/internal/kernel"
	"splat/internal/sysinfo"
)

// Runner measures cases one after the other.
type Runner struct {
	Backend  kernel.Backend
	Threads  int // of the backend, also the number behind the names
	Duration Duration
	Count    int   // measurements of each case
	Memory   int64 // a case that needs more bytes is left out; 0 is no limit

	Begin func(number int, c Case) // called before each case, from 1 on
	Done  func(Result) error       // called after each measurement
	Skip  func(Skipped)            // called for each case that is left out
}

// Skipped is a case that was not run.
type Skipped struct {
	Name      string `json:"name"`
	Why       string `json:"why"`
	Needed    int64  `json:"needed_bytes,omitempty"`
	Available int64  `json:"available_bytes,omitempty"`
}

// Run measures the cases. Those that do not fit are skipped before anything is
// allocated for them.
func (r *Runner) Run(ctx context.Context, cases []Case) error {
	rig := NewRig(r.Backend, r.Threads)
	defer rig.Close()
	for i, c := range cases {
		skip, err := r.check(c)
		if err != nil {
			return err
		}
		if skip != nil {
			r.Skip(*skip)
			continue
		}
		r.Begin(i+1, c)
		if err := r.measure(ctx, rig, c); err != nil {
			return err
		}
	}
	return nil
}

// check returns why a case cannot be run here, or nil.
func (r *Runner) check(c Case) (*Skipped, error) {
	if c.cpu && r.Backend.Name() != "cpu" {
		return &Skipped{Name: c.Name, Why: "it measures the CPU, and the device is " + r.Backend.Device()}, nil
	}
	need, err := c.Bytes()
	if err != nil || r.Memory == 0 || need <= r.Memory {
		return nil, err
	}
	return &Skipped{
		Name: c.Name, Needed: need, Available: r.Memory,
		Why: fmt.Sprintf("it needs %d bytes of memory and %d are available", need, r.Memory),
	}, nil
}

func (r *Runner) measure(ctx context.Context, rig *Rig, c Case) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	work, err := rig.Prepare(c)
	if err != nil {
		return err
	}
	for range r.Count {
		result, err := Measure(ctx, work, r.Duration)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		result.Name = c.Name
		if err := r.Done(result); err != nil {
			return err
		}
	}
	return nil
}

// Header is what precedes the lines of a benchmark file.
type Header struct {
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	Pkg    string `json:"pkg"`
	CPU    string `json:"cpu,omitempty"`
	Device string `json:"device"`
}

// HeaderOf describes this machine and the backend. It holds nothing that differs
// between two runs to be compared: benchstat keeps such runs apart.
func HeaderOf(be kernel.Backend) Header {
	name, _ := sysinfo.Processor()
	return Header{runtime.GOOS, runtime.GOARCH, "splat/internal/bench", name, be.Name() + ", " + be.Device()}
}

// WriteTo writes the header in the format of Go's benchmarks.
func (h Header) WriteTo(w io.Writer) (int64, error) {
	cpu := ""
	if h.CPU != "" {
		cpu = "cpu: " + h.CPU + "\n"
	}
	n, err := fmt.Fprintf(w, "goos: %s\ngoarch: %s\npkg: %s\n%sdevice: %s\n", h.GOOS, h.GOARCH, h.Pkg, cpu, h.Device)
	return int64(n), err
}

// Line is the result as a line of Go's benchmarks, of a program with so many
// threads.
func (r Result) Line(threads int) string {
	name := "Benchmark" + r.Name
	if threads != 1 {
		name += "-" + strconv.Itoa(threads)
	}
	line := fmt.Sprintf("%s\t%8d\t%s ns/op", name, r.Runs, number(r.NsPerOp))
	for _, m := range r.Metrics {
		line += fmt.Sprintf("\t%s %s", number(m.Value), m.Unit)
	}
	return line
}

// number writes a value with about four digits, whole ones as they are.
func number(v float64) string {
	switch {
	case v == float64(int64(v)) || v >= 1000:
		return fmt.Sprintf("%12.0f", v)
	case v >= 100:
		return fmt.Sprintf("%12.1f", v)
	case v >= 10:
		return fmt.Sprintf("%12.2f", v)
	}
	return fmt.Sprintf("%12.4g", v)
}
