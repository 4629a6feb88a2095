package bench

import (
	"fmt"
	"math"

	"splat/internal/kernel"
	"splat/internal/kernel/null"
	"splat/internal/pipeline"
)

// Scene is the synthetic workload at one size: so many splats of the cloud, seen
// in a picture of so many pixels.
type Scene struct {
	Splats        int
	Width, Height int
}

// String names the scene as names of cases do: splats=1M/size=1920x1080.
func (s Scene) String() string {
	return fmt.Sprintf("splats=%s/size=%s", FormatCount(s.Splats), Size{s.Width, s.Height})
}

// ssimWindow is the side of the SSIM window, as in the default configuration.
const ssimWindow = 11

// plan sizes the buffers.
func (s Scene) plan(training bool) pipeline.Plan {
	p := pipeline.Plan{
		SHDegree: degree, Splats: s.Splats, Pairs: pairsOf(s.Splats, s.Width, s.Height), Views: 1,
		Pixels: s.Width * s.Height,
		Tiles:  kernel.Blocks(s.Width, kernel.TileSize) * kernel.Blocks(s.Height, kernel.TileSize),
	}
	if training {
		p.Training, p.Window, p.TargetPixels = true, ssimWindow, p.Pixels
	}
	return p
}

// bytes is the device memory that the scene takes.
func (s Scene) bytes(training bool) (int64, error) {
	be := null.New()
	_, err := pipeline.New(be, s.plan(training), nil)
	return be.Bytes(), err
}

func (s Scene) view() kernel.View {
	focal := float32(float64(s.Width) / (2 * halfWidth))
	return kernel.View{
		R:  [9]float32{1, 0, 0, 0, 1, 0, 0, 0, 1},
		Fx: focal, Fy: focal, Cx: float32(s.Width) / 2, Cy: float32(s.Height) / 2,
		Width: uint32(s.Width), Height: uint32(s.Height), Resident: 1,
		LossScale: float32(1 / (3 * float64(s.Width) * float64(s.Height))),
	}
}

// schedule has every term of a training switched on and learning rates so small
// that nothing moves: a million steps do the same work on the same splats.
func (s Scene) schedule() kernel.Schedule {
	const still = 1e-12
	return kernel.Schedule{
		Seed: 1, Views: 1, Steps: 1 << 30, SHDegree: degree, MaxSplats: uint32(s.Splats),
		LRMeans: still, LRScales: still, LRQuats: still, LROpacities: still, LRSH0: still, LRSHRest: still,
		Beta1: 0.9, Beta2: 0.999, Eps: 1e-15, NoiseLR: 1,
		SSIMLambda: 0.2, OpacityReg: 0.01, ScaleReg: 0.01, Near: 0.01, Blur: blur,
		Strategy: kernel.StrategyMCMC, DecayFactor: 1,
	}
}

// window is the SSIM window of sigma 1.5.
func window() []float32 {
	w := make([]float32, ssimWindow)
	sum := 0.0
	for i := range w {
		sum += math.Exp(-math.Pow(float64(i-ssimWindow/2), 2) / 4.5)
	}
	for i := range w {
		w[i] = float32(math.Exp(-math.Pow(float64(i-ssimWindow/2), 2)/4.5) / sum)
	}
	return w
}

// target is the opaque picture to train on: soft stripes with grain.
func (s Scene) target(from int, words []uint32) {
	for i := range words {
		at := from + i
		x, y := at%s.Width, at/s.Width
		grain := kernel.Hash(1, 0, uint32(at)) & 31
		r, g, b := uint32(x*200/s.Width)+grain, uint32(y*200/s.Height)+grain, uint32((x+y)&127)+grain
		words[i] = 0xFF<<24 | b<<16 | g<<8 | r
	}
}
