package compare

import (
	"context"
	"sync"
	"time"

	"splat/internal/sysinfo"
)

// GPU is how busy one GPU was while a trainer ran, whoever used it.
type GPU struct {
	Name    string  `json:"name"`
	Source  string  `json:"source"` // who told: "nvidia-smi" or "sysfs"
	Mean    float64 `json:"busy_percent"`
	Max     float64 `json:"busy_percent_max"`
	Samples int     `json:"samples"`
	Memory  uint64  `json:"memory_used_bytes_max,omitempty"` // of all programs together
}

// samplePause is the time between two readings.
const samplePause = time.Second

// Watch reads how busy the GPUs are until Stop.
type Watch struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	seen   []sysinfo.GPU // at the start
	gpus   []GPU
}

// WatchGPUs begins to read.
func WatchGPUs() *Watch { return watch(sysinfo.ReadGPUs, samplePause) }

func watch(read func(context.Context) []sysinfo.GPU, pause time.Duration) *Watch {
	ctx, cancel := context.WithCancel(context.Background())
	w := &Watch{cancel: cancel, seen: read(ctx)}
	for _, g := range w.seen {
		w.gpus = append(w.gpus, GPU{Name: g.Name, Source: g.Source})
	}
	if len(w.seen) == 0 {
		return w
	}
	w.done.Go(func() {
		turn := time.NewTicker(pause)
		defer turn.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-turn.C:
			}
			if now := read(ctx); len(now) == len(w.gpus) && ctx.Err() == nil {
				w.add(now)
			}
		}
	})
	return w
}

// add adds a reading.
func (w *Watch) add(now []sysinfo.GPU) {
	for i, g := range now {
		sum := &w.gpus[i]
		sum.Memory = max(sum.Memory, g.MemoryUsed)
		if g.Busy < 0 {
			continue
		}
		sum.Mean = (sum.Mean*float64(sum.Samples) + g.Busy) / float64(sum.Samples+1)
		sum.Max = max(sum.Max, g.Busy)
		sum.Samples++
	}
}

// Stop ends the reading. It returns the GPUs that told how busy they were, and, where
// none did, why there is nothing to tell.
func (w *Watch) Stop() (list []GPU, why string) {
	w.cancel()
	w.done.Wait()
	if len(w.seen) == 0 {
		return nil, "not readable: no nvidia-smi on the PATH, and no driver that tells in files"
	}
	told := false
	for i, g := range w.gpus {
		told = told || w.seen[i].Busy >= 0
		if g.Samples > 0 {
			list = append(list, g)
		}
	}
	switch {
	case len(list) > 0:
		return list, ""
	case told:
		return nil, "too short to be read"
	}
	return nil, "not readable: the driver does not tell"
}
