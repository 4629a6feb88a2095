package bench

import (
	"slices"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
)

// The calibration does what it says, the same each time, and notices slower work.
func TestCalibration(t *testing.T) {
	be := cpu.New(cpu.Options{Threads: 2})
	defer be.Close()
	c, err := NewCalibration(be)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	took, err := c.Run()
	if err != nil || took <= 0 {
		t.Fatalf("a run took %v: %v", took, err)
	}
	keys, sorted := make([]uint32, calibrationKeys), make([]uint32, calibrationKeys)
	for name, out := range map[string][]uint32{"calibration keys": keys, "calibration sorted keys": sorted} {
		i := slices.IndexFunc(c.buffers, func(b *kernel.Buffer) bool { return b.Name == name })
		if err := kernel.ReadSlice(be, c.buffers[i], 0, out); err != nil {
			t.Fatal(err)
		}
	}
	if keys[1] != kernel.Hash(1, 0, 1) {
		t.Error("the keys have changed")
	}
	slices.SortStableFunc(keys, func(a, b uint32) int { return int(a&255) - int(b&255) })
	if !slices.Equal(keys, sorted) {
		t.Error("the keys are not sorted by their low digit")
	}
}
