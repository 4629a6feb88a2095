package cli

import (
	"splat/internal/backend"
	"splat/internal/config"
)

// instructions names the instruction path of the CPU backend; results are
// bit-identical on the same path.
const instructions = "go"

// noVulkan says why there is no GPU.
const noVulkan = "not built in"

// chooseDevice checks that the configured device exists and returns a line that
// says which one is used and why.
func chooseDevice(cfg config.Run) (string, error) {
	be, err := backend.Open(cfg.Backend)
	if err != nil {
		return "", err
	}
	defer be.Close()
	line := "device: " + be.Name() + ", " + be.Device()
	if cfg.Backend.Device == "auto" {
		line += "; auto, since this build has no GPU backend"
	}
	return line, nil
}
