package cli

import "golang.org/x/sys/unix"

// cpuModel returns the processor's name and its physical cores, "" and 0 where
// the system does not tell.
func cpuModel() (name string, cores int) {
	name, _ = unix.Sysctl("machdep.cpu.brand_string")
	n, _ := unix.SysctlUint32("hw.physicalcpu")
	return name, int(n)
}

// memoryBytes returns the size of the main memory, 0 where unknown.
func memoryBytes() uint64 {
	n, _ := unix.SysctlUint64("hw.memsize")
	return n
}
