package vec

import "splat/internal/kernel"

// The sizes of a tile with the halo of the usual SSIM window, in rows that are
// padded to whole vectors.
const (
	Window     = 11
	Halo       = Window / 2
	PatchSide  = kernel.TileSize + 2*Halo
	PatchPitch = 32
)

// Patch is one value of the pixels of a tile with its halo, row by row.
type Patch [PatchSide * PatchPitch]float32

// LossTile is a tile on its way through the loss, where the processor is Wide.
type LossTile struct {
	// The render and the target, weighted, and the weights: 0 outside the picture and
	// for pixels to ignore.
	X, Y   [3]Patch
	Weight Patch

	Taps [Window]Lanes // the SSIM window

	Squares, Products Patch // of a channel: x^2+y^2 and xy

	// H are the rows of four windowed means: of x, y, x^2+y^2 and xy.
	H [4][PatchSide * kernel.TileSize]float32

	// Maps has room for the derivatives of the SSIM of a tile at the picture's edge.
	Maps [3 * TilePixels]float32

	// L1 and SSIM are weighted sums.
	L1, SSIM Lanes

	// On the way back: room for one map with its halo at the picture's edge, the three
	// blurred maps, and the gradient of one channel.
	Map      Patch
	Back     [3][TilePixels]float32
	Gradient [TilePixels]float32

	// What Load composites with: the background, 0 where alpha is a mask, and whether
	// it is one (all ones).
	Background [3]Lanes
	Mask       Lanes

	// Factors of the gradient: scale (1-lambda) and scale lambda.
	ScaleL1, ScaleSSIM Lanes
}

// SetTaps sets the window.
func (t *LossTile) SetTaps(window []float32) {
	for i, w := range window[:Window] {
		t.Taps[i] = All(w)
	}
}

// Clear makes the patch empty.
func (t *LossTile) Clear() {
	t.X, t.Y, t.Weight = [3]Patch{}, [3]Patch{}, Patch{}
}

// Load brings n pixels, at least eight, to element at of the patch and those after
// it: image is RGB and transmittance, target 8-bit RGBA in a word.
func (t *LossTile) Load(at int, image []float32, target []uint32, n int) {
	_, _, _ = image[4*n-1], target[n-1], t.Weight[at+n-1]
	if n < 8 {
		panic("vec: fewer than eight pixels")
	}
	loadPixelsAVX2(t, at, &image[0], &target[0], n)
}

// Moments blurs the rows of a channel's products, into H.
func (t *LossTile) Moments(channel int) { momentsAVX2(t, channel) }

// Structure finishes the means, computes the SSIM of a channel, and adds to the
// sums. Its derivatives with respect to the means of x, x^2 and xy, weighted, go to
// three planes of maps, whose rows are pitch apart.
func (t *LossTile) Structure(channel int, maps []float32, pitch, plane int) {
	_ = maps[2*plane+(kernel.TileSize-1)*pitch+kernel.TileSize-1]
	ssimAVX2(t, channel, &maps[0], pitch, plane)
}

// BlurMap blurs a map, given with its halo and the distance of its rows, into
// Back[k].
func (t *LossTile) BlurMap(k int, from []float32, pitch int) {
	_, _ = from[(PatchSide-1)*pitch+PatchSide-1], t.Back[k]
	blurAVX2(t, k, &from[0], pitch)
}

// Combine computes Gradient of a channel from Back and the pixels in the middle of
// the patch.
func (t *LossTile) Combine(channel int) { lossGradientAVX2(t, channel) }
