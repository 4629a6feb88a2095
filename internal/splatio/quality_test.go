package splatio_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/gaussian"
	"splat/internal/geom"
	"splat/internal/metrics"
	"splat/internal/splatio"
	"splat/internal/splatio/pack"
	"splat/internal/train"
)

// written are the forms that are read again, whether they put splats into another
// order, and the PSNR that renders of random splats keep at least, in dB.
var written = []struct {
	name      string
	options   splatio.Options
	reordered bool
	psnr      float64
}{
	{"a.ply", splatio.Options{}, false, 99},
	{"a.compressed.ply", splatio.Options{}, true, 45},
	{"a.splat", splatio.Options{}, false, 25},
	{"v2.spz", splatio.Options{SPZVersion: 2}, false, 43},
	{"v3.spz", splatio.Options{SPZVersion: 3}, false, 47},
	{"v4.spz", splatio.Options{SPZVersion: 4}, false, 47},
	{"a.sog", splatio.Options{}, true, 52},
}

// ball returns n random splats of degree 3 around the origin.
func ball(n int) *gaussian.Cloud {
	rng := rand.New(rand.NewPCG(21, 22))
	c := gaussian.New(n, 3)
	stride := 3 * gaussian.Coefficients(3)
	for i := range n {
		for k := range 3 {
			c.Means[3*i+k] = float32(0.5 * rng.NormFloat64())
			c.LogScales[3*i+k] = float32(-2.5 + 0.7*rng.NormFloat64())
		}
		for k := range 4 {
			c.Quats[4*i+k] = float32(rng.NormFloat64())
		}
		c.Opacities[i] = float32(2 * rng.NormFloat64())
		for k := range stride {
			scale := 0.1
			if k < 3 {
				scale = 0.8
			}
			c.SH[stride*i+k] = float32(scale * rng.NormFloat64())
		}
	}
	return c
}

// views looks at the box of a cloud from two sides.
func views(c *gaussian.Cloud) []dataset.View {
	lo, hi := c.Bounds()
	centre, far := lo.Add(hi).Scale(0.5), hi.Sub(lo).Norm()
	camera := geom.Camera{Model: geom.Pinhole, Width: 160, Height: 120, Fx: 140, Fy: 140, Cx: 80, Cy: 60}
	front := geom.Identity3
	side := geom.Mat3{0, 0, -1, 0, 1, 0, 1, 0, 0}
	var list []dataset.View
	for k, r := range []geom.Mat3{front, side} {
		t := r.MulVec(centre).Scale(-1).Add(geom.Vec3{0, 0, 0.8 * far})
		list = append(list, dataset.View{Name: fmt.Sprint(k), Camera: camera, Pose: geom.Pose{R: r, T: t}})
	}
	return list
}

// silent hears nothing.
type silent struct{ train.Observer }

func (silent) Note(string) {}

func render(t *testing.T, c *gaussian.Cloud, list []dataset.View) [][]float32 {
	t.Helper()
	cfg := config.Default("mcmc")
	cfg.Backend.Device = "cpu"
	var pictures [][]float32
	err := train.RenderViews(context.Background(), train.RenderOptions{
		Config: cfg, Cloud: c, Views: list, Observer: silent{}, Capture: &dataset.Capture{Views: list},
	}, func(_ int, _ dataset.View, rgb, _ []float32) error {
		pictures = append(pictures, slices.Clone(rgb))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pictures
}

// deviation holds root mean squares of what a format changed.
type deviation struct{ mean, scale, degrees, opacity, color, rest float64 }

func compare(a, b *gaussian.Cloud) (e deviation) {
	n := float64(a.Len())
	b = b.Clone()
	b.SetDegree(a.SHDegree)
	stride := 3 * gaussian.Coefficients(a.SHDegree)
	for i := range a.Len() {
		e.mean += square(a.Mean(i).Sub(b.Mean(i)).Norm())
		p, q := pack.Unit(a.Quats[4*i:4*i+4]), pack.Unit(b.Quats[4*i:4*i+4])
		dot := math.Abs(p[0]*q[0] + p[1]*q[1] + p[2]*q[2] + p[3]*q[3])
		e.degrees += square(2 * math.Acos(min(dot, 1)) * 180 / math.Pi)
		e.opacity += square(a.Opacity(i) - b.Opacity(i))
	}
	for k := range a.LogScales {
		e.scale += square(float64(a.LogScales[k]-b.LogScales[k])) / 3
	}
	for k := range a.SH {
		d := square(float64(a.SH[k] - b.SH[k]))
		if k%stride < 3 {
			e.color += d * gaussian.SHC0 * gaussian.SHC0 / 3
		} else {
			e.rest += d / float64(stride-3)
		}
	}
	for _, v := range []*float64{&e.mean, &e.scale, &e.degrees, &e.opacity, &e.color, &e.rest} {
		*v = math.Sqrt(*v / n)
	}
	return e
}

func square(v float64) float64 { return v * v }

// measure writes a cloud in all forms, reads it, and logs rows for docs/formats.md.
func measure(t *testing.T, c *gaussian.Cloud) map[string]float64 {
	t.Helper()
	list := views(c)
	want := render(t, c, list)
	quality := map[string]float64{}
	t.Log("| format | bytes a splat | position | log scale | rotation, degrees | opacity | colour | SH | PSNR, dB |")
	for _, w := range written {
		path := filepath.Join(t.TempDir(), w.name)
		if _, err := splatio.WriteWith(path, c, w.options); err != nil {
			t.Fatal(err)
		}
		got, _, err := splatio.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		before := c
		if w.reordered {
			before = c.Select(pack.Morton(c))
		}
		e := compare(before, got)
		psnr := math.Inf(1)
		for k, picture := range render(t, got, list) {
			psnr = min(psnr, metrics.PSNR(want[k], picture, nil))
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		quality[w.name] = psnr
		t.Logf("| %s | %.1f | %.2g | %.2g | %.2g | %.2g | %.2g | %.2g | %.1f |", w.name, float64(info.Size())/float64(c.Len()),
			e.mean, e.scale, e.degrees, e.opacity, e.color, e.rest, psnr)
	}
	return quality
}

// Renders before and after a round trip agree, each format as well as it can.
func TestRendersSurvive(t *testing.T) {
	quality := measure(t, ball(400))
	for _, w := range written {
		if quality[w.name] < w.psnr {
			t.Errorf("%s: %.1f dB, expected %.0f at least", w.name, quality[w.name], w.psnr)
		}
	}
}

// The same on splats of people, for docs/formats.md.
func TestRealRendersSurvive(t *testing.T) {
	root := os.Getenv("SPLAT_TESTDATA")
	if root == "" {
		t.Skip("SPLAT_TESTDATA is not set")
	}
	for name, floor := range map[string]float64{"playbot/5_0": 30, "biker.spz": 30} {
		c, _, err := splatio.Read(filepath.Join(root, "splats", name))
		if err != nil {
			t.Fatal(err)
		}
		if c.Len() > 20000 { // a part is enough
			var some []int
			for i := range 20000 {
				some = append(some, i*c.Len()/20000)
			}
			c = c.Select(some)
		}
		t.Logf("%s: %d splats of degree %d", name, c.Len(), c.SHDegree)
		for format, psnr := range measure(t, c) {
			if psnr < floor && format != "a.splat" {
				t.Errorf("%s as %s: %.1f dB", name, format, psnr)
			}
		}
	}
}
