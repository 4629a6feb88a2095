package bench

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Size is the width and height of a picture in pixels.
type Size struct{ Width, Height int }

// String writes the size as names have it: 1920x1080.
func (s Size) String() string { return fmt.Sprintf("%dx%d", s.Width, s.Height) }

// The grid that Cases covers.
var (
	Counts = []int{100_000, 1_000_000, 10_000_000}
	Sizes  = []Size{{800, 800}, {1920, 1080}, {3840, 2160}}
)

// usual are the scenes measured where nobody asks for others: what a small
// machine does in a few minutes and with 2 GB.
var usual = []Scene{{100_000, 800, 800}, {1_000_000, 1920, 1080}}

// Limits of what can be asked for.
const (
	MaxSplats = 50_000_000
	MaxSide   = 16384
)

// Selection says which cases to run.
type Selection struct {
	Splats []int  // of these counts, at every size; nil is as All says
	Sizes  []Size // of these sizes, with every count; nil is as All says
	All    bool   // the whole grid instead of the usual scenes
	Peaks  bool   // what the device can do at best, instead of any scene
	// Filter keeps the cases whose name it matches; nil keeps all. Where it matches
	// none of the usual ones, it is tried on the whole grid.
	Filter *regexp.Regexp
}

// Cases returns the whole grid: the registry of names.
func Cases() []Case { return Selection{All: true}.Cases() }

// Cases returns what is selected, small scenes first.
func (s Selection) Cases() []Case {
	if s.Peaks {
		return s.filter(peakCases(peakBytes))
	}
	if s.All || s.Splats != nil || s.Sizes != nil {
		return s.filter(casesOf(s.grid()))
	}
	if list := s.filter(casesOf(usual)); len(list) > 0 {
		return list
	}
	return s.filter(casesOf(s.grid()))
}

func (s Selection) grid() (scenes []Scene) {
	counts, sizes := s.Splats, s.Sizes
	if counts == nil {
		counts = Counts
	}
	if sizes == nil {
		sizes = Sizes
	}
	for _, n := range counts {
		for _, size := range sizes {
			scenes = append(scenes, Scene{n, size.Width, size.Height})
		}
	}
	return scenes
}

func casesOf(scenes []Scene) (list []Case) {
	for _, s := range scenes {
		list = append(list, sceneCases(s)...)
	}
	return list
}

func (s Selection) filter(all []Case) []Case {
	if s.Filter == nil {
		return all
	}
	var kept []Case
	for _, c := range all {
		if s.Filter.MatchString(c.Name) {
			kept = append(kept, c)
		}
	}
	return kept
}

// FormatCount writes a number of splats as names have it: 500, 20k, 0.1M, 1M.
func FormatCount(n int) string {
	switch {
	case n >= 100_000:
		return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) + "M"
	case n >= 1000:
		return strconv.FormatFloat(float64(n)/1e3, 'f', -1, 64) + "k"
	}
	return strconv.Itoa(n)
}

// ParseCounts reads a list such as 0.1M,1M.
func ParseCounts(text string) ([]int, error) {
	return parseList(text, parseCount)
}

func parseCount(word string) (int, error) {
	number, unit := word, 1.0
	if n, ok := strings.CutSuffix(word, "M"); ok {
		number, unit = n, 1e6
	} else if n, ok := strings.CutSuffix(word, "k"); ok {
		number, unit = n, 1e3
	}
	v, err := strconv.ParseFloat(number, 64)
	if n := v * unit; err == nil && n >= 1 && n <= MaxSplats {
		return int(n + 0.5), nil
	}
	return 0, fmt.Errorf("found %q, expected a number of splats such as 0.1M, at most %s", word, FormatCount(MaxSplats))
}

// ParseSizes reads a list such as 800x800,1920x1080.
func ParseSizes(text string) ([]Size, error) {
	return parseList(text, parseSize)
}

func parseSize(word string) (Size, error) {
	w, h, _ := strings.Cut(word, "x")
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if errW == nil && errH == nil && width > 0 && height > 0 && width <= MaxSide && height <= MaxSide {
		return Size{width, height}, nil
	}
	return Size{}, fmt.Errorf("found %q, expected a size such as 1920x1080, at most %d a side", word, MaxSide)
}

func parseList[T any](text string, parse func(string) (T, error)) ([]T, error) {
	var list []T
	for word := range strings.SplitSeq(text, ",") {
		v, err := parse(strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}
