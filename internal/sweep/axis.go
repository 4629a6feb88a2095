package sweep

import (
	"math"
	"slices"
	"strconv"
)

// axis maps values to pixels.
type axis struct {
	lo, hi   float64 // values at the ends, of the logarithm where log is set
	from, to float64 // pixels there
	log      bool
	ticks    []float64
	digits   int // after the point
}

// logFrom is the ratio of the largest to the smallest value from which an axis is
// logarithmic.
const logFrom = 8

// newAxis fits an axis to values, with some room at both ends.
func newAxis(values []float64, from, to float64, mayLog bool) axis {
	lo, hi := slices.Min(values), slices.Max(values)
	a := axis{from: from, to: to}
	if mayLog && lo > 0 && hi/lo >= logFrom {
		a.log = true
		l, h := math.Log10(lo), math.Log10(hi)
		pad := 0.06 * (h - l)
		a.lo, a.hi = l-pad, h+pad
		a.ticks = logTicks(math.Pow(10, a.lo), math.Pow(10, a.hi))
		return a
	}
	pad := 0.08 * (hi - lo)
	if pad == 0 {
		pad = math.Max(0.05*math.Abs(hi), 0.5)
	}
	a.lo, a.hi = lo-pad, hi+pad
	if mayLog {
		a.lo = math.Max(a.lo, 0) // times are not negative
	}
	a.ticks, a.digits = linearTicks(a.lo, a.hi)
	return a
}

func (a axis) at(v float64) float64 {
	if a.log {
		v = math.Log10(v)
	}
	return a.from + (v-a.lo)/(a.hi-a.lo)*(a.to-a.from)
}

func (a axis) text(v float64) string {
	if a.log {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', a.digits, 64)
}

// linearTicks returns four to ten round values, and the digits that they need.
func linearTicks(lo, hi float64) (ticks []float64, digits int) {
	step := math.Pow(10, math.Floor(math.Log10(hi-lo)))
	for _, f := range []float64{1, 0.5, 0.2, 0.1} {
		if (hi-lo)/(step*f) >= 4 {
			step *= f
			break
		}
	}
	for n := math.Ceil(lo / step); n*step <= hi; n++ {
		ticks = append(ticks, n*step)
	}
	return ticks, max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
}

// logTicks returns 1, 2 and 5 times the powers of ten.
func logTicks(lo, hi float64) (ticks []float64) {
	for e := math.Floor(math.Log10(lo)); e <= math.Log10(hi); e++ {
		for _, f := range []float64{1, 2, 5} {
			if v, _ := strconv.ParseFloat(strconv.FormatFloat(f*math.Pow(10, e), 'g', 3, 64), 64); v >= lo && v <= hi {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// labels keeps texts from covering each other.
type labels struct{ taken [][4]float64 }

func (l *labels) add(x, y, w, h float64) { l.taken = append(l.taken, [4]float64{x, y, w, h}) }

// find returns a place beside a point for a text of the given width, and how it is
// anchored there; false where all are taken or outside.
func (l *labels) find(x, y, width float64) (at [2]float64, anchor string, ok bool) {
	const height = 13
	for _, c := range []struct {
		dx, dy, left float64
		anchor       string
	}{
		{9, 4, 0, "start"}, {-9, 4, -width, "end"}, {0, -10, -width / 2, "middle"}, {0, 19, -width / 2, "middle"},
		{8, -8, 0, "start"}, {8, 16, 0, "start"}, {-8, -8, -width, "end"}, {-8, 16, -width, "end"},
	} {
		box := [4]float64{x + c.dx + c.left, y + c.dy - 10, width, height}
		inside := box[0] >= left && box[0]+width <= panelWidth && box[1] >= top-16 && box[1]+height <= panelHeight-bottom
		if inside && !slices.ContainsFunc(l.taken, func(t [4]float64) bool { return overlap(t, box) }) {
			l.add(box[0], box[1], box[2], box[3])
			return [2]float64{x + c.dx, y + c.dy}, c.anchor, true
		}
	}
	return at, "", false
}

func overlap(a, b [4]float64) bool {
	return a[0] < b[0]+b[2] && b[0] < a[0]+a[2] && a[1] < b[1]+b[3] && b[1] < a[1]+a[3]
}
