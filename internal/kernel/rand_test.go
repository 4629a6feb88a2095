package kernel

import (
	"math"
	"math/bits"
	"slices"
	"testing"
)

// epoch lists the views of one epoch.
func epoch(seed, n, number uint32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = ViewAt(seed, number*n+uint32(i), n)
	}
	return out
}

func TestViewAtVisitsEveryViewOnceAnEpoch(t *testing.T) {
	for n := uint32(1); n <= 300; n++ {
		for _, seed := range []uint32{0, 7, 0xFFFFFFFF} {
			for number := range uint32(3) {
				seen := make([]bool, n)
				for _, v := range epoch(seed, n, number) {
					if v >= n || seen[v] {
						t.Fatalf("seed %d, %d views, epoch %d: view %d twice or out of range", seed, n, number, v)
					}
					seen[v] = true
				}
			}
		}
	}
	if ViewAt(1, 5, 0) != 0 {
		t.Error("no views: not 0")
	}
}

func TestViewAtDependsOnSeedAndEpoch(t *testing.T) {
	for _, n := range []uint32{10, 16, 17, 100, 257, 5000} {
		first := epoch(1, n, 0)
		if slices.Equal(first, epoch(1, n, 1)) {
			t.Errorf("%d views: epochs 0 and 1 are alike", n)
		}
		if slices.Equal(first, epoch(2, n, 0)) {
			t.Errorf("%d views: seeds 1 and 2 are alike", n)
		}
		if slices.IsSorted(first) {
			t.Errorf("%d views: in order", n)
		}
		if !slices.Equal(first, epoch(1, n, 0)) {
			t.Errorf("%d views: not a function", n)
		}
	}
}

// TestViewAtSpreads compares with a random permutation: neighbours are n/3 apart
// on average, and every view comes first about equally often.
func TestViewAtSpreads(t *testing.T) {
	const n = 100
	var distance float64
	firsts := make([]int, n)
	const epochs = 4000
	for number := range uint32(epochs) {
		e := epoch(3, n, number)
		firsts[e[0]]++
		for i := 1; i < n; i++ {
			distance += math.Abs(float64(e[i]) - float64(e[i-1]))
		}
	}
	mean := distance / (epochs * (n - 1))
	if mean < 0.9*n/3 || mean > 1.1*n/3 {
		t.Errorf("neighbours are %.1f apart, a random order has %.1f", mean, n/3.)
	}
	if x := chiSquare(firsts); x > limit(n-1) {
		t.Errorf("first views are not uniform: chi-square %.0f for %d degrees of freedom", x, n-1)
	}
}

// chiSquare of counts against equal ones.
func chiSquare(counts []int) (x float64) {
	var total int
	for _, c := range counts {
		total += c
	}
	mean := float64(total) / float64(len(counts))
	for _, c := range counts {
		x += (float64(c) - mean) * (float64(c) - mean) / mean
	}
	return x
}

// limit is what chi-square of that many degrees of freedom exceeds less than once
// in ten thousand samples (normal approximation, four deviations).
func limit(degrees int) float64 { return float64(degrees) + 4*math.Sqrt(2*float64(degrees)) }

func TestHashIsUniformInEveryArgument(t *testing.T) {
	for name, at := range map[string]func(i uint32) uint32{
		"a": func(i uint32) uint32 { return Hash(i, 5, 6) },
		"b": func(i uint32) uint32 { return Hash(5, i, 6) },
		"c": func(i uint32) uint32 { return Hash(5, 6, i) },
	} {
		low, high, below := make([]int, 256), make([]int, 256), make([]int, 100)
		for i := range uint32(1 << 16) {
			h := at(i)
			low[h&255]++
			high[h>>24]++
			below[Below(h, 100)]++
		}
		for part, counts := range map[string][]int{"low byte": low, "high byte": high, "below 100": below} {
			if x := chiSquare(counts); x > limit(len(counts)-1) {
				t.Errorf("%s, %s: chi-square %.0f", name, part, x)
			}
		}
	}
}

// TestHashAvalanche flips each bit of each argument: half of the result changes.
func TestHashAvalanche(t *testing.T) {
	for bit := range 32 {
		for argument := range 3 {
			var changed int
			const samples = 500
			for i := range uint32(samples) {
				in := [3]uint32{i * 2654435761, i ^ 0xABCD, ^i}
				h := Hash(in[0], in[1], in[2])
				in[argument] ^= 1 << bit
				changed += bits.OnesCount32(h ^ Hash(in[0], in[1], in[2]))
			}
			if mean := float64(changed) / samples; mean < 14 || mean > 18 {
				t.Errorf("argument %d, bit %d changes %.1f of 32 bits", argument, bit, mean)
			}
		}
	}
}

func TestHashArgumentsAreNotInterchangeable(t *testing.T) {
	seen := map[uint32]bool{}
	for _, p := range [][3]uint32{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}} {
		seen[Hash(p[0], p[1], p[2])] = true
	}
	if len(seen) != 10 {
		t.Errorf("%d different hashes of 10", len(seen))
	}
}

func TestBelow(t *testing.T) {
	for _, n := range []uint32{1, 2, 3, 1000, math.MaxUint32} {
		for _, w := range []uint32{0, 1, 1 << 31, math.MaxUint32} {
			if got := Below(w, n); got >= n {
				t.Errorf("Below(%d, %d) = %d", w, n, got)
			}
		}
		if got := Below(math.MaxUint32, n); got != n-1 {
			t.Errorf("the largest word maps to %d below %d", got, n)
		}
	}
}
