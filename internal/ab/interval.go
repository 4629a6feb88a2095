package ab

import (
	"math"
	"slices"
	"strconv"
)

// Interval is an exact confidence interval of a median: between two of the sorted
// values, the same number from each end. It assumes nothing of the distribution but
// that the values are independent of each other.
type Interval struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"` // that it has; at least what was asked
	Rank  int     `json:"rank"`  // 1: from the least to the greatest value
}

// IntervalOf returns the narrowest such interval whose level is at least the one asked
// for. ok is false where not even the one of all values reaches it.
func IntervalOf(values []float64, level float64) (iv Interval, ok bool) {
	rank := rankOf(len(values), level)
	if rank == 0 {
		return Interval{}, false
	}
	sorted := slices.Sorted(slices.Values(values))
	return Interval{sorted[rank-1], sorted[len(sorted)-rank], levelOf(len(values), rank), rank}, true
}

// rankOf returns the largest rank whose interval has the level, 0 if there is none.
func rankOf(n int, level float64) int {
	rank := 0
	for r := 1; 2*r <= n && levelOf(n, r) >= level; r++ {
		rank = r
	}
	return rank
}

// levelOf is the probability that the interval from the r-th least to the r-th greatest
// of n values holds the median: fewer than r of n tosses of a coin must fall on neither
// side. n is at most MaxPairs, where 2^-n is still a number.
func levelOf(n, r int) float64 {
	term, tail := math.Pow(2, -float64(n)), 0.0
	for k := range r {
		tail += term
		term *= float64(n-k) / float64(k+1)
	}
	return 1 - 2*tail
}

// MaxPairs bounds the pairs of an experiment.
const MaxPairs = 1000

// PairsFor returns how many pairs an interval of the level needs: with n, the widest
// one has the level 1 - 2^(1-n).
func PairsFor(level float64) int {
	n := 2
	for n < MaxPairs && levelOf(n, 1) < level {
		n++
	}
	return n
}

// Median returns the middle value, or the mean of the two in the middle; NaN of none.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(n-1)/2] + s[n/2]) / 2
}

// LevelText writes a level as people do: 95 %, 98.83 %; never rounded up to 100.
func LevelText(level float64) string {
	digits := 2
	for ; digits < 12 && 1-level > 0 && 1-level < math.Pow(10, -float64(digits)-1); digits++ {
	}
	scale := math.Pow(10, float64(digits))
	return strconv.FormatFloat(math.Floor(level*100*scale+1e-6)/scale, 'f', -1, 64) + " %"
}
