package pipeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
	"splat/internal/kernel/null"
)

// Growing with and without saved states leads to the buffers, and the step, of a
// pipeline that was made so.
func TestGrowIntoAndOutOfSavedStates(t *testing.T) {
	for _, saves := range []bool{false, true} {
		moved := stepAfterGrowth(t, !saves, saves)
		made := stepAfterGrowth(t, saves, saves)
		if diff := cmp.Diff(made, moved); diff != "" {
			t.Errorf("with saved states %v (-made +moved):\n%s", saves, diff)
		}
	}
}

// stepAfterGrowth makes a pipeline one way, grows it the other way and steps once.
func stepAfterGrowth(t *testing.T, made, then bool) []float32 {
	t.Helper()
	s := kerneltest.NewScene(3, 200, 40, 30, 1)
	s.Plan.Checkpoints = made
	be := cpu.New(cpu.Options{Reference: true})
	defer be.Close()
	pl, err := s.Build(be, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pl.Free()
	pl.SaveStates(then)
	if err := pl.GrowPairs(2 * pl.Plan.Pairs); err != nil {
		t.Fatal(err)
	}
	if (pl.Checkpoints != nil) != then {
		t.Errorf("checkpoints %v", pl.Checkpoints)
	}
	if err := be.Submit(pl.StepProgram, 1); err != nil {
		t.Fatal(err)
	}
	geom := make([]float32, pl.Geom.Len)
	if err := kernel.ReadSlice(be, pl.Geom, 0, geom); err != nil {
		t.Fatal(err)
	}
	return geom
}

// What a plan says of its saved states is what they take.
func TestCheckpointBytes(t *testing.T) {
	s := kerneltest.NewScene(3, 200, 40, 30, 1)
	var sizes [2]int64
	for i := range sizes {
		s.Plan.Checkpoints = i == 1
		be := null.New()
		pl, err := s.Build(be, nil)
		if err != nil {
			t.Fatal(err)
		}
		sizes[i] = be.Bytes()
		if i == 1 {
			sizes[i] -= pl.BucketTiles.Bytes()
		}
	}
	if got := s.Plan.CheckpointBytes(); got != sizes[1]-sizes[0] {
		t.Errorf("%d bytes, the buffers take %d", got, sizes[1]-sizes[0])
	}
}
