package vec

import "splat/internal/kernel"

// TilePixels is the number of pixels of a tile.
const TilePixels = kernel.TileSize * kernel.TileSize

// Run is the list of splats of one tile, nearest first.
type Run struct {
	Proj   []float32 // rows of projected splats, as the project kernel writes them
	Owners []uint32  // splat of each pair
	Pairs  []uint32  // the tile's pairs
	X, Y   float32   // the tile's first pixel
}

// BlendTile is the state of a tile's pixels on the way forward, row by row.
type BlendTile struct {
	T, R, G, B [TilePixels]float32
	// Last is one more than the place in the list of the last splat that the pixel
	// received; with Closed set the pixel takes no more.
	Last [TilePixels]uint32
}

// Closed is the bit of BlendTile.Last of pixels that are opaque, or not part of
// the picture.
const Closed = 1 << 31

// UnblendTile is the state of a tile's pixels on the way back.
type UnblendTile struct {
	T          [TilePixels]float32 // transmittance behind the splats that are still to come
	GR, GG, GB [TilePixels]float32 // loss gradient of the colour
	Behind     [TilePixels]float32 // the product of that with all colour behind
	Last       [TilePixels]uint32  // as forward left it; 0 for pixels that are not part of the picture
}

// Blend blends the run's splats front to back into the tile's pixels. live is the
// number of pixels that are not closed; Blend returns how many are left, and
// stops when none is.
func Blend(tile *BlendTile, run *Run, live int) int {
	if useAVX2 {
		return blendAVX2(tile, run, live)
	}
	return blendGo(tile, run, live)
}

// Unblend takes the first deepest splats of the run off the tile's pixels, back to
// front, and writes the gradients of each pair to its slot. Sums of absolute
// gradients are 0 unless asked for. slots must have a row for every pair, and
// deepest be at most the length of the run.
func Unblend(tile *UnblendTile, run *Run, slots []float32, deepest int, absolute bool) {
	switch {
	case deepest <= 0:
	case !useAVX2:
		unblendGo(tile, run, slots, deepest, absolute)
	case absolute:
		unblendAbsAVX2(tile, run, &slots[0], deepest)
	default:
		unblendAVX2(tile, run, &slots[0], deepest)
	}
}
