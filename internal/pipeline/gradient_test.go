package pipeline_test

import (
	"fmt"
	"math"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
	"splat/internal/pipeline"
)

// The whole step's gradient against central differences of the whole loss, in
// float64. After one step from empty moments the first moment is (1-beta1) g, so
// the optimiser's own state delivers the gradient.

// lossOf runs the forward pass and returns the loss of the scene as it is on be.
func lossOf(t testing.TB, be *cpu.Backend, pl *pipeline.Pipeline) float64 {
	kerneltest.Submit(t, pl, pl.MeasureProgram, 1)
	v := viewOf(t, pl)
	var l1, ssim float64
	p := be.Reals64(pl.Partials)
	for i := range pl.Plan.Tiles {
		l1 += p[2*i]
		ssim += p[2*i+1]
	}
	scale := float64(v.LossScale)
	lambda := float64(float32(0.2))
	return (1-lambda)*l1*scale + lambda*(1-ssim*scale)
}

func viewOf(t testing.TB, pl *pipeline.Pipeline) kernel.View {
	v, err := kernel.ReadRecord[kernel.View](pl.Backend, pl.Views, 0)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// gradientOf runs one step and reads the gradient from the first moments.
func gradientOf(t testing.TB, be *cpu.Backend, pl *pipeline.Pipeline, beta1 float32) (geom, sh []float64) {
	kerneltest.Submit(t, pl, pl.StepProgram, 1)
	if c := kerneltest.Control(t, pl); c.Step != 1 {
		t.Fatalf("the step was not committed: %+v", c)
	}
	scale := 1 / (1 - float64(beta1))
	for _, v := range be.Reals64(pl.GeomM) {
		geom = append(geom, v*scale)
	}
	for _, v := range be.Reals64(pl.SHM) {
		sh = append(sh, v*scale)
	}
	return geom, sh
}

// compareGradient reports the first elements where got and want disagree by more
// than rel relative to the larger of the two and floor times the largest of the
// group; NaN never agrees, and a zero against a gradient never does.
func compareGradient(got, want []float64, rel, floor float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	var largest float64
	for _, v := range want {
		largest = math.Max(largest, math.Abs(v))
	}
	for i := range got {
		limit := rel*math.Max(math.Abs(got[i]), math.Abs(want[i])) + rel*floor*largest
		if !(math.Abs(got[i]-want[i]) <= limit) {
			return fmt.Errorf("element %d: %.10g, want %.10g (largest of the group %.3g)", i, got[i], want[i], largest)
		}
	}
	return nil
}

func TestCompareGradientCanFail(t *testing.T) {
	want := []float64{1, 1e-3, 0}
	for name, got := range map[string][]float64{
		"sign":   {-1, 1e-3, 0},
		"NaN":    {math.NaN(), 1e-3, 0},
		"zero":   {1, 0, 0},
		"scale":  {1.0001, 1e-3, 0},
		"length": {1, 1e-3},
	} {
		if compareGradient(got, want, 1e-5, 1e-4) == nil {
			t.Errorf("%s: accepted %v for %v", name, got, want)
		}
	}
	if err := compareGradient([]float64{1 + 1e-7, 1e-3, 0}, want, 1e-5, 1e-4); err != nil {
		t.Error(err)
	}
}

type gradientCase struct {
	name   string
	change func(*kerneltest.Scene)
	w, h   int
}

var gradientCases = []gradientCase{
	{"plain", func(*kerneltest.Scene) {}, 37, 29},
	{"antialiased", func(s *kerneltest.Scene) { s.Schedule.Mode, s.Schedule.Blur = kernel.ModeAntialiased, 0.1 }, 33, 31},
	{"tiny picture", func(*kerneltest.Scene) {}, 7, 5},
	{"masked", func(s *kerneltest.Scene) {
		s.Views[0].Flags = kernel.ViewMask
		for i := range s.Targets {
			s.Targets[i] |= 0xFF000000
			if i%5 == 0 {
				s.Targets[i] &= 0x00FFFFFF
			}
		}
	}, 37, 29},
	{"more than 32 tiles", func(s *kerneltest.Scene) {
		for i := range s.Splats {
			for k := range 3 {
				s.Geom[i*kernel.GeomRow+kernel.GeomScale+k] += 2.2
			}
		}
	}, 113, 97},
	{"small window", func(s *kerneltest.Scene) { s.Plan.Window = 5; s.Window = kerneltest.GaussianWindow(5) }, 21, 40},
}

func TestStepGradient(t *testing.T) {
	for _, c := range gradientCases {
		t.Run(c.name, func(t *testing.T) {
			splats := 14
			if c.w > 100 {
				splats = 3
			}
			s := kerneltest.NewScene(3, splats, c.w, c.h, 3)
			s.Plan.Smooth = true
			c.change(s)
			be := kerneltest.NewCPU(t, cpu.Options{Float64: true})
			pl := s.Load(t, be, nil)
			geomFD, shFD := centralDifferences(t, be, pl, s)
			geom, sh := gradientOf(t, be, pl, s.Schedule.Beta1)
			for _, group := range []struct {
				name  string
				at, n int
			}{{"means", kernel.GeomMean, 3}, {"opacities", kernel.GeomOpacity, 1}, {"quats", kernel.GeomQuat, 4}, {"scales", kernel.GeomScale, 3}} {
				got, want := column(geom, group.at, group.n), column(geomFD, group.at, group.n)
				if err := compareGradient(got, want, 1e-5, 1e-2); err != nil {
					t.Errorf("%s: %v", group.name, err)
				}
			}
			if err := compareGradient(sh, shFD, 1e-5, 1e-2); err != nil {
				t.Errorf("sh: %v", err)
			}
		})
	}
}

func column(rows []float64, at, n int) (out []float64) {
	for i := at; i < len(rows); i += kernel.GeomRow {
		out = append(out, rows[i:i+n]...)
	}
	return out
}

func centralDifferences(t *testing.T, be *cpu.Backend, pl *pipeline.Pipeline, s *kerneltest.Scene) (geom, sh []float64) {
	diff := func(p *float64) float64 {
		const eps = 1e-5
		old := *p
		*p = old + eps
		up := lossOf(t, be, pl)
		*p = old - eps
		down := lossOf(t, be, pl)
		*p = old
		return (up - down) / (2 * eps)
	}
	g, c := be.Reals64(pl.Geom), be.Reals64(pl.SH)
	geom, sh = make([]float64, len(g)), make([]float64, len(c))
	for i := range g {
		if i%kernel.GeomRow < 11 {
			geom[i] = diff(&g[i])
		}
	}
	for i := range c {
		sh[i] = diff(&c[i])
	}
	return geom, sh
}

// TestFloat32Gradient compares the production precision with the checked one.
func TestFloat32Gradient(t *testing.T) {
	for _, c := range gradientCases {
		t.Run(c.name, func(t *testing.T) {
			s := kerneltest.NewScene(5, 40, c.w, c.h, 3)
			s.Plan.Smooth = true // or a pixel at the hard cutoff may differ
			c.change(s)
			be64 := kerneltest.NewCPU(t, cpu.Options{Float64: true})
			geom, sh := gradientOf(t, be64, s.Load(t, be64, nil), s.Schedule.Beta1)
			pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{}), nil)
			kerneltest.Submit(t, pl, pl.StepProgram, 1)
			scale := 1 / (1 - float64(s.Schedule.Beta1))
			geom32 := widen(kerneltest.Reals(t, pl, pl.GeomM, len(geom)), scale)
			sh32 := widen(kerneltest.Reals(t, pl, pl.SHM, len(sh)), scale)
			for at, n := range map[int]int{kernel.GeomMean: 3, kernel.GeomOpacity: 1, kernel.GeomQuat: 4, kernel.GeomScale: 3} {
				if err := compareGradient(column(geom32, at, n), column(geom, at, n), 1e-3, 1e-2); err != nil {
					t.Errorf("geom column %d: %v", at, err)
				}
			}
			if err := compareGradient(sh32, sh, 1e-3, 1e-2); err != nil {
				t.Errorf("sh: %v", err)
			}
		})
	}
}

func widen(v []float32, scale float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = float64(v[i]) * scale
	}
	return out
}
