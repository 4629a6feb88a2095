package kerneltest

import "splat/internal/kernel"

// rasterCases are the kernels of a pixel or a tile.
var rasterCases = []Case{
	{"rasterize", []Output{
		near("image", 1e-5, 1e-6).columns(4).where(pixels(4)).flips(2e-3, blendTest),
		exact("last").where(pixels(1)).flips(2e-3, blendTest),
	}},
	{"loss", []Output{
		// A variance is the difference of two means.
		near("maps", 1e-3, 1e-4).columns(9).where(pixels(9)),
		near("partials", 1e-5, 1e-6).columns(2).where(tiles(2)),
	}},
	{"loss_gradient", []Output{
		near("gradient", 1e-4, 2e-6).columns(3).where(pixels(3)).flips(3e-3, signTest).gradient(),
	}},
	{"rasterize_backward", []Output{
		near("slots", 2e-4, 4e-6).upTo(kernel.CountPairs, kernel.SlotRow).flips(2e-3, blendTest).gradient(),
	}},
}

// Targets are bytes on a background, so some pixels equal theirs but for rounding.
const signTest = "whether the picture is above or below the target"

const blendTest = "whether alpha reaches 1/255 and the transmittance passes 1e-4"
