package train

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"splat/internal/checkpoint"
	"splat/internal/config"
	"splat/internal/fault"
)

// free are the keys, and sections, that may change at will between sessions of a
// run: what they decide is when it ends, what is told of it and where it runs.
// data.path is free because the capture itself is compared.
var free = []string{
	"train.stop_step", "train.time_limit", "train.log_every", "train.save_every", "eval.", "backend.", "output.", "data.path",
}

// bound are the keys, and sections, that are decided when a run begins.
var bound = []string{
	"data.", "strategy.name", "model.sh_degree", "model.antialiased", "model.init", "model.init_splats", "model.init_opacity", "model.init_scale",
}

// located is the configuration with the path of model.init as it is from any
// folder: a run may be gone on with from another one.
func located(cfg config.Run) config.Run {
	if abs, err := filepath.Abs(cfg.Model.Init); err == nil && cfg.Model.Init != "" {
		cfg.Model.Init = abs
	}
	return cfg
}

// asked is the configuration as it was given.
func (s *session) asked() config.Run {
	cfg := s.cfg
	cfg.Data.Alpha = s.alpha
	return cfg
}

func listed(list []string, key string) bool {
	return slices.ContainsFunc(list, func(k string) bool {
		return k == key || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k)
	})
}

// Fit compares the configuration with the one that a checkpoint was made with. It
// returns the changes that will show in the result, and an error of kind
// fault.Usage where something cannot be changed any more.
func Fit(h *checkpoint.Header, cfg config.Run) (changes []config.Change, err error) {
	var refused []string
	for _, c := range config.Compare(h.Config, located(cfg)) {
		switch {
		case listed(free, c.Key):
		case listed(bound, c.Key):
			refused = append(refused, c.String()+" (decided when the run began)")
		default:
			changes = append(changes, c)
		}
	}
	refused = append(refused, limits(h, cfg)...)
	if len(refused) > 0 {
		return nil, fault.Usagef("the configuration does not fit the run, which is at step %d with %d splats: %s", h.Step, h.Splats, strings.Join(refused, ", "))
	}
	return changes, nil
}

// limits lists what the run has already passed.
func limits(h *checkpoint.Header, cfg config.Run) (list []string) {
	below := func(key string, limit, have int) {
		if limit < have {
			list = append(list, fmt.Sprintf("%s %s -> %d (below %d)", key, h.Config[key], limit, have))
		}
	}
	below("model.max_splats", cfg.Model.MaxSplats, h.Splats)
	below("train.steps", cfg.Train.Steps, h.Step)
	if cfg.Train.StopStep > 0 {
		below("train.stop_step", cfg.Train.StopStep, h.Step)
	}
	return list
}

func changesText(changes []config.Change) string {
	var words []string
	for _, c := range changes {
		words = append(words, c.String())
	}
	return strings.Join(words, ", ")
}
