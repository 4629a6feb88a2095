package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// poisons are values that a broken file or a diverged training may hold.
var poisons = map[string]float32{
	"NaN":       float32(math.NaN()),
	"Inf":       float32(math.Inf(1)),
	"-Inf":      float32(math.Inf(-1)),
	"denormal":  math.Float32frombits(1),
	"-denormal": -math.Float32frombits(3),
	"largest":   math.MaxFloat32,
	"-largest":  -math.MaxFloat32,
	"1e20":      1e20,
	"-1e20":     -1e20,
	"+40":       40,
	"-40":       -40,
	"0":         0,
}

// checkFinite renders and trains a step: every number of the picture is ordinary,
// and the step notices if a number of splat 4's geom is not.
func checkFinite(t *testing.T, s *kerneltest.Scene) {
	t.Helper()
	for _, reference := range []bool{false, true} {
		checkFiniteOn(t, s, cpu.Options{Threads: 1, Reference: reference})
	}
}

func checkFiniteOn(t *testing.T, s *kerneltest.Scene, o cpu.Options) {
	t.Helper()
	pl := s.Load(t, kerneltest.NewCPU(t, o), nil)
	kerneltest.Submit(t, pl, pl.RenderProgram, 1)
	c := kerneltest.Control(t, pl)
	if c.Overflow != 0 {
		t.Fatalf("overflow: %+v", c)
	}
	w, h := int(s.Views[0].Width), int(s.Views[0].Height)
	for i, v := range kerneltest.Reals(t, pl, pl.Image, 4*w*h) {
		if !(math.Abs(float64(v)) <= math.MaxFloat32) {
			t.Fatalf("pixel %d, channel %d is %v", i/4, i%4, v)
		}
	}
	kerneltest.Submit(t, pl, pl.StepProgram, 1)
	c = kerneltest.Control(t, pl)
	if damaged := firstDamaged(s); damaged >= 0 {
		if c.Step != 0 || c.NonFinite != 1 || int(c.Broken) != damaged {
			t.Errorf("a step over damaged splat %d: %+v", damaged, c)
		}
	} else if c.Step != 1 || c.NonFinite != 0 {
		t.Errorf("after a step: %+v", c)
	}
}

// firstDamaged returns the first splat whose geom is not finite, -1 if none.
func firstDamaged(s *kerneltest.Scene) int {
	for i, v := range s.Geom {
		if i%kernel.GeomRow < kernel.GeomRow-1 && !(math.Abs(float64(v)) <= math.MaxFloat32) {
			return i / kernel.GeomRow
		}
	}
	return -1
}

// TestAuditFindsDamagedMoments: nothing else looks at the moments of coefficients
// above the active degree.
func TestAuditFindsDamagedMoments(t *testing.T) {
	for _, reference := range []bool{false, true} {
		s := poisonScene()
		s.Schedule.SHInterval = 1 << 20
		pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{Reference: reference}), nil)
		moments := make([]float32, 12*48)
		moments[5*48+30] = float32(math.Inf(-1))
		kerneltest.WriteReals(t, pl, pl.SHV, moments)
		kerneltest.Submit(t, pl, pl.StepProgram, kernel.AuditEvery+3)
		c := kerneltest.Control(t, pl)
		if c.Step != kernel.AuditEvery-1 || c.NonFinite != kernel.AuditEvery || c.Broken != 5 {
			t.Errorf("reference %v: %+v", reference, c)
		}
	}
}

func poisonScene() *kerneltest.Scene {
	s := kerneltest.NewScene(70, 12, 19, 17, 3)
	s.Plan.Pairs = 256
	return s
}

// TestPoisonedGeometryGivesACleanPicture sets one stored number, then all of a
// kind, of one splat among good ones.
func TestPoisonedGeometryGivesACleanPicture(t *testing.T) {
	for name, v := range poisons {
		t.Run(name, func(t *testing.T) {
			for column := range kernel.GeomRow - 1 {
				s := poisonScene()
				s.Geom[4*kernel.GeomRow+column] = v
				checkFinite(t, s)
			}
			for _, group := range [][2]int{{kernel.GeomMean, 3}, {kernel.GeomQuat, 4}, {kernel.GeomScale, 3}, {0, kernel.GeomRow}} {
				s := poisonScene()
				for k := range group[1] {
					s.Geom[4*kernel.GeomRow+group[0]+k] = v
				}
				checkFinite(t, s)
			}
		})
	}
}

// TestPoisonedColourGivesACleanPicture does the same to SH coefficients. A huge
// but finite colour is drawn, and its loss may overflow, which is reported.
func TestPoisonedColourGivesACleanPicture(t *testing.T) {
	for name, v := range poisons {
		if math.Abs(float64(v)) >= 1e20 && !math.IsInf(float64(v), 0) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, column := range []int{0, 4, 47} {
				s := poisonScene()
				s.SH[4*48+column] = v
				checkFinite(t, s)
			}
		})
	}
}

