package vec

import "splat/internal/kernel"

// Lanes is one value of eight splats.
type Lanes [8]float32

// All returns v in every lane.
func All(v float32) Lanes { return Lanes{v, v, v, v, v, v, v, v} }

// Sum adds up the lanes.
func (v *Lanes) Sum() float32 {
	return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]))
}

// Camera is a step's view as Splats need it.
type Camera struct {
	R                      [9]Lanes
	T, Position            [3]Lanes
	Near                   Lanes
	Fx, Fy, Cx, Cy         Lanes
	UMin, UMax, VMin, VMax Lanes // limits of x/z and y/z in the Jacobian
	Blur                   Lanes
	Compensate             Lanes // a mask: opacity compensation is on
	Width, Height          Lanes
	OpacityReg, ScaleReg   Lanes // weights of the regularisers, per splat
	Noise                  Lanes
	NoiseKeys              [4]Lanes // integers: what the hashes start from
}

// Splats are eight splats on their way through a kernel, where the processor is
// Wide. Masks are all ones where set.
type Splats struct {
	Geom  [kernel.GeomRow]Lanes
	SH    [48]Lanes
	Index Lanes // integers: the splats' numbers

	// What Project computes: rows of proj, and half the width in pixels.
	Proj    [kernel.ProjRow]Lanes
	ExtentX Lanes

	// Rows of tiles [First, Last) that the splats may touch; at row Row, tiles [From,
	// To). Tiles is their number so far. All are small integers.
	First, Last, Row, From, To, Tiles Lanes

	// On the way back: which splats were drawn, the sums of their slots, and the
	// gradients of their stored parameters: those of geom, then those of SH as the
	// factors basis and colour.
	Visible  Lanes
	Sum      [kernel.SlotRow]Lanes
	Gradient [GradientRow]Lanes
}

// Where the parts of a splat's gradient begin, and its length with padding.
const (
	GradientBasis = kernel.GeomRow
	GradientColor = GradientBasis + 16
	GradientRow   = GradientColor + 4
)

// Project projects the splats' Geom and finds the rows of tiles they may touch. It
// returns the splats, lane k in bit k, that touch any; what it leaves for others
// means nothing.
func (s *Splats) Project(c *Camera) int { return projectAVX2(s, c) }

// TileRows finds the rows of tiles that the projected splats may touch, of those
// with Visible set. It agrees with Project.
func (s *Splats) TileRows(c *Camera) int { return tileRowsAVX2(s, c) }

// TileSpan finds each splat's tiles [From, To) in its Row, adds their number to
// Tiles, goes on to the next row, and returns the splats that have one.
func (s *Splats) TileSpan(c *Camera) int { return tileSpanAVX2(s, c) }

// Colors evaluates the SH up to degree towards the splats, into Proj, and returns
// the splats whose colour is an ordinary number.
func (s *Splats) Colors(c *Camera, degree int) int {
	switch degree {
	case 0:
		return color0AVX2(s, c)
	case 1:
		return color1AVX2(s, c)
	case 2:
		return color2AVX2(s, c)
	}
	return color3AVX2(s, c)
}

// ColorsBackward turns the colour's part of Sum into Basis, Color and the first
// part of the gradient of the mean. It returns the splats whose gradients Adam can
// take.
func (s *Splats) ColorsBackward(c *Camera, degree int) int {
	switch degree {
	case 0:
		return colorBackward0AVX2(s, c)
	case 1:
		return colorBackward1AVX2(s, c)
	case 2:
		return colorBackward2AVX2(s, c)
	}
	return colorBackward3AVX2(s, c)
}

// Backward turns Sum into Gradient, after ColorsBackward, for the splats with
// Visible set, and adds the regularisers for all. It returns the splats whose
// parameters are ordinary and whose gradients Adam can take.
func (s *Splats) Backward(c *Camera) int { return backwardAVX2(s, c) }

// Regularise is Backward where no splat is visible.
func (s *Splats) Regularise(c *Camera) int { return regulariseAVX2(s, c) }

// AddNoise moves the means in Geom, and returns the splats that it moved.
func (s *Splats) AddNoise(c *Camera) int { return noiseAVX2(s, c) }

// Gather moves the first columns of the rows at the given offsets to lanes, a
// multiple of four.
func Gather(lanes []Lanes, rows []float32, offsets *[8]int) {
	for _, o := range offsets {
		_ = rows[o : o+len(lanes)]
	}
	gatherAVX2(&lanes[0], &rows[0], offsets, len(lanes)/4)
}

// Scatter moves lanes, a multiple of four, to the first columns of the rows at the
// given offsets.
func Scatter(rows []float32, lanes []Lanes, offsets *[8]int) {
	for _, o := range offsets {
		_ = rows[o : o+len(lanes)]
	}
	scatterAVX2(&rows[0], &lanes[0], offsets, len(lanes)/4)
}

// SumRows adds up rows of SlotRow values, in order.
func SumRows(sum *[12]float32, rows []float32) { sumRowsAVX2(sum, &rows[0], len(rows)/12) }

// Prefetch asks for memory that will be read soon.
func Prefetch(p []float32) { prefetchAVX2(&p[0], 4*len(p)) }
