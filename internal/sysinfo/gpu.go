package sysinfo

import (
	"context"
	"io/fs"
	"strconv"
	"strings"
)

// GPU is what a graphics processor is doing at the moment. What is not told is 0, and
// -1 where 0 would be an answer.
type GPU struct {
	Name       string  `json:"name"`
	Source     string  `json:"source"`       // who told: "nvidia-smi" or "sysfs"
	Busy       float64 `json:"busy_percent"` // -1: unknown
	MHz        int     `json:"mhz,omitempty"`
	MaxMHz     int     `json:"max_mhz,omitempty"`
	MemoryMHz  int     `json:"memory_mhz,omitempty"`
	Celsius    float64 `json:"celsius,omitempty"`
	Watts      float64 `json:"watts,omitempty"`
	MemoryUsed uint64  `json:"memory_used_bytes,omitempty"`
	Memory     uint64  `json:"memory_bytes,omitempty"`
}

// ReadGPUs returns what the machine's GPUs are doing: what Linux tells in files, and
// NVIDIA's where nvidia-smi is on the path, which may take a second.
func ReadGPUs(ctx context.Context) []GPU {
	return append(cards(root), nvidia(ctx, smi)...)
}

// smiFields is what nvidia-smi is asked for, in the order of parseNVIDIA.
const smiFields = "name,utilization.gpu,clocks.sm,clocks.max.sm,clocks.mem,temperature.gpu,power.draw,memory.used,memory.total"

func nvidia(ctx context.Context, ask func(context.Context, ...string) string) []GPU {
	return parseNVIDIA(ask(ctx, "--query-gpu="+smiFields, "--format=csv,noheader,nounits"))
}

// parseNVIDIA reads a line a GPU; values that a GPU does not have are words in brackets.
func parseNVIDIA(out string) (list []GPU) {
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), ", ")
		if len(f) != len(strings.Split(smiFields, ",")) {
			continue
		}
		v := make([]float64, len(f))
		for i, word := range f {
			n, err := strconv.ParseFloat(word, 64)
			if err != nil || n < 0 || n > 1e9 {
				n = 0
				if i == 1 {
					n = -1
				}
			}
			v[i] = n
		}
		list = append(list, GPU{
			Name: f[0], Source: "nvidia-smi", Busy: v[1], MHz: int(v[2]), MaxMHz: int(v[3]), MemoryMHz: int(v[4]),
			Celsius: v[5], Watts: v[6], MemoryUsed: uint64(v[7]) << 20, Memory: uint64(v[8]) << 20,
		})
	}
	return list
}

// cards reads the drivers that tell in files: amdgpu, i915, xe.
func cards(root fs.FS) (list []GPU) {
	for _, dir := range find(root, "sys/class/drm/card[0-9]", "sys/class/drm/card[0-9][0-9]") {
		g := GPU{Source: "sysfs", Busy: -1, Name: driverOf(root, dir)}
		if n, err := strconv.ParseFloat(text(root, dir+"/device/gpu_busy_percent"), 64); err == nil && n >= 0 && n <= 100 {
			g.Busy = n
		}
		g.MHz = firstNumber(root, 1, dir+"/gt_act_freq_mhz", dir+"/gt/gt0/rps_act_freq_mhz", dir+"/device/tile0/gt0/freq0/act_freq")
		g.MaxMHz = firstNumber(root, 1, dir+"/gt_max_freq_mhz", dir+"/gt/gt0/rps_max_freq_mhz", dir+"/device/tile0/gt0/freq0/max_freq")
		for _, sensor := range find(root, dir+"/device/hwmon/hwmon*") {
			if g.MHz == 0 {
				g.MHz = firstNumber(root, 1_000_000, sensor+"/freq1_input")
			}
			g.Celsius = float64(number(root, sensor+"/temp1_input")) / 1000
			g.Watts = float64(number(root, sensor+"/power1_average")) / 1e6
		}
		g.MemoryUsed, g.Memory = number(root, dir+"/device/mem_info_vram_used"), number(root, dir+"/device/mem_info_vram_total")
		if g != (GPU{Source: "sysfs", Busy: -1, Name: g.Name}) {
			list = append(list, g)
		}
	}
	return list
}

// driverOf names a card by its driver and the number of the product.
func driverOf(root fs.FS, dir string) string {
	var driver, id string
	for line := range strings.Lines(text(root, dir+"/device/uevent")) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "DRIVER":
			driver = value
		case "PCI_ID":
			id = value
		}
	}
	return strings.TrimSpace(driver + " " + id)
}

// firstNumber is the first number that is there, divided.
func firstNumber(root fs.FS, by uint64, names ...string) int {
	for _, name := range names {
		if n := number(root, name); n > 0 {
			return int(n / by)
		}
	}
	return 0
}
