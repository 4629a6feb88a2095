// Package loadwatch records what else a machine was doing while a run was measured: the load
// of its processors, other users of its GPUs, clocks and temperatures, and the times of
// a calibration kernel. A measurement that was taken beside other work is worth little,
// and nothing in the measurement itself shows it.
package loadwatch

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"splat/internal/sysinfo"
)

// Record is what was found, as it is kept with the result of a run.
type Record struct {
	Processors int      `json:"processors"` // logical ones of the machine
	Seconds    float64  `json:"seconds"`    // between the first look and the last
	LoadBefore *float64 `json:"load_before,omitempty"`
	LoadAfter  *float64 `json:"load_after,omitempty"` // averages over a minute; this run is part of the second
	// OwnCPU and OtherCPU are how many processors this process and all others kept busy on average.
	OwnCPU    *float64 `json:"own_cpu,omitempty"`
	OtherCPU  *float64 `json:"other_cpu,omitempty"`
	Preempted *int64   `json:"preempted,omitempty"` // times that a thread of this process was made to yield

	CPUMHz     *Range            `json:"cpu_mhz,omitempty"`
	CPUCelsius *Range            `json:"cpu_celsius,omitempty"`
	GPUs       []GPU             `json:"gpus,omitempty"`
	GPUUsers   []sysinfo.GPUUser `json:"gpu_users,omitempty"` // other processes that were seen with a GPU open
	// Calibration is the time of one and the same work through the run.
	Calibration *Calibration `json:"calibration,omitempty"`
	// Notes say in words what speaks against the measurement; none: nothing was found.
	Notes []string `json:"notes,omitempty"`
}

// Range is the lowest, median and highest of what was read during the run.
type Range struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// GPU is what was read of one GPU.
type GPU struct {
	Name       string   `json:"name"`
	Source     string   `json:"source"`
	BusyBefore *float64 `json:"busy_percent_before,omitempty"` // when this run had not begun
	MHz        *Range   `json:"mhz,omitempty"`
	MemoryMHz  *Range   `json:"memory_mhz,omitempty"`
	Celsius    *Range   `json:"celsius,omitempty"`
	Watts      *Range   `json:"watts,omitempty"`
}

// Calibration is the times of the calibration kernel.
type Calibration struct {
	Work   string  `json:"work"`
	Points []Point `json:"points"`
	Drift  float64 `json:"drift"` // of the slowest over the fastest, as a fraction
}

// Point is one calibration.
type Point struct {
	Step int     `json:"step"` // of the run, when it was done
	MS   float64 `json:"ms"`
}

// DriftLimit is how far calibrations may lie apart before it is said.
const DriftLimit = 0.05

// Watch looks at the machine from Start to Stop.
type Watch struct {
	machine machine
	start   time.Time
	began   snapshot

	mu          sync.Mutex
	cpuMHz      []float64
	cpuCelsius  []float64
	gpus        []gpuReadings
	users       []sysinfo.GPUUser
	work        string
	points      []Point
	cancelled   context.CancelFunc
	samplerDone chan struct{}
}

// machine is where readings come from.
type machine struct {
	load  func() (sysinfo.Load, bool)
	busy  func() (sysinfo.Busy, bool)
	times func() (sysinfo.Times, bool)
	clock func() (mhz int, celsius float64)
	bytes func() uint64 // in memory, of this process
	gpus  func(context.Context) []sysinfo.GPU
	users func(context.Context) []sysinfo.GPUUser
	count int // of logical processors
}

func thisMachine() machine {
	return machine{
		load: sysinfo.ReadLoad, busy: sysinfo.ReadBusy, times: sysinfo.ProcessTimes, clock: sysinfo.ReadClock,
		bytes: sysinfo.ResidentBytes, gpus: sysinfo.ReadGPUs, users: sysinfo.GPUUsers, count: max(sysinfo.ReadCPU().Logical, runtime.NumCPU()),
	}
}

// snapshot is what the counters of the system said at one moment.
type snapshot struct {
	at        time.Time
	load      sysinfo.Load
	busy      sysinfo.Busy
	times     sysinfo.Times
	knowsLoad bool
	knowsBusy bool
	knowsOwn  bool
}

func (m machine) look() snapshot {
	s := snapshot{at: time.Now()}
	s.load, s.knowsLoad = m.load()
	s.busy, s.knowsBusy = m.busy()
	s.times, s.knowsOwn = m.times()
	return s
}

// gpuReadings are what was read of one GPU.
type gpuReadings struct {
	name, source                   string
	before                         float64 // busy; -1 unknown
	mhz, memoryMHz, celsius, watts []float64
}

// SamplePause is the time between two readings of the processor's clock and temperature;
// GPUs are asked every fourth time, which may take another program.
const SamplePause = 500 * time.Millisecond

const gpuEvery = 4

// Start looks at the machine before the run touches its device, and goes on reading
// clocks and temperatures until Stop, with other programs' help (nvidia-smi) where there
// is some. Each reading is passed to told, which may be nil: the name of a value, and
// the value.
func Start(ctx context.Context, told func(name string, value float64)) *Watch {
	return start(ctx, thisMachine(), told, SamplePause)
}

// Glance is Start for runs that nobody measures: it looks at the system's counters
// before and after, which takes milliseconds, and reads nothing in between.
func Glance(ctx context.Context) *Watch {
	m := thisMachine()
	m.gpus = func(context.Context) []sysinfo.GPU { return nil }
	m.users = func(context.Context) []sysinfo.GPUUser { return sysinfo.GPUOpeners() }
	return start(ctx, m, nil, 0)
}

