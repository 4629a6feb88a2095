package sog

import (
	"slices"
	"sort"
)

const (
	codebookSize = 256
	// sampleSize limits the values that a codebook is made for: quantiles of a
	// million values are as good as those of a hundred million.
	sampleSize = 1 << 20
	refinings  = 12
)

// codebook returns 256 ascending values near to the given ones, of which none may be
// NaN: k-means in one dimension, begun half with quantiles, half evenly.
func codebook(values []float32) []float64 {
	sorted := sample(values)
	slices.Sort(sorted)
	book := make([]float64, codebookSize)
	if len(sorted) == 0 {
		return book
	}
	lo, hi := float64(sorted[0]), float64(sorted[len(sorted)-1])
	for k := range book {
		t := float64(k) / (codebookSize - 1)
		book[k] = (float64(sorted[int(t*float64(len(sorted)-1))]) + lo + t*(hi-lo)) / 2
	}
	sums := make([]float64, len(sorted)+1)
	for i, v := range sorted {
		sums[i+1] = sums[i] + float64(v)
	}
	for range refinings {
		refine(book, sorted, sums)
	}
	return book
}

// sample returns a copy of the values, every n-th where they are too many.
func sample(values []float32) []float32 {
	every := (len(values) + sampleSize - 1) / sampleSize
	if every <= 1 {
		return slices.Clone(values)
	}
	var s []float32
	for i := 0; i < len(values); i += every {
		s = append(s, values[i])
	}
	return s
}

// refine moves each entry to the mean of the values next to it; sums holds the sums
// of the first values.
func refine(book []float64, sorted []float32, sums []float64) {
	from := 0
	for k := range book {
		to := len(sorted)
		if k+1 < len(book) {
			middle := (book[k] + book[k+1]) / 2
			to = from + sort.Search(len(sorted)-from, func(i int) bool { return float64(sorted[from+i]) > middle })
		}
		if to > from {
			book[k] = (sums[to] - sums[from]) / float64(to-from)
		}
		from = to
	}
	slices.Sort(book)
}

// nearest returns the place of the entry next to v.
func nearest(book []float64, v float64) byte {
	k := sort.SearchFloat64s(book, v)
	if k == len(book) || k > 0 && v-book[k-1] <= book[k]-v {
		k--
	}
	return byte(k)
}
