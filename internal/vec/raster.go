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

// Blocks is the number of blocks in a tile: 4 x 2 pixels each, so that eight
// neighbours are worked on at once, row by row of blocks.
const Blocks = TilePixels / 8

// PixelAt is the block of the pixel in column x and row y of a tile, and its place
// there.
func PixelAt(x, y int) (block, lane int) { return y>>1*(kernel.TileSize/4) + x>>2, y&1*4 + x&3 }

// BlendBlock is the state of eight pixels on the way forward.
type BlendBlock struct {
	T, R, G, B [8]float32
	// Last is one more than the place in the list of the last splat that the pixel
	// received; with Closed set the pixel takes no more.
	Last [8]uint32
}

// BlendTile is the state of a tile's pixels on the way forward.
type BlendTile [Blocks]BlendBlock

// Closed is the bit of BlendBlock.Last of pixels that are opaque, or not part of
// the picture.
const Closed = 1 << 31

// UnblendBlock is the state of eight pixels on the way back.
type UnblendBlock struct {
	T          [8]float32 // transmittance behind the splats that are still to come
	GR, GG, GB [8]float32 // loss gradient of the colour
	Behind     [8]float32 // the product of that with all colour behind
	Last       [8]uint32  // as forward left it; 0 for pixels that are not part of the picture
}

// UnblendTile is the state of a tile's pixels on the way back.
type UnblendTile [Blocks]UnblendBlock

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
