package sysinfo

import "golang.org/x/sys/unix"

// systemCPU fills in what the system tells when it is asked.
func systemCPU(c *CPU) {
	c.Name, _ = unix.Sysctl("machdep.cpu.brand_string")
	cores, _ := unix.SysctlUint32("hw.physicalcpu")
	logical, _ := unix.SysctlUint32("hw.logicalcpu")
	c.Cores, c.Logical = int(cores), int(logical)
}

// systemMemory returns the size of the main memory.
func systemMemory() uint64 {
	n, _ := unix.SysctlUint64("hw.memsize")
	return n
}
