package sysinfo

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// CPU is the machine's processor, whatever part of it this process may use.
type CPU struct {
	Name     string
	Cores    int // physical
	Logical  int
	MHz      int // of the first core, at the moment
	MaxMHz   int
	Governor string  // what sets the clock
	Celsius  float64 // temperature of the package
	Caches   []Cache // as the first core sees them
	Features []Feature
}

// Cache is one cache of the processor.
type Cache struct {
	Level  int
	Kind   string // "data", "instruction", "unified"
	Bytes  uint64
	Shared int // logical processors that share it
}

// Processor returns the processor's name and its physical cores.
func Processor() (name string, cores int) {
	c := processor(root)
	return c.Name, c.Cores
}

// ReadCPU returns all that is known of the processor.
func ReadCPU() CPU {
	c := processor(root)
	c.readClock(root)
	c.Celsius = temperature(root)
	c.Caches = caches(root)
	c.Features = features(root)
	return c
}

// ReadClock returns the processor's clock and temperature at the moment, 0 where they
// are unknown. It takes less than ReadCPU.
func ReadClock() (mhz int, celsius float64) {
	var c CPU
	c.readClock(root)
	return c.MHz, temperature(root)
}

func processor(root fs.FS) CPU {
	c := parseCPUInfo(text(root, "proc/cpuinfo"))
	if c.Cores == 0 {
		c.Cores = topology(root)
	}
	if c.Name == "" {
		c.Name = strings.TrimRight(text(root, "proc/device-tree/model"), "\x00") // boards with an ARM processor
	}
	systemCPU(&c)
	return c
}

// parseCPUInfo counts processors, and distinct pairs of package and core.
func parseCPUInfo(info string) (c CPU) {
	seen := map[[2]string]bool{}
	var at [2]string
	for line := range strings.Lines(info) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "processor":
			c.Logical++
		case "model name":
			c.Name = value
		case "physical id":
			at[0] = value
		case "core id":
			at[1] = value
			seen[at] = true
		}
	}
	c.Cores = len(seen)
	return c
}

const cpus = "sys/devices/system/cpu/"

// topology counts distinct pairs of package and core in another place.
func topology(root fs.FS) int {
	seen := map[[2]string]bool{}
	for _, dir := range find(root, cpus+"cpu[0-9]*/topology") {
		seen[[2]string{text(root, dir+"/physical_package_id"), text(root, dir+"/core_id")}] = true
	}
	return len(seen)
}

func caches(root fs.FS) (list []Cache) {
	for _, dir := range find(root, cpus+"cpu0/cache/index*") {
		c := Cache{
			Level: int(number(root, dir+"/level")), Kind: strings.ToLower(text(root, dir+"/type")),
			Bytes: parseSize(text(root, dir+"/size")), Shared: countList(text(root, dir+"/shared_cpu_list")),
		}
		if c.Level > 0 && c.Bytes > 0 {
			list = append(list, c)
		}
	}
	return list
}

// parseSize reads a size such as 32K.
func parseSize(s string) uint64 {
	shift := 0
	for i, unit := range []string{"K", "M", "G"} {
		if rest, ok := strings.CutSuffix(s, unit); ok {
			s, shift = rest, 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0
	}
	return n << shift
}

// countList counts the members of a list such as 0-3,8.
func countList(s string) (n int) {
	for part := range strings.SplitSeq(s, ",") {
		var from, to int
		switch got, _ := fmt.Sscanf(part, "%d-%d", &from, &to); got {
		case 1:
			n++
		case 2:
			n += max(to-from+1, 0)
		}
	}
	return n
}

// readClock reads the clock and what sets it.
func (c *CPU) readClock(root fs.FS) {
	const dir = cpus + "cpu0/cpufreq/"
	c.MHz = int(number(root, dir+"scaling_cur_freq") / 1000)
	c.MaxMHz = int(number(root, dir+"cpuinfo_max_freq") / 1000)
	c.Governor = text(root, dir+"scaling_governor")
	for line := range strings.Lines(text(root, "proc/cpuinfo")) {
		if key, value, _ := strings.Cut(line, ":"); c.MHz == 0 && strings.TrimSpace(key) == "cpu MHz" {
			mhz, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
			c.MHz = int(mhz)
		}
	}
}

// sensors are the drivers and zones that measure processors.
var sensors = []string{"coretemp", "k10temp", "zenpower", "cpu_thermal", "x86_pkg_temp", "cpu-thermal", "soc_thermal"}

// temperature returns what the first sensor of a processor measures.
func temperature(root fs.FS) float64 {
	for _, place := range []struct{ pattern, value string }{
		{"sys/class/hwmon/hwmon*/name", "temp1_input"},
		{"sys/class/thermal/thermal_zone*/type", "temp"},
	} {
		for _, name := range find(root, place.pattern) {
			dir := name[:strings.LastIndex(name, "/")+1]
			if t := number(root, dir+place.value); t > 0 && slices.Contains(sensors, text(root, name)) {
				return float64(t) / 1000
			}
		}
	}
	return 0
}
