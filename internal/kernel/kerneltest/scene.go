// Package kerneltest is the conformance suite that every backend must pass, and
// the scenes that tests of the pipeline share. Check is the suite for programs: it
// returns what it found and does without the test framework, so that splat can
// check the machine it runs on. RunAll, RunExact and the helpers of testing.go are
// thin wrappers for tests.
package kerneltest

import (
	"errors"
	"math"
	"math/rand/v2"

	"splat/internal/kernel"
	"splat/internal/pipeline"
)

// Scene is a small scene with everything that makes gradients hard: cameras
// off-centre, rotated, with fx != fy and odd sizes, splats of all orientations.
type Scene struct {
	Plan     pipeline.Plan
	Schedule kernel.Schedule
	Views    []kernel.View
	Geom, SH []float32
	Targets  []uint32
	Window   []float32
	Splats   int
}

// NewScene makes n splats in front of a camera of w x h pixels.
func NewScene(seed uint64, n, w, h, degree int) *Scene {
	rng := rand.New(rand.NewPCG(seed, 2))
	s := &Scene{Splats: n}
	s.Plan = pipeline.Plan{
		SHDegree: degree, Splats: n, Pairs: 64 * n, Views: 1, Pixels: w * h,
		Tiles:        kernel.Blocks(w, kernel.TileSize) * kernel.Blocks(h, kernel.TileSize),
		TargetPixels: w * h, Training: true, Window: 11,
	}
	s.Schedule = kernel.Schedule{
		Seed: 7, Views: 1, Steps: 1000, SHDegree: uint32(degree), MaxSplats: uint32(n),
		LRMeans: 1e-3, LRMeansEnd: 1e-5, LRScales: 5e-3, LRQuats: 1e-3, LROpacities: 5e-2, LRSH0: 2.5e-3, LRSHRest: 1e-4,
		Beta1: 0.9, Beta2: 0.999, Eps: 1e-15, SSIMLambda: 0.2, Near: 0.01, Blur: 0.3,
		Background: [3]float32{0.2, 0.5, 0.9}, Growth: kernel.GrowthOf(1.05), DecayFactor: 1,
	}
	s.Views = []kernel.View{TiltedView(w, h)}
	for range n {
		s.addSplat(rng, degree)
	}
	for range w * h {
		s.Targets = append(s.Targets, rng.Uint32())
	}
	for i := range s.Targets { // premultiplied: colour at most alpha
		a := s.Targets[i] >> 24
		s.Targets[i] = a<<24 | a*(s.Targets[i]&0xFF)/255 | a*(s.Targets[i]>>8&0xFF)/255<<8 | a*(s.Targets[i]>>16&0xFF)/255<<16
	}
	s.Window = GaussianWindow(s.Plan.Window)
	return s
}

// TiltedView is a rotated, off-centre camera with fx != fy, 4 units from the origin.
func TiltedView(w, h int) kernel.View {
	// a rotation by 0.3 about an oblique axis, in float64
	ax, ay, az, angle := 0.48, 0.64, 0.6, 0.3
	c, s := math.Cos(angle), math.Sin(angle)
	r := [9]float64{
		c + ax*ax*(1-c), ax*ay*(1-c) - az*s, ax*az*(1-c) + ay*s,
		ay*ax*(1-c) + az*s, c + ay*ay*(1-c), ay*az*(1-c) - ax*s,
		az*ax*(1-c) - ay*s, az*ay*(1-c) + ax*s, c + az*az*(1-c),
	}
	v := kernel.View{
		T: [3]float32{0.1, -0.2, 4}, Fx: float32(w) * 1.1, Fy: float32(w) * 1.3, Cx: float32(w)*0.5 + 3.3, Cy: float32(h)*0.5 - 2.1,
		Width: uint32(w), Height: uint32(h), LossScale: float32(1 / (3 * float64(w*h))), Resident: 1,
	}
	for i := range r {
		v.R[i] = float32(r[i])
	}
	return v
}

func (s *Scene) addSplat(rng *rand.Rand, degree int) {
	row := make([]float32, kernel.GeomRow)
	for k := range 3 {
		row[kernel.GeomMean+k] = float32(rng.Float64()*2 - 1)
		row[kernel.GeomScale+k] = float32(-2.5 + 1.2*rng.Float64())
	}
	for k := range 4 {
		row[kernel.GeomQuat+k] = float32(rng.NormFloat64())
	}
	row[kernel.GeomOpacity] = float32(rng.Float64()*3 - 1.5)
	s.Geom = append(s.Geom, row...)
	for k := range 3 * kernel.Coefficients(degree) {
		scale := 0.15
		if k < 3 {
			scale = 0.5
		}
		s.SH = append(s.SH, float32(rng.NormFloat64()*scale))
	}
}

// GaussianWindow is the 1-D SSIM window of sigma 1.5 with n taps.
func GaussianWindow(n int) []float32 {
	w := make([]float32, n)
	var sum float64
	for i := range w {
		sum += math.Exp(-math.Pow(float64(i-n/2), 2) / 4.5)
	}
	for i := range w {
		w[i] = float32(math.Exp(-math.Pow(float64(i-n/2), 2)/4.5) / sum)
	}
	return w
}

// Build makes a pipeline of the scene on be; the caller frees it.
func (s *Scene) Build(be kernel.Backend, refiner pipeline.Refiner) (*pipeline.Pipeline, error) {
	pl, err := pipeline.New(be, s.Plan, refiner)
	if err != nil {
		return nil, err
	}
	if err := s.upload(pl); err != nil {
		pl.Free()
		return nil, err
	}
	return pl, nil
}

// upload stores the scene in the pipeline's buffers.
func (s *Scene) upload(pl *pipeline.Pipeline) error {
	be := pl.Backend
	errs := []error{
		kernel.WriteRecord(be, pl.Schedule, 0, s.Schedule),
		kernel.WriteSlice(be, pl.Geom, 0, s.Geom),
		kernel.WriteSlice(be, pl.SH, 0, s.SH),
		kernel.WriteRecord(be, pl.Control, 0, kernel.Control{Splats: uint32(s.Splats), Limit: 1 << 30}),
	}
	for i, v := range s.Views {
		errs = append(errs, kernel.WriteRecord(be, pl.Views, i, v))
	}
	if s.Plan.Training {
		errs = append(errs, kernel.WriteSlice(be, pl.Targets, 0, s.Targets), kernel.WriteSlice(be, pl.Window, 0, s.Window))
	}
	return errors.Join(errs...)
}
