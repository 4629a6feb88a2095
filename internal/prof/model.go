package prof

import (
	"math"

	"splat/internal/kernel"
)

// Cost is what a dispatch moves and computes in an average step, by the model that
// docs/profiling.md describes: each binding's live part once for each direction. It is not
// measured.
type Cost struct{ Bytes, Ops float64 }

// unit is what the live part of a binding grows with.
type unit uint8

const (
	perSplat unit = iota + 1
	perVisible
	perPair
	perTile
	perPixel
	perBucket
)

// units of bindings by name, and how many words there are for each; 0 words: as many as
// the buffer has.
var units = map[string]struct {
	unit  unit
	words float64
}{
	"geom": {perSplat, kernel.GeomRow}, "geom_m": {perSplat, kernel.GeomRow}, "geom_v": {perSplat, kernel.GeomRow},
	"sh": {perSplat, 0}, "sh_m": {perSplat, 0}, "sh_v": {perSplat, 0}, "stats": {perSplat, kernel.StatRow},
	"tiles": {perSplat, 1}, "base": {perVisible, 1}, "ordered": {perVisible, 1}, "ids": {perVisible, 1}, "proj": {perVisible, kernel.ProjRow},
	"pairs": {perPair, 1}, "owners": {perPair, 1}, "slots": {perPair, kernel.SlotRow},
	"ranges": {perTile, 2}, "image": {perPixel, 4}, "last": {perPixel, 1}, "targets": {perPixel, 1}, "maps": {perPixel, 0}, "gradient": {perPixel, 0},
	"checkpoints": {perBucket, kernel.TileSize * kernel.TileSize * kernel.SavedRow}, "bucket_tiles": {perBucket, 1},
}

// exceptions are bindings whose unit depends on the kernel: "kernel binding".
var exceptions = map[string]unit{
	"project sh": perVisible, "compact offsets": perSplat, "compact keys": perVisible, "emit offsets": perVisible,
	"emit keys": perPair, "ranges keys": perPair, "gather_tiles tiles": perVisible,
	"rasterize proj": perPair, "rasterize_saving proj": perPair, "rasterize_backward proj": perPair, "rasterize_backward_buckets proj": perPair,
}

// amount is how many of a unit an average step has.
func (w *Work) amount(u unit) float64 {
	switch u {
	case perSplat:
		return w.Splats
	case perVisible:
		return w.Visible
	case perPair:
		return w.Pairs
	case perTile:
		return w.Tiles
	case perPixel:
		return w.Pixels
	case perBucket:
		return w.Pairs/kernel.Bucket + w.Tiles/2
	}
	return 0
}

// listed is the amount of a list by the slot of its count.
func (w *Work) listed(slot uint32) float64 {
	switch slot {
	case kernel.CountSplats:
		return w.Splats
	case kernel.CountVisible:
		return w.Visible
	case kernel.CountPairs:
		return w.Pairs
	case kernel.CountVisibleDigits:
		return kernel.Radix * math.Ceil(w.Visible/kernel.SortBlock)
	case kernel.CountPairDigits:
		return kernel.Radix * math.Ceil(w.Pairs/kernel.SortBlock)
	}
	return 0
}

// costOf is the cost of a dispatch.
func costOf(d *kernel.Dispatch, w *Work) Cost {
	var c Cost
	for i, b := range d.Kernel.Bindings {
		c.Bytes += bytesOf(d, i, w) * directions(b.Access)
	}
	c.Ops = opsOf(d, w)
	return c
}

func directions(a kernel.Access) float64 {
	if a == kernel.ReadWrite {
		return 2
	}
	return 1
}

// bytesOf is the live part of binding i.
func bytesOf(d *kernel.Dispatch, i int, w *Work) float64 {
	name := d.Kernel.Bindings[i].Name
	if k := d.Kernel.Index("counts"); k >= 0 && len(d.Kernel.Constants) > 0 && d.Kernel.Constants[0] == "count" {
		return listBytes(name, w.listed(d.Constants[0]))
	}
	u := units[name]
	if other, ok := exceptions[d.Kernel.Name+" "+name]; ok {
		u.unit = other
		u.words = max(u.words, 1)
		if name == "sh" {
			u.words = 0
		}
	}
	words := u.words
	switch {
	case words > 0:
	case name == "sh" || name == "sh_m" || name == "sh_v":
		words = 3 * coefficients(d)
	case u.unit == perPixel:
		words = wordsAPixel(d, i)
	}
	return 4 * words * w.amount(u.unit)
}

// listBytes is what a scan or a sort touches of a list of n elements.
func listBytes(name string, n float64) float64 {
	switch name {
	case "in", "out", "keys", "values", "keys_out", "values_out":
		return 4 * n
	case "histogram", "offsets", "sweep":
		return 4 * kernel.Radix * math.Ceil(n/kernel.SortBlock)
	case "sums":
		return 4 * math.Ceil(n/kernel.ScanBlock)
	}
	return 0
}

// coefficients is the number of SH coefficients a channel that a kernel works on.
func coefficients(d *kernel.Dispatch) float64 {
	for i, name := range d.Kernel.Constants {
		if name == "coefficients" {
			return float64(d.Constants[i])
		}
	}
	return 0
}

// wordsAPixel follows from the length of the buffer beside that of the picture.
func wordsAPixel(d *kernel.Dispatch, i int) float64 {
	if k := d.Kernel.Index("image"); k >= 0 && d.Buffers[k].Len >= 4 {
		return math.Round(4 * float64(d.Buffers[i].Len) / float64(d.Buffers[k].Len))
	}
	return 0
}

// Operations of float32, roughly: what the formulas of the readable kernels have.
const (
	opsTest         = 9   // power, exponential, comparison of one splat at one pixel
	opsBlend        = 10  // weight, three colours, transmittance
	opsBlendBack    = 45  // their derivatives and sums
	opsProject      = 250 // covariance, conic, extent of a splat
	opsUpdate       = 500 // chain rule of a splat that is visible
	opsAdam         = 14  // a parameter
	opsLossPixel    = 3 * (5*2*11*2 + 30)
	opsLossGradient = 3 * (3*2*11*2 + 20)
)

// opsOf estimates the operations of the kernels that compute; the others move data.
func opsOf(d *kernel.Dispatch, w *Work) float64 {
	switch d.Kernel {
	case kernel.Project:
		return w.Splats*30 + w.Visible*(opsProject+6*coefficients(d))
	case kernel.Rasterize, kernel.RasterizeSaving:
		return w.Evaluated*opsTest + w.Blended*opsBlend
	case kernel.RasterizeBackward, kernel.RasterizeBackwardBuckets:
		return w.Evaluated*opsTest + w.Blended*opsBlendBack
	case kernel.Loss:
		return w.Pixels * opsLossPixel
	case kernel.LossGradient:
		return w.Pixels * opsLossGradient
	case kernel.Update:
		return w.Visible*opsUpdate + w.Splats*opsAdam*(11+3*coefficients(d)) + w.Pairs*kernel.SlotRow
	}
	return 0
}
