package demo

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The curve's drawing area, in the units of its view box.
const (
	curveWidth, curveHeight = 640, 280
	curveLeft, curveRight   = 66, 600
	curveTop, curveBottom   = 14, 240
)

// How the curve is drawn.
const (
	curveMaxPoints = 320
	curveLogFrom   = 4.0  // largest over smallest loss from which on the scale is logarithmic
	curveWindow    = 30   // the running mean reaches this part of the curve to either side
	curvePadding   = 0.06 // above and below, of the range
	curveTicks     = 5    // about as many a linear axis
)

// curve is the loss over the steps, ready to draw.
type curve struct {
	Width, Height       int
	Left, Right, Bottom int
	Raw, Smooth         string // points of polylines
	X, Y                []tick
	First, Last         string // for those who do not see the curve
	Logarithmic         bool
}

// tick is a mark on an axis at a position of the view box.
type tick struct {
	At    string
	Label string
	Odd   bool // left out on narrow screens
}

// newCurve returns nil where there are fewer than two points with a finite loss.
func newCurve(points []LossPoint) *curve {
	points = finite(points)
	if len(points) < 2 || points[0].Step == points[len(points)-1].Step {
		return nil
	}
	first, last := points[0], points[len(points)-1]
	points = thin(points, curveMaxPoints)
	y := newScale(lossRange(points))
	x := func(step float64) float64 {
		f := (step - float64(first.Step)) / float64(last.Step-first.Step)
		return curveLeft + f*(curveRight-curveLeft)
	}
	return &curve{
		Width: curveWidth, Height: curveHeight,
		Left: curveLeft, Right: curveRight, Bottom: curveBottom,
		Raw:         polyline(points, x, y.at),
		Smooth:      polyline(smoothed(points), x, y.at),
		X:           stepTicks(first.Step, last.Step, x),
		Y:           y.ticks(),
		First:       strconv.FormatFloat(first.Loss, 'g', 3, 64),
		Last:        strconv.FormatFloat(last.Loss, 'g', 3, 64),
		Logarithmic: y.log,
	}
}

func finite(points []LossPoint) []LossPoint {
	var kept []LossPoint
	for _, p := range points {
		if !math.IsNaN(p.Loss) && !math.IsInf(p.Loss, 0) {
			kept = append(kept, p)
		}
	}
	return kept
}

// thin averages neighbours so that at most n points remain.
func thin(points []LossPoint, n int) []LossPoint {
	if len(points) <= n {
		return points
	}
	kept := make([]LossPoint, n)
	for i := range kept {
		group := points[i*len(points)/n : (i+1)*len(points)/n]
		var sum float64
		for _, p := range group {
			sum += p.Loss
		}
		kept[i] = LossPoint{group[len(group)/2].Step, sum / float64(len(group))}
	}
	return kept
}

// smoothed is the mean over a window around each point, smaller near the ends so
// that it does not lag behind.
func smoothed(points []LossPoint) []LossPoint {
	out := make([]LossPoint, len(points))
	for i, p := range points {
		reach := min(len(points)/curveWindow, i, len(points)-1-i)
		var sum float64
		for _, q := range points[i-reach : i+reach+1] {
			sum += q.Loss
		}
		out[i] = LossPoint{p.Step, sum / float64(2*reach+1)}
	}
	return out
}

func lossRange(points []LossPoint) (low, high float64) {
	low, high = points[0].Loss, points[0].Loss
	for _, p := range points {
		low, high = min(low, p.Loss), max(high, p.Loss)
	}
	return low, high
}

func polyline(points []LossPoint, x, y func(float64) float64) string {
	var b strings.Builder
	for i, p := range points {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%.1f,%.1f", x(float64(p.Step)), y(p.Loss))
	}
	return b.String()
}

// scale maps a loss to a height, linearly or by its logarithm.
type scale struct {
	low, high float64 // of the values after the logarithm, padded
	log       bool
}

func newScale(low, high float64) scale {
	s := scale{low, high, low > 0 && high > curveLogFrom*low}
	if s.log {
		s.low, s.high = math.Log10(low), math.Log10(high)
	}
	pad := curvePadding * (s.high - s.low)
	if pad == 0 {
		pad = max(math.Abs(s.high), 1) * 0.1
	}
	s.low, s.high = s.low-pad, s.high+pad
	return s
}

func (s scale) at(loss float64) float64 {
	if s.log {
		loss = math.Log10(loss)
	}
	return curveBottom - (loss-s.low)/(s.high-s.low)*(curveBottom-curveTop)
}

// ticks marks round values.
func (s scale) ticks() []tick {
	var values []float64
	if s.log {
		values = decades(s.low, s.high)
	} else {
		values = rounds(s.low, s.high)
	}
	list := make([]tick, len(values))
	for i, v := range values {
		list[i] = tick{At: fmt.Sprintf("%.1f", s.at(v)), Label: strconv.FormatFloat(v, 'g', 3, 64)}
	}
	return list
}

// decades lists 1, 2 and 5 times the powers of ten whose logarithm lies between
// low and high; where that would be many, the powers alone or some of them.
func decades(low, high float64) []float64 {
	steps := []float64{1, 2, 5}
	if high-low > 2 {
		steps = steps[:1]
	}
	stride := math.Ceil((high - low) / 8)
	var list []float64
	for e := math.Floor(low); e <= high; e += stride {
		for _, m := range steps {
			if l := e + math.Log10(m); l >= low && l <= high {
				list = append(list, m*math.Pow(10, e))
			}
		}
	}
	return list
}

// rounds lists the multiples of a round step between low and high.
func rounds(low, high float64) []float64 {
	step := roundStep((high - low) / curveTicks)
	var list []float64
	for i := math.Ceil(low / step); i*step <= high; i++ {
		list = append(list, i*step)
	}
	return list
}

// roundStep returns 1, 2 or 5 times a power of ten, at least v.
func roundStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= v*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

func stepTicks(first, last int, x func(float64) float64) []tick {
	step := max(roundStep(float64(last-first)/curveTicks), 1)
	var list []tick
	for i := math.Ceil(float64(first) / step); i*step <= float64(last); i++ {
		list = append(list, tick{fmt.Sprintf("%.1f", x(i*step)), grouped(int(i * step)), len(list)%2 == 1})
	}
	return list
}
