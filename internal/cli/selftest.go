package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"splat/internal/config"
	"splat/internal/kernel"
	"splat/internal/kernel/kerneltest"
)

// selfTest is the result of doctor --selftest.
type selfTest struct {
	OK      bool         `json:"ok"`
	Seconds float64      `json:"seconds"`
	Devices []deviceTest `json:"devices"`
}

// deviceTest is what the conformance suite says about one device.
type deviceTest struct {
	Device    string       `json:"device"` // as --device takes it
	Name      string       `json:"name"`
	OK        bool         `json:"ok"`
	Kernels   []kernelTest `json:"kernels"`
	Problems  []string     `json:"problems"` // what kept the suite from running
	SameBytes sameBytes    `json:"same_bytes"`
}

// kernelTest is one kernel against the reference. Error is the largest difference
// of an output, the one nearest to its tolerance, relative to the values compared.
type kernelTest struct {
	Kernel     string   `json:"kernel"`
	OK         bool     `json:"ok"`
	Dispatches int      `json:"dispatches"`
	Output     string   `json:"output,omitempty"` // absent: all outputs are equal
	Error      float64  `json:"error"`
	Tolerance  float64  `json:"tolerance"`
	Flips      int      `json:"flips"` // elements on the other side of a threshold
	Failed     int      `json:"failed"`
	Failures   []string `json:"failures,omitempty"`
}

// sameBytes is a small training run twice, on the CPU with different numbers of
// threads.
type sameBytes struct {
	OK        bool     `json:"ok"`
	Threads   []int    `json:"threads,omitempty"`
	Different []string `json:"different"` // buffers
}

// runSelfTest tests devices and prints what comes out.
func (a *app) runSelfTest(list []device, cfg config.Run) selfTest {
	start := time.Now()
	result := selfTest{OK: true}
	for _, d := range list {
		t := a.testDevice(d, threadsOf(cfg))
		a.printDeviceTest(&t)
		result.Devices = append(result.Devices, t)
		result.OK = result.OK && t.OK
	}
	result.Seconds = time.Since(start).Seconds()
	a.print("\nself-test %s in %.1f s", verdict(result.OK), result.Seconds)
	return result
}

// testDevice compares every kernel of a device with the reference, and a training
// with another: on the CPU, on one thread and on all of them, at least two.
func (a *app) testDevice(d device, threads int) deviceTest {
	t := deviceTest{Device: d.word, Kernels: []kernelTest{}, Problems: []string{}}
	t.SameBytes.Different = []string{}
	if d.threads {
		t.SameBytes.Threads = []int{1, max(threads, 2)}
	}
	fail := func(err error) {
		if err != nil {
			t.Problems = append(t.Problems, message(err))
		}
	}
	be, err := d.open(threads)
	if err != nil {
		fail(err)
		return t
	}
	t.Name = be.Device()
	report := kerneltest.Check(be, kerneltest.Options{Watch: a.watchScenario})
	be.Close()
	t.Problems = append(t.Problems, report.Problems...)
	for _, k := range report.Kernels {
		t.Kernels = append(t.Kernels, kernelTest{
			Kernel: k.Kernel, OK: k.Failed == 0, Dispatches: k.Dispatches, Output: k.Closest.Binding,
			Error: k.Closest.Error, Tolerance: k.Closest.Tolerance, Flips: k.Closest.Flips, Failed: k.Failed, Failures: k.Failures,
		})
	}
	fail(t.SameBytes.run(d))
	t.OK = report.OK() && t.SameBytes.OK
	return t
}

func (a *app) watchScenario(p kerneltest.Progress) {
	a.log.detail("self-test: scenario %d of %d, %s: %d dispatches, %s", p.Done, p.Of, p.Scenario, p.Dispatches, verdict(len(p.Failures) == 0))
}

// run trains twice and compares.
func (s *sameBytes) run(d device) error {
	var backends [2]kernel.Backend
	for i := range backends {
		threads := 0
		if s.Threads != nil {
			threads = s.Threads[i]
		}
		be, err := d.open(threads)
		if err != nil {
			return err
		}
		defer be.Close()
		backends[i] = be
	}
	different, err := kerneltest.SameBytes(backends[0], backends[1])
	s.Different = append(s.Different, different...)
	s.OK = err == nil && len(different) == 0
	return err
}

func verdict(ok bool) string {
	if ok {
		return "ok"
	}
	return "FAILED"
}

func (a *app) printDeviceTest(t *deviceTest) {
	a.print("\nSelf-test of %s, %s:", t.Device, t.Name)
	a.print("  %-26s %10s  %s", "kernel", "dispatches", "nearest to its tolerance")
	for i := range t.Kernels {
		k := &t.Kernels[i]
		a.print("  %-26s %10d  %-40s %s", k.Kernel, k.Dispatches, k.nearest(), verdict(k.OK))
		for _, f := range k.Failures {
			a.print("    in %s", f)
		}
	}
	for _, p := range t.Problems {
		a.print("  %s", p)
	}
	a.print("  %-78s  %s", t.SameBytes.claim(), verdict(t.SameBytes.OK))
	if len(t.SameBytes.Different) > 0 {
		a.print("    different: %s", join(t.SameBytes.Different, ", "))
	}
}

// claim is what is tested.
func (s *sameBytes) claim() string {
	if s.Threads == nil {
		return "a training twice gives the same bytes"
	}
	return fmt.Sprintf("a training on %s and on %d gives the same bytes", plural(s.Threads[0], "thread"), s.Threads[1])
}

// nearest says how near a kernel came to its tolerance.
func (k *kernelTest) nearest() string {
	text := "equal"
	if k.Output != "" {
		text = fmt.Sprintf("%s %.2g of %.2g", k.Output, k.Error, k.Tolerance)
	}
	if k.Flips > 0 {
		text += ", " + plural(k.Flips, "flip")
	}
	return text
}

// failure is the error of a self-test that failed, nil of one that did not.
func (s *selfTest) failure() error {
	var what []string
	for _, d := range s.Devices {
		if !d.OK {
			what = append(what, d.Device+": "+d.trouble())
		}
	}
	if len(what) == 0 {
		return nil
	}
	return errors.New("self-test failed on " + strings.Join(what, "; on "))
}

// trouble says in one line what is wrong with a device.
func (d *deviceTest) trouble() string {
	var parts, kernels []string
	for _, k := range d.Kernels {
		if !k.OK {
			kernels = append(kernels, k.Kernel)
		}
	}
	if len(kernels) > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s differ from the reference (%s)", len(kernels), plural(len(d.Kernels), "kernel"), join(kernels, ", ")))
	}
	if len(d.SameBytes.Different) > 0 {
		parts = append(parts, "two trainings with one seed differ")
	}
	return join(append(parts, d.Problems...), "; ")
}
