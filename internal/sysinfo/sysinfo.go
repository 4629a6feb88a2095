// Package sysinfo asks the system what the machine has: processor, memory, what
// the process used of it.
package sysinfo
