package sysinfo

import "golang.org/x/sys/unix"

// Processor returns the processor's name and its physical cores, "" and 0 where
// the system does not tell.
func Processor() (name string, cores int) {
	name, _ = unix.Sysctl("machdep.cpu.brand_string")
	n, _ := unix.SysctlUint32("hw.physicalcpu")
	return name, int(n)
}

// Memory returns the size of the main memory, 0 where unknown.
func Memory() uint64 {
	n, _ := unix.SysctlUint64("hw.memsize")
	return n
}
