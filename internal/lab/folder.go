package lab

import (
	"time"

	"splat/internal/config"
)

// NewFolder makes runs/<date>-<name> in the current folder, for what is no run but an
// experiment with several, with -2, -3, ... added where that name is taken.
func NewFolder(name string) (string, error) { return newDir(name, time.Now()) }

// Complete is an origin with what a run folder's has: version, configuration and seed.
func (o Origin) Complete(cfg config.Run) Origin {
	o.Version, o.Config, o.Seed = originVersion, config.Values(cfg), cfg.Train.Seed
	return o
}
