package ab

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestLevelsAreThoseOfAllSignPatterns counts, of all ways in which n differences can lie
// about their median, those in which the interval holds it.
func TestLevelsAreThoseOfAllSignPatterns(t *testing.T) {
	for n := 2; n <= 14; n++ {
		for r := 1; 2*r <= n; r++ {
			holds := 0
			for signs := range uint32(1) << n {
				above := bits.OnesCount32(signs)
				// The r-th least is below and the r-th greatest above.
				if n-above >= r && above >= r {
					holds++
				}
			}
			want := float64(holds) / float64(uint32(1)<<n)
			if got := levelOf(n, r); math.Abs(got-want) > 1e-12 {
				t.Errorf("n %d, rank %d: level %v, counted %v", n, r, got, want)
			}
		}
	}
}

// TestIntervalsHoldTheMedian draws from a lopsided distribution, where an interval that
// leans on the normal one would fail.
func TestIntervalsHoldTheMedian(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{6, 11, 25} {
		const draws = 20000
		held, level := 0, 0.0
		for range draws {
			v := make([]float64, n)
			for i := range v {
				v[i] = math.Exp(2 * rng.NormFloat64()) // median 1
			}
			iv, ok := IntervalOf(v, 0.95)
			if !ok {
				t.Fatalf("n %d: no interval", n)
			}
			level = iv.Level
			if iv.Low <= 1 && 1 <= iv.High {
				held++
			}
		}
		if got := float64(held) / draws; math.Abs(got-level) > 0.006 || level < 0.95 {
			t.Errorf("n %d: held in %v of draws, states level %v", n, got, level)
		}
	}
}

func TestIntervalRanks(t *testing.T) {
	v := []float64{5, 1, 4, 2, 3, 9, 8, 7, 6, 11, 10}
	iv, ok := IntervalOf(v, 0.95)
	if want := (Interval{2, 10, 1 - 2*12/2048.0, 2}); !ok || iv != want {
		t.Errorf("found %+v %v, expected %+v", iv, ok, want)
	}
	iv, ok = IntervalOf(v, 0.999)
	if want := (Interval{1, 11, 1 - 2/2048.0, 1}); !ok || iv != want {
		t.Errorf("most extreme: found %+v %v, expected %+v", iv, ok, want)
	}
	if iv, ok := IntervalOf(v, 0.9995); ok {
		t.Errorf("11 values have no interval of level 99.95 %%, found %+v", iv)
	}
	if v[0] != 5 {
		t.Error("the values were sorted in place")
	}
	for _, few := range [][]float64{nil, {1}, {1, 2, 3, 4, 5}} {
		if iv, ok := IntervalOf(few, 0.95); ok {
			t.Errorf("%d values: found %+v, expected none", len(few), iv)
		}
	}
}

func TestPairsFor(t *testing.T) {
	for level, want := range map[float64]int{0.5: 2, 0.95: 6, 0.99: 8, 1 - 0.05/42: 11, 1 - 0.05/51: 11, 1 - 0.05/52: 12} {
		if got := PairsFor(level); got != want {
			t.Errorf("level %v: found %d pairs, expected %d", level, got, want)
		}
		if n := PairsFor(level); rankOf(n, level) == 0 || n > 2 && rankOf(n-1, level) != 0 {
			t.Errorf("level %v: %d is not the least number of pairs", level, n)
		}
	}
}

func TestTheMostPairsAreStillNumbers(t *testing.T) {
	if l := levelOf(MaxPairs, MaxPairs/2); !(l > 0 && l < 0.1) {
		t.Errorf("level of the middle of %d values: %v, expected little", MaxPairs, l)
	}
}

func TestMedianAndLevelText(t *testing.T) {
	if Median([]float64{3, 1, 2}) != 2 || Median([]float64{4, 1, 2, 3}) != 2.5 || !math.IsNaN(Median(nil)) {
		t.Error("median")
	}
	for level, want := range map[float64]string{0.95: "95 %", 0.98828125: "98.82 %", 1 - 2/2048.0: "99.902 %", 1 - math.Pow(2, -20): "99.999904 %"} {
		if got := LevelText(level); got != want {
			t.Errorf("level %v: found %s, expected %s", level, got, want)
		}
	}
}
