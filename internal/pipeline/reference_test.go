package pipeline_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
	"splat/internal/pipeline"
	"splat/internal/safetensors"
)

// referenceTolerance is absolute. Two independent renderers agree on these
// pictures to 1.3e-6; the exponential and the order of sums explain the rest.
const referenceTolerance = 2e-5

// TestReferencePictures renders the scenes of data/conformance, whose pictures
// come from gsplat.
func TestReferencePictures(t *testing.T) {
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set: the reference pictures are not here")
	}
	for _, name := range []string{"tiny_case", "basic_case"} {
		t.Run(name, func(t *testing.T) {
			tensors, err := safetensors.Read(filepath.Join(root, "conformance", name+".safetensors"))
			if err != nil {
				t.Fatal(err)
			}
			want := floats(t, tensors, "out_img")
			got := renderReference(t, tensors)
			if err := comparePicture(got, want, referenceTolerance); err != nil {
				t.Error(err)
			}
		})
	}
}

// renderReference renders with the camera that the tensors were made for, RGBA.
func renderReference(t *testing.T, in map[string]safetensors.Tensor) []float32 {
	h, w := in["out_img"].Shape[0], in["out_img"].Shape[1]
	n := in["means"].Shape[0]
	s := &kerneltest.Scene{Splats: n, SH: floats(t, in, "coeffs")}
	means, opacities := floats(t, in, "means"), floats(t, in, "opacities")
	quats, scales := floats(t, in, "quats"), floats(t, in, "scales")
	for i := range n {
		row := make([]float32, kernel.GeomRow)
		copy(row[kernel.GeomMean:], means[3*i:3*i+3])
		row[kernel.GeomOpacity] = opacities[i]
		copy(row[kernel.GeomQuat:], quats[4*i:4*i+4])
		copy(row[kernel.GeomScale:], scales[3*i:3*i+3])
		s.Geom = append(s.Geom, row...)
	}
	f := float32(w) / 2
	s.Views = []kernel.View{{
		R: [9]float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, T: [3]float32{-0.123, -0.456, 8},
		Fx: f, Fy: f, Cx: float32(w) / 2, Cy: float32(h) / 2, Width: uint32(w), Height: uint32(h), Resident: 1,
	}}
	s.Plan = pipeline.Plan{SHDegree: 3, Splats: n, Pairs: 1 << 12, Views: 1, Pixels: w * h, Tiles: kernel.Blocks(w, 16) * kernel.Blocks(h, 16)}
	s.Schedule = kernel.Schedule{SHDegree: 3, Near: 0.01, Blur: 0.3}
	pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{}), nil)
	kerneltest.Submit(t, pl, pl.RenderProgram, 1)
	out := kerneltest.Reals(t, pl, pl.Image, 4*w*h)
	for i := 3; i < len(out); i += 4 {
		out[i] = 1 - out[i]
	}
	return out
}

func floats(t *testing.T, in map[string]safetensors.Tensor, name string) []float32 {
	t.Helper()
	v, err := in[name].Float32s()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// comparePicture reports the first value further than limit from want.
func comparePicture(got, want []float32, limit float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d values, want %d", len(got), len(want))
	}
	worst, at := 0.0, 0
	for i := range got {
		d := math.Abs(float64(got[i]) - float64(want[i]))
		if math.IsNaN(d) {
			return fmt.Errorf("value %d: %v, want %v", i, got[i], want[i])
		}
		if d > worst {
			worst, at = d, i
		}
	}
	if worst > limit {
		return fmt.Errorf("value %d: %v, want %v: off by %.2g, more than %.2g", at, got[at], want[at], worst, limit)
	}
	return nil
}

func TestComparePictureCanFail(t *testing.T) {
	nan := float32(math.NaN())
	for _, got := range [][]float32{{0, 1.1}, {nan, 1}, {0}} {
		if comparePicture(got, []float32{0, 1}, referenceTolerance) == nil {
			t.Errorf("accepted %v", got)
		}
	}
}
