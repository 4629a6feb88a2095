package cli

import (
	"runtime"
	"slices"
	"strings"

	"splat/internal/sysinfo"
	"splat/internal/vec"
)

// processorInfo is the machine's processor; usable is what this process may run on.
type processorInfo struct {
	Name     string        `json:"name"`
	Cores    int           `json:"cores,omitempty"`
	Logical  int           `json:"logical"`
	Usable   int           `json:"usable"`
	MHz      int           `json:"mhz,omitempty"`
	MaxMHz   int           `json:"max_mhz,omitempty"`
	Governor string        `json:"governor,omitempty"`
	Celsius  float64       `json:"celsius,omitempty"`
	Caches   []cacheInfo   `json:"caches,omitempty"`
	Features []featureInfo `json:"features"`
}

type cacheInfo struct {
	Level  int    `json:"level"`
	Kind   string `json:"kind"`
	Bytes  uint64 `json:"bytes"`
	Shared int    `json:"shared_by"` // logical processors
}

type featureInfo struct {
	Name    string `json:"name"`
	Present bool   `json:"present"`
	Used    bool   `json:"used"`
}

// pathInfo is the instruction path of the CPU backend; results are bit-identical on
// the same path.
type pathInfo struct {
	Path    string   `json:"path"`
	Why     string   `json:"why"`
	Choices []string `json:"choices"`
}

type memoryInfo struct {
	Machine   uint64 `json:"machine_bytes,omitempty"`
	Usable    uint64 `json:"usable_bytes,omitempty"` // by this process; the CPU backend's limit
	Available uint64 `json:"available_bytes,omitempty"`
}

// containerInfo is what the control groups of this process limit.
type containerInfo struct {
	CPUs   float64 `json:"cpus,omitempty"`
	Memory uint64  `json:"memory_bytes,omitempty"`
}

type loadInfo struct {
	One     float64 `json:"minutes_1"`
	Five    float64 `json:"minutes_5"`
	Fifteen float64 `json:"minutes_15"`
	Busy    bool    `json:"busy"`
}

func processor(cpu sysinfo.CPU, path string) processorInfo {
	p := processorInfo{
		Name: cpu.Name, Cores: cpu.Cores, Logical: cpu.Logical, Usable: runtime.NumCPU(),
		MHz: cpu.MHz, MaxMHz: cpu.MaxMHz, Governor: cpu.Governor, Celsius: cpu.Celsius, Features: []featureInfo{},
	}
	if p.Name == "" {
		p.Name = "unknown"
	}
	for _, c := range cpu.Caches {
		p.Caches = append(p.Caches, cacheInfo(c))
	}
	for _, f := range cpu.Features {
		p.Features = append(p.Features, featureInfo{f.Name, f.Present, slices.Contains(strings.Split(path, "+"), f.Name)})
	}
	return p
}

func instructionPath(features []sysinfo.Feature, godebug string) pathInfo {
	p := pathInfo{Path: vec.Path(), Choices: []string{vec.PathGo}}
	if runtime.GOARCH == "amd64" {
		p.Choices = []string{vec.PathAVX2, vec.PathGo}
	}
	p.Why = explainPath(p.Path, runtime.GOARCH, features, godebug)
	return p
}

func memory() memoryInfo {
	return memoryInfo{sysinfo.MachineMemory(), sysinfo.Memory(), sysinfo.AvailableMemory()}
}

func container() *containerInfo {
	c := sysinfo.ReadContainer()
	if c.CPUs == 0 && c.Memory == 0 {
		return nil
	}
	return &containerInfo{c.CPUs, c.Memory}
}

// load reports how busy the machine is: a quarter of its processors is enough to
// make measurements doubtful.
func load() *loadInfo {
	l, ok := sysinfo.ReadLoad()
	if !ok {
		return nil
	}
	return &loadInfo{l.One, l.Five, l.Fifteen, l.One > max(0.5, float64(runtime.NumCPU())/4)}
}
