package sysinfo

import (
	"os"
	"strconv"
	"strings"
)

// Processor returns the processor's name and its physical cores, "" and 0 where
// the system does not tell.
func Processor() (name string, cores int) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "", 0
	}
	return parseCPUInfo(string(text))
}

// parseCPUInfo counts distinct pairs of package and core.
func parseCPUInfo(text string) (name string, cores int) {
	seen := map[[2]string]bool{}
	var at [2]string
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "model name":
			name = value
		case "physical id":
			at[0] = value
		case "core id":
			at[1] = value
			seen[at] = true
		}
	}
	return name, len(seen)
}

// Memory returns the size of the main memory, 0 where unknown.
func Memory() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	return parseMemInfo(string(text))
}

func parseMemInfo(text string) uint64 {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "MemTotal:" {
			kib, err := strconv.ParseUint(fields[1], 10, 54)
			if err == nil {
				return kib << 10
			}
		}
	}
	return 0
}
