package cpu

import (
	"bufio"
	"os"
	"runtime"
	"strings"
	"sync"
)

// ModelName returns the processor's name as the system tells it, or the
// architecture where it does not.
var ModelName = sync.OnceValue(func() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
})
