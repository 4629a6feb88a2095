package kerneltest

import "splat/internal/kernel"

// rasterCases are the kernels of a pixel or a tile.
var rasterCases = []Case{
	{"rasterize", []Output{
		near("image", 1e-5, 1e-6).columns(4).where(pixels(4)).flips(2e-3, blendTest),
		exact("last").where(pixels(1)).flips(2e-3, blendTest),
	}},
	{"rasterize_saving", []Output{
		near("image", 1e-5, 1e-6).columns(4).where(pixels(4)).flips(2e-3, blendTest),
		exact("last").where(pixels(1)).flips(2e-3, blendTest),
		near("checkpoints", 1e-5, 1e-6).columns(kernel.SavedRow).where(nothing), // scratch
		exact("bucket_tiles").where(bucketPlaces),
	}},
	{"loss", []Output{
		// A variance is the difference of two means, and small against them where a picture
		// is bright and flat: an ulp of the mean of squares is 0.3 of a derivative there.
		near("maps", 1e-3, 3e-3).columns(9).where(pixels(9)),
		near("partials", 5e-5, 1e-6).columns(2).where(tiles(2)),
	}},
	{"loss_gradient", []Output{
		near("gradient", 1e-4, 2e-6).columns(3).where(pixels(3)).flips(3e-3, signTest).gradient(),
	}},
	{"rasterize_backward", []Output{
		near("slots", 2e-4, 4e-6).upTo(kernel.CountPairs, kernel.SlotRow).flips(2e-3, blendTest).gradient(),
	}},
	{"rasterize_backward_buckets", []Output{
		near("slots", 2e-4, 4e-6).upTo(kernel.CountPairs, kernel.SlotRow).flips(2e-3, blendTest).gradient(),
	}},
}

// Targets are bytes on a background, so some pixels equal theirs but for rounding.
const signTest = "whether the picture is above or below the target"

const blendTest = "whether alpha reaches 1/255 and the transmittance passes 1e-4"

// nothing defines no word: how a kernel uses its scratch is its own affair.
func nothing(*Run) func(int) bool { return func(int) bool { return false } }

// bucketPlaces defines the places of all buckets.
func bucketPlaces(r *Run) func(int) bool {
	s := r.Step()
	tiles := int(s.TilesX * s.TilesY)
	n := kernel.BucketPlaces(int(r.Want["ranges"][2*tiles-1]), tiles)
	return func(word int) bool { return word < n }
}