func start(ctx context.Context, m machine, told func(string, float64), pause time.Duration) *Watch {
	w := &Watch{machine: m, samplerDone: make(chan struct{})}
	ctx, w.cancelled = context.WithCancel(ctx)
	w.users = m.users(ctx)
	for _, g := range m.gpus(ctx) {
		w.gpus = append(w.gpus, gpuReadings{name: g.Name, source: g.Source, before: g.Busy})
	}
	w.began = m.look()
	go func() {
		defer close(w.samplerDone)
		if pause > 0 {
			w.sample(ctx, told, pause)
		}
	}()
	return w
}

// sample reads clocks and temperatures now and then.
func (w *Watch) sample(ctx context.Context, told func(string, float64), pause time.Duration) {
	if told == nil {
		told = func(string, float64) {}
	}
	turn := time.NewTicker(pause)
	defer turn.Stop()
	for n := 0; ; n++ {
		w.readProcessor(told)
		if n%gpuEvery == 0 && len(w.gpus) > 0 {
			w.readGPUs(ctx, told)
		}
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
	}
}

func (w *Watch) readProcessor(told func(string, float64)) {
	mhz, celsius := w.machine.clock()
	if n := w.machine.bytes(); n > 0 {
		told("memory of this process, MiB", float64(n>>20))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	keep(&w.cpuMHz, "CPU clock, MHz", float64(mhz), told)
	keep(&w.cpuCelsius, "CPU temperature, degrees C", celsius, told)
}

func (w *Watch) readGPUs(ctx context.Context, told func(string, float64)) {
	gpus := w.machine.gpus(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(gpus) != len(w.gpus) {
		return
	}
	for i, g := range gpus {
		r := &w.gpus[i]
		keep(&r.mhz, "clock of "+g.Name+", MHz", float64(g.MHz), told)
		keep(&r.memoryMHz, "memory clock of "+g.Name+", MHz", float64(g.MemoryMHz), told)
		keep(&r.celsius, "temperature of "+g.Name+", degrees C", g.Celsius, told)
		keep(&r.watts, "power of "+g.Name+", W", g.Watts, told)
		if g.MemoryUsed > 0 {
			told("memory used of "+g.Name+", MiB", float64(g.MemoryUsed>>20))
		}
	}
}

// keep adds a reading, where there is one.
func keep(list *[]float64, name string, v float64, told func(string, float64)) {
	if v > 0 {
		*list = append(*list, v)
		told(name, v)
	}
}

// Calibrated notes how long the calibration kernel took after a step of the run.
func (w *Watch) Calibrated(work string, step int, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.work = work
	w.points = append(w.points, Point{step, took.Seconds() * 1000})
}

// Stop looks once more and returns what was found.
func (w *Watch) Stop() Record {
	w.cancelled()
	<-w.samplerDone
	end := w.machine.look()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for _, u := range w.machine.users(ctx) {
		if !slices.ContainsFunc(w.users, func(v sysinfo.GPUUser) bool { return v.PID == u.PID }) {
			w.users = append(w.users, u)
		}
	}
	r := w.record(end)
	r.Notes = r.notes()
	return r
}

func (w *Watch) record(end snapshot) Record {
	r := Record{Processors: w.machine.count, GPUUsers: w.users}
	wall := end.at.Sub(w.began.at)
	r.Seconds = wall.Seconds()
	if w.began.knowsLoad && end.knowsLoad {
		r.LoadBefore, r.LoadAfter = &w.began.load.One, &end.load.One
	}
	if w.began.knowsOwn && end.knowsOwn {
		own := end.times.Sub(w.began.times)
		r.OwnCPU, r.Preempted = share(own.CPU(), wall), &own.Preempted
		if w.began.knowsBusy && end.knowsBusy {
			r.OtherCPU = share(max(end.busy.Busy-w.began.busy.Busy-own.CPU(), 0), wall)
		}
	}
	r.CPUMHz, r.CPUCelsius = rangeOf(w.cpuMHz), rangeOf(w.cpuCelsius)
	for _, g := range w.gpus {
		out := GPU{Name: g.name, Source: g.source, MHz: rangeOf(g.mhz), MemoryMHz: rangeOf(g.memoryMHz), Celsius: rangeOf(g.celsius), Watts: rangeOf(g.watts)}
		if g.before >= 0 {
			out.BusyBefore = &g.before
		}
		r.GPUs = append(r.GPUs, out)
	}
	if len(w.points) > 0 {
		r.Calibration = &Calibration{Work: w.work, Points: w.points, Drift: drift(w.points)}
	}
	return r
}

func share(part, whole time.Duration) *float64 {
	v := part.Seconds() / max(whole.Seconds(), 1e-9)
	return &v
}

// drift is how much slower the slowest calibration is than the fastest.
func drift(points []Point) float64 {
	low, high := math.Inf(1), 0.0
	for _, p := range points {
		low, high = min(low, p.MS), max(high, p.MS)
	}
	if low <= 0 || math.IsInf(low, 1) {
		return 0
	}
	return high/low - 1
}

// rangeOf is nil where nothing was read.
func rangeOf(list []float64) *Range {
	if len(list) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(list))
	return &Range{sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]}
}
