package kernel

import (
	"math"
	"unsafe"
)

// The records are the structs that host and device share. All fields are 4 bytes
// wide, so Go's layout is the scalar layout of the device.

// Control is the device's own state. It survives steps; the host changes it only
// while nothing is in flight.
type Control struct {
	Step       uint32 // steps committed
	Limit      uint32 // begin does nothing once Step has reached it
	LastRefine uint32 // value of Step at which the last refine ran
	Overflow   uint32 // Overflow* bits; anything set turns steps into no-ops
	Splats     uint32 // live splats
	NeedPairs  uint32 // pairs the overflowing step asked for
	NeedSplats uint32 // splats the overflowing refine asked for
	Capped     uint32 // splats that the last refine would have added beyond the limit
	Request    uint32 // view asked for by a render recording
	PeakPairs  uint32 // largest number of pairs of a step since the host last cleared it
	NonFinite  uint32 // 1 + step that met numbers which are not finite; 0 if none. No later step runs
	Broken     uint32 // the first splat that met them, or NoSplat
}

// NoSplat is the value of Control.Broken when the loss is not finite and yet no
// splat's gradient is.
const NoSplat = math.MaxUint32

// Bits of Control.Overflow.
const (
	OverflowPairs  = 1
	OverflowSplats = 2
)

// Schedule is the part of the configuration that the device needs, constant for
// a run. Lengths are in the training frame, whose unit is the capture's extent.
type Schedule struct {
	Seed, Views, Steps, SHInterval        uint32
	SHDegree, RefineEvery                 uint32
	RefineStart, RefineStop               uint32 // in steps; refine when start <= step <= stop and step % every == 0
	ResetEvery, Strategy, MaxSplats, Mode uint32
	LRMeans, LRMeansEnd                   float32
	LRScales, LRQuats, LROpacities        float32
	LRSH0, LRSHRest                       float32
	Beta1, Beta2, Eps                     float32
	SSIMLambda, OpacityReg, ScaleReg      float32
	NoiseLR                               float32
	Near, Blur                            float32
	Background                            [3]float32
	BackgroundRandom                      uint32
	PruneOpacity, OpacityDecay            float32
	DecayFactor                           float32
	Growth                                uint32 // mcmc: rows added at a refine, in 1/65536 of those there are
	GrowGrad, GrowScale, PruneScale       float32
	ResetOpacity                          float32
	AbsGrad, RevisedOpacity               uint32
	RingSlots, RingPixels                 uint32 // 0, or the places of the target ring and the pixels of each
	WeightScale                           uint32 // integer sampling weight of an opacity of 1
}

// Values of Schedule.Strategy.
const (
	StrategyMCMC = iota
	StrategyADC
)

// ModeAntialiased is the bit of Schedule.Mode and Step.Mode that asks for opacity
// compensation.
const ModeAntialiased = 1

// View is one camera and where its target lies.
type View struct {
	R              [9]float32 // world to camera, row-major
	T              [3]float32
	Fx, Fy, Cx, Cy float32
	Width, Height  uint32
	Pixels         uint32  // first pixel in the target buffer
	Flags          uint32  // View* bits
	LossScale      float32 // 1 / (3 * pixels that count)
	Resident       uint32  // 0: pixels are not there yet, a step on this view is a no-op
}

// ViewMask is the bit of View.Flags which says that alpha 0 means "ignore this
// pixel"; otherwise the target is premultiplied and composited on the background.
const ViewMask = 1

// Reasons in Step.Noop why a step does nothing.
const (
	NoopNone = iota
	NoopLimit
	NoopOverflow
	NoopRefine
	NoopResident
	NoopBroken
)

// Step is what begin decides for one step: view, rates, seeds. All later kernels
// read it.
type Step struct {
	Noop           uint32
	Index          uint32 // number of this step, from 0
	View           uint32
	SHDegree       uint32 // active degree
	R              [9]float32
	T              [3]float32
	Fx, Fy, Cx, Cy float32
	Width, Height  uint32
	TilesX, TilesY uint32
	Pixels, Flags  uint32
	LossScale      float32
	Camera         [3]float32 // position of the camera in the world
	Near, Blur     float32
	Mode           uint32
	Background     [3]float32
	LRMeans        float32
	LRScales       float32
	LRQuats        float32
	LROpacities    float32
	LRSH0          float32
	LRSHRest       float32
	Beta1, Beta2   float32
	Eps            float32
	Bias1          float32 // 1 - beta1^t
	Bias2          float32 // 1 - beta2^t
	SSIMLambda     float32
	OpacityReg     float32 // already divided by the number of splats
	ScaleReg       float32 // already divided by three times the number of splats
	Noise          float32 // 0 is off
	Audit          uint32  // 1: this step looks at all parameters and moments
	Seed           uint32  // of this step
}

// Refine is what refine_begin decides for one refine.
type Refine struct {
	Due      uint32 // 0: this recording does nothing
	Index    uint32 // step at which it runs
	Seed     uint32
	Reset    uint32  // 1: reset opacities (adc)
	PruneBig uint32  // 1: prune by size (adc, after the first reset)
	Before   uint32  // splats before
	After    uint32  // splats after
	Holes    uint32  // rows freed by pruning
	Adds     uint32  // rows added
	Draws    uint32  // samples to draw in the current sampling round
	Grow     uint32  // rows that the growth round appends (mcmc)
	Fade     float32 // 1 - step/steps
	Capped   uint32  // rows wanted beyond the limit
	_        [3]uint32
}

// Stats is one committed step's statistics, written to a ring by commit.
type Stats struct {
	Step    uint32 // number of the step, from 0
	View    uint32
	Splats  uint32
	Visible uint32
	Pairs   uint32
	Loss    float32
	L1      float32
	SSIM    float32
}

// GrowthOf turns a factor on the number of splats into Schedule.Growth. Growth is
// counted in integers: 1.05 is no float32, and 1.05 of 100 splats must be 105.
func GrowthOf(factor float64) uint32 { return uint32(math.Round((factor - 1) * 65536)) }

// recordSizes maps a record's element name to its size in bytes.
var recordSizes = map[Elem]int{
	"Control":  int(unsafe.Sizeof(Control{})),
	"Schedule": int(unsafe.Sizeof(Schedule{})),
	"View":     int(unsafe.Sizeof(View{})),
	"Step":     int(unsafe.Sizeof(Step{})),
	"Refine":   int(unsafe.Sizeof(Refine{})),
	"Stats":    int(unsafe.Sizeof(Stats{})),
}

// Size returns the bytes of one element on a device; 0 for an unknown type.
func (e Elem) Size() int {
	if e == U32 || e == Real {
		return 4
	}
	return recordSizes[e]
}
