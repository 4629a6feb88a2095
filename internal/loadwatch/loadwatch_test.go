package loadwatch

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"splat/internal/sysinfo"
)

// quiet is a machine that does nothing but this run: every look finds a second of the
// run's own processor time more, and others' as given.
func quiet(other time.Duration) machine {
	looks := 0
	return machine{
		load: func() (sysinfo.Load, bool) { return sysinfo.Load{One: 0.1}, true },
		busy: func() (sysinfo.Busy, bool) {
			return sysinfo.Busy{Busy: time.Duration(looks) * (time.Second + other)}, true
		},
		times: func() (sysinfo.Times, bool) {
			t := sysinfo.Times{User: time.Duration(looks) * time.Second}
			looks++
			return t, true
		},
		clock: func() (int, float64) { return 3000, 50 },
		bytes: func() uint64 { return 7 << 20 },
		gpus:  func(context.Context) []sysinfo.GPU { return []sysinfo.GPU{{Name: "G", Busy: 0, MHz: 1980}} },
		users: func(context.Context) []sysinfo.GPUUser { return nil },
		count: 8,
	}
}

// watched runs a watch over a moment, with the calibrations in milliseconds.
func watched(t *testing.T, m machine, calibrations ...float64) Record {
	t.Helper()
	var mu sync.Mutex
	told := map[string]float64{}
	w := start(t.Context(), m, func(name string, v float64) {
		mu.Lock()
		defer mu.Unlock()
		told[name] = v
	}, time.Hour)
	for i, ms := range calibrations {
		w.Calibrated("sort", i*100, time.Duration(ms*float64(time.Millisecond)))
	}
	for range 1000 { // the first reading is made beside us
		mu.Lock()
		n := len(told)
		mu.Unlock()
		if n >= 4 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	r := w.Stop()
	if told["clock of G, MHz"] != 1980 || told["CPU clock, MHz"] != 3000 || told["memory of this process, MiB"] != 7 {
		t.Errorf("was told %v", told)
	}
	return r
}

func TestAQuietMachine(t *testing.T) {
	r := watched(t, quiet(0), 10, 10.2, 10.4)
	if len(r.Notes) != 0 {
		t.Errorf("on a quiet machine: %q", r.Notes)
	}
	if *r.OtherCPU != 0 || *r.OwnCPU <= 0 || r.CPUMHz.Median != 3000 || r.GPUs[0].MHz.Max != 1980 || *r.GPUs[0].BusyBefore != 0 {
		t.Errorf("%+v", r)
	}
	if d := r.Calibration.Drift; d < 0.039 || d > 0.041 {
		t.Errorf("drift %v of 10 to 10.4 ms", d)
	}
	text := r.Text()
	for _, want := range []string{"no other load", "drift 4.0 %", "10.200 ms at step 100", "G: 1980 MHz"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	data, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(data), `"other_cpu":0`) {
		t.Errorf("%s, %v", data, err)
	}
}

// Whatever disturbs is said, and nothing else is.
func TestDisturbances(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*machine)
		ms     []float64
		want   string
	}{
		"others": {func(m *machine) { *m = quiet(time.Hour) }, nil, "other processes kept"},
		"users": {func(m *machine) {
			m.users = func(context.Context) []sysinfo.GPUUser { return []sysinfo.GPUUser{{PID: 7, Name: "python3"}} }
		}, nil, "had a GPU open: python3 (7)"},
		"busy": {func(m *machine) {
			m.gpus = func(context.Context) []sysinfo.GPU { return []sysinfo.GPU{{Name: "G", Busy: 80, MHz: 1980}} }
		}, nil, "G was 80 % busy before"},
		"drift": {func(*machine) {}, []float64{10, 10.1, 11}, "drifted by 10 %"},
	} {
		m := quiet(0)
		c.change(&m)
		r := watched(t, m, c.ms...)
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], c.want) {
			t.Errorf("%s: %q, expected %q", name, r.Notes, c.want)
		}
	}
}

// A system that tells nothing gives a record without values, not one of zeros.
func TestNothingIsKnown(t *testing.T) {
	m := machine{
		load: func() (l sysinfo.Load, ok bool) { return }, busy: func() (b sysinfo.Busy, ok bool) { return },
		times: func() (b sysinfo.Times, ok bool) { return }, clock: func() (mhz int, celsius float64) { return }, bytes: func() uint64 { return 0 },
		gpus: func(context.Context) (g []sysinfo.GPU) { return }, users: func(context.Context) (g []sysinfo.GPUUser) { return },
		count: 2,
	}
	r := start(t.Context(), m, nil, time.Hour).Stop()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, absent := range []string{"cpu", "load", "gpu", "calibration", "preempted", "notes"} {
		if strings.Contains(string(data), absent) {
			t.Errorf("%s in %s", absent, data)
		}
	}
}

// A glance at the real machine takes no time to speak of, and starts nothing.
func TestGlance(t *testing.T) {
	begin := time.Now()
	r := Glance(t.Context()).Stop()
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if r.Processors < 1 || r.Seconds < 0 || r.CPUMHz != nil {
		t.Errorf("%+v", r)
	}
}
