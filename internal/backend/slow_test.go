package backend

import (
	"strings"
	"testing"

	"splat/internal/config"
	"splat/internal/fault"
	"splat/internal/kernel"
	"splat/internal/kernel/null"
)

func TestSlowRepeatsOneKernel(t *testing.T) {
	be, err := withSlow(config.Backend{Slow: "rasterize*3"}, null.New())
	if err != nil {
		t.Fatal(err)
	}
	r := &kernel.Recording{Name: "test", Dispatches: []kernel.Dispatch{{Kernel: kernel.Loss}, {Kernel: kernel.Rasterize}, {Kernel: kernel.LossGradient}}}
	p, err := be.Compile(r)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range p.Recording().Dispatches {
		names = append(names, d.Kernel.Name)
	}
	if got := strings.Join(names, " "); got != "loss rasterize rasterize rasterize loss_gradient" {
		t.Errorf("found %s", got)
	}
	if len(r.Dispatches) != 3 {
		t.Error("the caller's recording was changed")
	}
}

func TestSlowRefusesWhatItWouldChange(t *testing.T) {
	for slow, want := range map[string]string{
		"update":        "does not read what it writes", // its moments are read and written
		"nothing":       "does not read what it writes",
		"rasterize*0":   "expected 1 to 100",
		"rasterize*two": "expected 1 to 100",
	} {
		if _, err := Open(config.Backend{Device: "cpu", Slow: slow}); fault.ExitCode(err) != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, expected %q", slow, err, want)
		}
	}
	be, err := Open(config.Backend{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer be.Close()
	if _, is := be.(*slowed); is {
		t.Error("a backend is slowed that nobody asked to")
	}
}