// TestPoisonedSplatsLeaveTheOthersAlone: what cannot be drawn changes nothing.
func TestPoisonedSplatsLeaveTheOthersAlone(t *testing.T) {
	picture := func(s *kerneltest.Scene) []float32 {
		pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{Threads: 1}), nil)
		kerneltest.Submit(t, pl, pl.RenderProgram, 1)
		return kerneltest.Reals(t, pl, pl.Image, 4*19*17)
	}
	without := poisonScene()
	without.SetOpacity(4, -20)
	want := picture(without)
	nan := float32(math.NaN())
	for name, change := range map[string]func(row []float32){
		"NaN mean":        func(row []float32) { row[1] = nan },
		"infinite mean":   func(row []float32) { row[0] = float32(math.Inf(1)) },
		"NaN scale":       func(row []float32) { row[kernel.GeomScale+1] = nan },
		"NaN opacity":     func(row []float32) { row[kernel.GeomOpacity] = nan },
		"zero quaternion": func(row []float32) { clear(row[kernel.GeomQuat : kernel.GeomQuat+4]) },
		"NaN quaternion":  func(row []float32) { row[kernel.GeomQuat] = nan },
		"scale +40": func(row []float32) {
			row[kernel.GeomScale], row[kernel.GeomScale+1], row[kernel.GeomScale+2] = 40, 40, 40
		},
		"behind":   func(row []float32) { row[2] = -50 },
		"far away": func(row []float32) { row[2] = 1e12 },
	} {
		s := poisonScene()
		change(s.Geom[4*kernel.GeomRow:])
		for i, v := range picture(s) {
			if v != want[i] {
				t.Errorf("%s: pixel %d, channel %d is %v, without the splat %v", name, i/4, i%4, v, want[i])
				break
			}
		}
	}
}

// TestMeansAtTheCamera puts splats at the camera, on the near plane and beside it.
func TestMeansAtTheCamera(t *testing.T) {
	v := kerneltest.TiltedView(19, 17)
	at := func(depth, side float32) (mean [3]float32) { // R^T (p - t)
		p := [3]float32{side - v.T[0], -v.T[1], depth - v.T[2]}
		for k := range 3 {
			for r := range 3 {
				mean[k] += v.R[3*r+k] * p[r]
			}
		}
		return mean
	}
	for _, depth := range []float32{-1, 0, 1e-30, 0.005, 0.01, 0.010001, 0.02} {
		for _, side := range []float32{0, 1e-6, 1, 1e6} {
			t.Run(fmt.Sprint(depth, " ", side), func(t *testing.T) {
				s := poisonScene()
				m := at(depth, side)
				copy(s.Geom[4*kernel.GeomRow:], m[:])
				checkFinite(t, s)
			})
		}
	}
}

// TestOpacityAtTheThreshold walks over the logits around 1/255, one float at a time.
func TestOpacityAtTheThreshold(t *testing.T) {
	logit := float32(math.Log(1. / 254))
	for range 6 {
		logit = math.Nextafter32(logit, -100)
	}
	seen := map[bool]bool{}
	for range 12 {
		s := poisonScene()
		s.SetOpacity(4, logit)
		s.Geom[4*kernel.GeomRow+2] = -2
		checkFinite(t, s)
		seen[1/(1+math.Exp(-float64(logit))) >= 1./255] = true
		logit = math.Nextafter32(logit, 100)
	}
	if len(seen) != 2 {
		t.Error("the walk does not cross the threshold")
	}
}

// TestRandomNeedlesGiveACleanPicture draws splats of all shapes, many so thin that
// their covariance is singular in float32, one at a time.
func TestRandomNeedlesGiveACleanPicture(t *testing.T) {
	s := kerneltest.NewScene(72, 1, 70, 50, 0)
	s.Plan.Pairs = s.Plan.Tiles
	pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{Threads: 1}), nil)
	rng := rand.New(rand.NewPCG(72, 1))
	drawn := 0
	for trial := range 2000 {
		row := make([]float32, kernel.GeomRow)
		for k := range 3 {
			row[k], row[kernel.GeomScale+k] = float32(8*rng.Float64()-4), float32(30*rng.Float64()-12)
		}
		for k := range 4 {
			row[kernel.GeomQuat+k] = float32(rng.NormFloat64())
		}
		row[kernel.GeomOpacity] = float32(4 * rng.NormFloat64())
		kerneltest.WriteReals(t, pl, pl.Geom, row)
		kerneltest.Submit(t, pl, pl.RenderProgram, 1)
		covered := false
		for i, v := range kerneltest.Reals(t, pl, pl.Image, 4*70*50) {
			if !(v >= 0 && v < 100) || i%4 == 3 && v > 1 {
				t.Fatalf("trial %d: pixel %d, channel %d is %v for the splat %v", trial, i/4, i%4, v, row)
			}
			covered = covered || i%4 == 3 && v < 1
		}
		if covered {
			drawn++
		}
	}
	if c := kerneltest.Control(t, pl); drawn < 200 || c.Overflow != 0 {
		t.Errorf("%d of 2000 splats are drawn; %+v", drawn, c)
	}
}

// TestPoisonTakesNoMoreTilesThanThereAre bounds the time of a frame: no splat takes more tiles than there are.
func TestPoisonTakesNoMoreTilesThanThereAre(t *testing.T) {
	for _, scale := range []float32{2, 5, 10, 15, 18, 20, 30, 40, 44, 60, 88, 1000} {
		s := kerneltest.NewScene(71, 4, 70, 50, 0)
		s.Plan.Pairs = 4 * s.Plan.Tiles
		for i := range s.Splats {
			for k := range 3 {
				s.Geom[i*kernel.GeomRow+kernel.GeomScale+k] = scale
			}
		}
		checkFinite(t, s)
	}
}
