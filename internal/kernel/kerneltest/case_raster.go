package kerneltest

import "splat/internal/kernel"

// rasterCases are the kernels of a pixel or a tile.
var rasterCases = []Case{
	{"rasterize", []Output{
		near("image", 1e-4, 2e-6).columns(4).where(pixels(4)).flips(2e-3, blendTest),
		exact("last").where(pixels(1)).flips(2e-3, blendTest),
	}},
	{"loss", []Output{
		near("maps", 1e-3, 2e-5).columns(9).where(pixels(9)),
		near("partials", 1e-5, 1e-6).columns(2).where(tiles(2)),
	}},
	{"loss_gradient", []Output{near("gradient", 1e-3, 2e-5).columns(3).where(pixels(3)).gradient()}},
	{"rasterize_backward", []Output{
		near("slots", 1e-3, 2e-5).upTo(kernel.CountPairs, kernel.SlotRow).flips(2e-3, blendTest).gradient(),
	}},
}

const blendTest = "whether alpha reaches 1/255 and the transmittance passes 1e-4"
