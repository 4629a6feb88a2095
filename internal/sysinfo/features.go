package sysinfo

import (
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"
)

// Feature is an instruction set that matters to splat.
type Feature struct {
	Name    string
	Present bool // the processor and the system have it, whether or not it is turned off for this process
}

// features lists the instruction sets of this architecture. The Go runtime is asked
// too, but what GODEBUG turns off is missing there.
func features(root fs.FS) []Feature {
	flags := cpuFlags(text(root, "proc/cpuinfo"))
	has := func(name string, runtimeSays bool) Feature {
		return Feature{name, runtimeSays || slices.Contains(flags, name)}
	}
	switch runtime.GOARCH {
	case "amd64":
		return []Feature{
			has("avx2", cpu.X86.HasAVX2), has("fma", cpu.X86.HasFMA),
			has("avx512f", cpu.X86.HasAVX512F), has("f16c", cpu.X86.HasF16C),
		}
	case "arm64":
		neon := has("asimd", cpu.ARM64.HasASIMD)
		return []Feature{{"neon", neon.Present || runtime.GOOS == "darwin"}} // every Apple processor has it
	}
	return nil
}

// cpuFlags returns the flags of the first processor.
func cpuFlags(info string) []string {
	for line := range strings.Lines(info) {
		key, value, _ := strings.Cut(line, ":")
		if key = strings.TrimSpace(key); key == "flags" || key == "Features" {
			return strings.Fields(value)
		}
	}
	return nil
}
