package sysinfo

import (
	"io/fs"
	"strconv"
	"strings"
)

// Memory returns how much memory this process can have at most: the machine's, or
// the limit of the container that it runs in where that is less. 0 is unknown.
func Memory() uint64 { return memory(root) }

// MachineMemory returns the size of the machine's memory, 0 where unknown.
func MachineMemory() uint64 { return machineMemory(root) }

// AvailableMemory returns how much memory this process can still have without
// anything being swapped or killed, 0 where unknown.
func AvailableMemory() uint64 { return availableMemory(root) }

func memory(root fs.FS) uint64 { return lesser(machineMemory(root), container(root).Memory) }

func machineMemory(root fs.FS) uint64 {
	if n := memInfo(root, "MemTotal"); n > 0 {
		return n
	}
	return systemMemory()
}

func availableMemory(root fs.FS) uint64 {
	free := memInfo(root, "MemAvailable")
	if c := container(root); c.Memory > 0 {
		free = lesser(free, max(c.Memory-min(c.Used, c.Memory), 1))
	}
	return free
}

// lesser is the smaller of two sizes of which 0 is none.
func lesser(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// memInfo returns a line of /proc/meminfo in bytes.
func memInfo(root fs.FS, key string) uint64 {
	for line := range strings.Lines(text(root, "proc/meminfo")) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == key+":" {
			kib, err := strconv.ParseUint(fields[1], 10, 54)
			if err == nil {
				return kib << 10
			}
		}
	}
	return 0
}
