package kernel

import (
	"math"
	"testing"
)

func TestFoldGroupsCovers(t *testing.T) {
	const most = MaxGroups * MaxGroups // what two axes hold
	for _, n := range []uint32{0, 1, 2, 255, 256, MaxGroups - 1, MaxGroups, MaxGroups + 1, 2 * MaxGroups, 2*MaxGroups + 1,
		1 << 20, 16_777_216, 123_456_789, math.MaxInt32, most - 1, most} {
		x, y := FoldGroups(n)
		product := uint64(x) * uint64(y)
		if x > MaxGroups || y > MaxGroups || product < uint64(n) {
			t.Errorf("%d workgroups: %d x %d", n, x, y)
		}
		if product >= uint64(n)+uint64(max(y, 1)) {
			t.Errorf("%d workgroups: %d x %d leaves a row and more idle", n, x, y)
		}
	}
	if x, y := FoldGroups(MaxGroups); x != MaxGroups || y != 1 {
		t.Errorf("one axis is enough for %d, got %d x %d", MaxGroups, x, y)
	}
}

func TestSetCount(t *testing.T) {
	for slot := range NumCounts {
		for _, n := range []uint32{0, 1, 255, 256, 257, 100_000_000, math.MaxUint32} {
			if slot == CountTiles && n > MaxGroups*MaxGroups {
				continue // a workgroup a tile; no picture has four billion
			}
			counts, args := make([]uint32, NumCounts), make([]uint32, 3*NumWork)
			for i := range args {
				args[i] = 77
			}
			SetCount(counts, args, slot, n)
			for other, c := range counts {
				if want := map[bool]uint32{true: n}[other == slot]; c != want {
					t.Fatalf("slot %d set to %d: slot %d is %d", slot, n, other, c)
				}
			}
			checkArgs(t, args, slot, n)
		}
	}
}

// checkArgs checks the entries that follow from a slot and that others are as
// they were.
func checkArgs(t *testing.T, args []uint32, slot int, n uint32) {
	t.Helper()
	for w, job := range Jobs {
		x, y, z := args[3*w], args[3*w+1], args[3*w+2]
		if job.Count != slot {
			if x != 77 || y != 77 || z != 77 {
				t.Errorf("slot %d changed work %d", slot, w)
			}
			continue
		}
		groups := (uint64(n) + uint64(job.Per) - 1) / uint64(job.Per)
		if z != 1 || uint64(x)*uint64(y) < groups || n == 0 && x*y != 0 {
			t.Errorf("slot %d = %d, work %d: %d x %d x %d for %d workgroups", slot, n, w, x, y, z, groups)
		}
	}
}

func TestJobsAreComplete(t *testing.T) {
	for w, job := range Jobs {
		if job.Per <= 0 {
			t.Errorf("work %d has no elements per workgroup", w)
		}
		if job.Count < 0 || job.Count >= NumCounts {
			t.Errorf("work %d follows from count %d", w, job.Count)
		}
	}
	counts, args := make([]uint32, NumCounts), make([]uint32, 3*NumWork)
	SetCount(counts, args, CountTiles, 5_000_000)
	if got := args[3*WorkOnce : 3*WorkOnce+3]; got[0] != 1 || got[1] != 1 || got[2] != 1 {
		t.Errorf("work once: %v", got)
	}
}

func TestBlocks(t *testing.T) {
	for _, c := range [][3]int{{0, 16, 0}, {1, 16, 1}, {16, 16, 1}, {17, 16, 2}, {2048, 2048, 1}, {2049, 2048, 2}} {
		if got := Blocks(c[0], c[1]); got != c[2] {
			t.Errorf("%d by %d: %d blocks, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestCoefficients(t *testing.T) {
	for degree, want := range []int{1, 4, 9, 16} {
		if got := Coefficients(degree); got != want {
			t.Errorf("degree %d: %d", degree, got)
		}
	}
}
