package backend

import (
	"testing"

	"splat/internal/config"
	"splat/internal/fault"
)

func TestOpen(t *testing.T) {
	for device, want := range map[string]int{"auto": 0, "cpu": 0, "vulkan": 4, "vulkan:1": 4, "gpu": 2} {
		be, err := Open(config.Backend{Device: device, Threads: 1})
		if fault.ExitCode(err) != want {
			t.Errorf("%s: exit code %d, want %d (%v)", device, fault.ExitCode(err), want, err)
		}
		if err == nil {
			if be.Name() != "cpu" || be.Device() == "" {
				t.Errorf("%s: opened %s, %s", device, be.Name(), be.Device())
			}
			be.Close()
		}
	}
}
