package cpu_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
)

// TestMcmcSampleFindsTheShare draws from weights so small that every value of the
// scan occurs: value 0 belongs to the first splat with a weight, and a splat
// without one is never drawn.
func TestMcmcSampleFindsTheShare(t *testing.T) {
	weights := []uint32{0, 1, 0, 0, 1, 2, 0}
	owner := []uint32{1, 4, 5, 5} // of each value below the total
	const draws = 200
	for round := range uint32(2) {
		r := newRig(t, cpu.Options{Checked: true})
		offsets, total := naiveScan(weights, false)
		picks, drawn := r.buffer("picks", kernel.U32, draws), r.buffer("drawn", kernel.U32, len(weights))
		r.kernel(kernel.McmcSample, 1, kernel.Args{
			"refine": newRecord(r, "refine", "Refine", kernel.Refine{Seed: 99}),
			"counts": r.counts(map[int]uint32{
				kernel.CountSplats: uint32(len(weights)), kernel.CountWeight: uint32(total), kernel.CountDraws: draws,
			}),
			"offsets": r.words("offsets", offsets...), "picks": picks, "drawn": drawn,
		}, round)
		want, counted, values := make([]uint32, draws), make([]uint32, len(weights)), map[uint32]bool{}
		for j := range want {
			at := kernel.Below(kernel.Hash(kernel.Hash(99, kernel.StreamSample, round), uint32(j), 0), uint32(total))
			values[at] = true
			want[j] = owner[at]
			counted[want[j]]++
		}
		if len(values) != len(owner) {
			t.Fatalf("only %d values occur", len(values))
		}
		if d := cmp.Diff(want, r.readWords(picks, draws)); d != "" {
			t.Errorf("round %d: picks (-want +got):\n%s", round, d)
		}
		if d := cmp.Diff(counted, r.readWords(drawn, len(weights))); d != "" {
			t.Errorf("round %d: counts (-want +got):\n%s", round, d)
		}
	}
}
