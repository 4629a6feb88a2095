package bench

import (
	"math"
	"math/rand/v2"

	"splat/internal/kernel"
)

// The synthetic cloud stands in for a trained capture seen by one of its cameras.
// The camera is at the origin and looks along z, 60 degrees wide. Nothing else
// depends on the size of the picture, so one cloud serves all sizes.
//
//   - Half of the splats are an object in the middle of the view, 4 away, whose
//     density falls off to the sides. The others are surroundings at distances of
//     1.5 to 15, reaching beyond the picture's edges, some of them behind the
//     camera: as in captures, a view sees a part, and tiles are unevenly full.
//   - Sizes are log-normal and grow with the distance, because training splits by
//     what is large on the screen, and shrink with the root of the number of
//     splats: the layers that cover a pixel stay about the same. Two axes differ by
//     half an octave or so and the third is thin; orientations are arbitrary.
//   - Opacities have a wide logistic distribution around 0.5, colours vary with
//     the direction.
//   - Rows have no order in space, as after many relocations.
const (
	cloudSeed  = 20
	degree     = 3
	blur       = 0.3     // px^2, as in training
	halfWidth  = 0.57735 // tangent of half the horizontal field of view
	nearest    = 1.5     // surroundings, in world units
	farthest   = 15.0
	objectAt   = 4.0
	objectSize = 0.16 // standard deviation of the object's direction, as a tangent
	behind     = 0.12 // share of the surroundings that is behind the camera
	reachX     = 1.0  // surroundings end at these tangents
	reachY     = 0.6
	spread     = 0.55 // standard deviation of the log of a splat's size
	sideways   = 0.35 // the same, of each of its axes
	thinness   = -1.6 // log of the third axis
	typical    = 1.2  // median size of an axis as a tangent, times the root of the number of splats
)

// rowsAtOnce is how many splats, or pixels, are made and uploaded at a time.
const rowsAtOnce = 1 << 16

// cloud makes the rows of n splats in chunks, each from a generator of its own.
type cloud struct {
	n   int
	rng *rand.Rand
}

// chunk fills geom and sh with the rows from..to of the cloud; from is a multiple
// of rowsAtOnce.
func (c *cloud) chunk(from, to int, geom, sh []float32) {
	c.rng = rand.New(rand.NewPCG(cloudSeed, uint64(from)))
	stride := 3 * kernel.Coefficients(degree)
	for i := range to - from {
		c.splat(geom[i*kernel.GeomRow : (i+1)*kernel.GeomRow])
		c.color(sh[i*stride : (i+1)*stride])
	}
}

// splat makes one row of geom.
func (c *cloud) splat(row []float32) {
	x, y, depth := c.direction()
	row[kernel.GeomMean], row[kernel.GeomMean+1], row[kernel.GeomMean+2] = float32(x*depth), float32(y*depth), float32(depth)
	row[kernel.GeomOpacity] = float32(1.8 * c.rng.NormFloat64())
	for k := range 4 {
		row[kernel.GeomQuat+k] = float32(c.rng.NormFloat64())
	}
	size := math.Log(typical/math.Sqrt(float64(c.n))*math.Abs(depth)) + spread*c.rng.NormFloat64()
	for k := range 3 {
		row[kernel.GeomScale+k] = float32(size + sideways*c.rng.NormFloat64())
	}
	row[kernel.GeomScale+2] += thinness
	row[kernel.GeomRow-1] = 0
}

// direction returns where a splat is: tangents across and down, and the depth.
func (c *cloud) direction() (x, y, depth float64) {
	if c.rng.Uint32()&1 == 0 {
		x, y = objectSize*c.rng.NormFloat64(), objectSize*c.rng.NormFloat64()
		return x, y, objectAt * (1 + objectSize*math.Tanh(c.rng.NormFloat64()))
	}
	x, y = reachX*(2*c.rng.Float64()-1), reachY*(2*c.rng.Float64()-1)
	depth = nearest * math.Pow(farthest/nearest, c.rng.Float64())
	if c.rng.Float64() < behind {
		depth = -depth
	}
	return x, y, depth
}

// color makes one row of SH coefficients: a colour of any hue, the rest small.
func (c *cloud) color(row []float32) {
	scale := float32(2.0)
	for k := 0; k < len(row); k += 3 {
		word := c.rng.Uint64()
		for j := range 3 {
			row[k+j] = scale * (float32(word>>(21*j)&(1<<21-1))/(1<<20) - 1)
		}
		scale = 0.1
	}
}

// pairsOf estimates the pairs of tile and splat in a view of this width and
// height, a little generously. A convex shape of area A that is w wide and h high
// meets (A + s(w+h) + s^2) / s^2 squares of side s on average.
func pairsOf(splats, width, height int) int {
	const s = kernel.TileSize
	focal := float64(width) / (2 * halfWidth)
	visible := visibleOf(width, height)
	// Where alpha reaches 1/255, with the blur that every splat gets.
	radius := 3.1 * math.Hypot(typical/math.Sqrt(float64(splats))*focal, math.Sqrt(blur))
	mean, square := radius*math.Exp(spread*spread/2), radius*radius*math.Exp(2*spread*spread)
	each := 1 + 4*0.85*mean/s + math.Pi*0.75*square/(s*s)
	return int(float64(splats)*visible*each) + 1<<10
}

// visibleOf is the share of the splats in a view's frustum.
func visibleOf(width, height int) float64 {
	halfHeight := halfWidth * float64(height) / float64(width)
	object := math.Erf(halfWidth/objectSize/math.Sqrt2) * math.Erf(halfHeight/objectSize/math.Sqrt2)
	around := (1 - behind) * min(halfWidth/reachX, 1) * min(halfHeight/reachY, 1)
	return (object + around) / 2
}
