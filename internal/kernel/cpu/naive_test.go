package cpu_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"splat/internal/gaussian"
	"splat/internal/geom"
	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// naiveSplat is a projected splat.
type naiveSplat struct {
	x, y, a, b, c, opacity float64 // a, b, c: inverse image covariance
	color                  geom.Vec3
	depth                  float32
}

// naiveRender draws a scene without tiles or bounds: all splats in order of depth,
// each at every pixel, in float64.
func naiveRender(s *kerneltest.Scene, v kernel.View) []float64 {
	var list []naiveSplat
	for i := range s.Splats {
		if p, ok := naiveProject(s, v, i); ok {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b naiveSplat) int { return cmp.Compare(a.depth, b.depth) })
	out := make([]float64, 0, 4*v.Width*v.Height)
	for y := range v.Height {
		for x := range v.Width {
			rgb, t := naivePixel(list, float64(x)+0.5, float64(y)+0.5)
			for c := range 3 {
				out = append(out, rgb[c]+t*float64(s.Schedule.Background[c]))
			}
			out = append(out, t)
		}
	}
	return out
}

func naivePixel(list []naiveSplat, px, py float64) (rgb geom.Vec3, t float64) {
	t = 1
	for _, p := range list {
		dx, dy := px-p.x, py-p.y
		alpha := p.opacity * math.Exp(-0.5*(p.a*dx*dx+2*p.b*dx*dy+p.c*dy*dy))
		if alpha < 1./255 {
			continue
		}
		alpha = min(alpha, 0.999)
		if t*(1-alpha) <= 1e-4 {
			break
		}
		for c := range 3 {
			rgb[c] += t * alpha * p.color[c]
		}
		t *= 1 - alpha
	}
	return rgb, t
}

// naiveProject is EWA splatting with the blur, the clamp of the Jacobian and, in
// the antialiased mode, the compensation.
func naiveProject(s *kerneltest.Scene, v kernel.View, i int) (p naiveSplat, ok bool) {
	row := s.Geom[i*kernel.GeomRow:]
	mean := geom.Vec3{float64(row[0]), float64(row[1]), float64(row[2])}
	var w [3][3]float64
	var t, camera geom.Vec3
	for r := range 3 {
		t[r] = float64(v.T[r])
		for c := range 3 {
			w[r][c] = float64(v.R[3*r+c])
			t[r] += w[r][c] * mean[c]
			camera[c] -= w[r][c] * float64(v.T[r])
		}
	}
	if t[2] < float64(s.Schedule.Near) {
		return p, false
	}
	sigma := naiveCovariance(row)
	fx, fy, cx, cy := float64(v.Fx), float64(v.Fy), float64(v.Cx), float64(v.Cy)
	width, height := float64(v.Width), float64(v.Height)
	u := min(max(t[0]/t[2], (-0.15*width-cx)/fx), (1.15*width-cx)/fx)
	q := min(max(t[1]/t[2], (-0.15*height-cy)/fy), (1.15*height-cy)/fy)
	jacobian := [2][3]float64{{fx / t[2], 0, -fx * u / t[2]}, {0, fy / t[2], -fy * q / t[2]}}
	var cov [2][2]float64
	for a := range 2 {
		for b := range 2 {
			cov[a][b] = naiveQuadratic(jacobian[a], jacobian[b], w, sigma)
		}
	}
	blur := float64(s.Schedule.Blur)
	before := cov[0][0]*cov[1][1] - cov[0][1]*cov[1][0]
	xx, xy, yy := cov[0][0]+blur, cov[0][1], cov[1][1]+blur
	det := xx*yy - xy*xy
	p = naiveSplat{x: fx*t[0]/t[2] + cx, y: fy*t[1]/t[2] + cy, a: yy / det, b: -xy / det, c: xx / det, depth: float32(t[2])}
	p.opacity = gaussian.Sigmoid(float64(row[kernel.GeomOpacity]))
	if s.Schedule.Mode&kernel.ModeAntialiased != 0 {
		p.opacity *= math.Sqrt(max(before, 0) / det)
	}
	stride := 3 * kernel.Coefficients(s.Plan.SHDegree)
	var d geom.Vec3
	length := math.Sqrt(sq(mean[0]-camera[0]) + sq(mean[1]-camera[1]) + sq(mean[2]-camera[2]))
	for c := range 3 {
		d[c] = (mean[c] - camera[c]) / length
	}
	p.color = gaussian.Color(int(s.Schedule.SHDegree), s.SH[i*stride:(i+1)*stride], d)
	return p, true
}

func sq(x float64) float64 { return x * x }

// naiveQuadratic is a^T W Sigma W^T b.
func naiveQuadratic(a, b [3]float64, w, sigma [3][3]float64) (sum float64) {
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				for l := range 3 {
					sum += a[i] * w[i][k] * sigma[k][l] * w[j][l] * b[j]
				}
			}
		}
	}
	return sum
}

// naiveCovariance is R S S R^T; the columns of R are the axes rotated by the
// normalised quaternion.
func naiveCovariance(row []float32) (sigma [3][3]float64) {
	w, x, y, z := float64(row[4]), float64(row[5]), float64(row[6]), float64(row[7])
	n := math.Sqrt(w*w + x*x + y*y + z*z)
	w, x, y, z = w/n, x/n, y/n, z/n
	r := [3][3]float64{
		{w*w + x*x - y*y - z*z, 2 * (x*y - w*z), 2 * (x*z + w*y)},
		{2 * (x*y + w*z), w*w - x*x + y*y - z*z, 2 * (y*z - w*x)},
		{2 * (x*z - w*y), 2 * (y*z + w*x), w*w - x*x - y*y + z*z},
	}
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				sigma[i][j] += r[i][k] * r[j][k] * math.Exp(2*float64(row[kernel.GeomScale+k]))
			}
		}
	}
	return sigma
}

// comparePictures rejects NaN, allows differences up to limit and a number of
// pixels up to flip: those where an alpha is at 1/255 or a transmittance at 1e-4.
func comparePictures(got []float32, want []float64, limit, flip float64, flips int) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d values, want %d", len(got), len(want))
	}
	flipped := 0
	for i := range want {
		d := math.Abs(float64(got[i]) - want[i])
		if d <= limit {
			continue
		}
		if !(d <= flip) {
			return fmt.Errorf("pixel %d, channel %d: %.7g, want %.7g", i/4, i%4, got[i], want[i])
		}
		flipped++
	}
	if flipped > 4*flips {
		return fmt.Errorf("%d values differ by more than %.2g", flipped, limit)
	}
	return nil
}

func TestComparePicturesCanFail(t *testing.T) {
	want := []float64{0, 0.5, 1, 1}
	for name, got := range map[string][]float32{
		"NaN": {0, float32(math.NaN()), 1, 1}, "short": {0, 0.5, 1}, "far": {0, 0.6, 1, 1}, "flips": {0.002, 0.502, 1.002, 1.002},
	} {
		if comparePictures(got, want, 1e-5, 0.01, 0) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := comparePictures([]float32{0.002, 0.502, 1.002, 1}, want, 1e-5, 0.01, 1); err != nil {
		t.Error(err)
	}
}

// each changes every splat's row.
func each(s *kerneltest.Scene, change func(i int, row []float32)) {
	for i := range s.Splats {
		change(i, s.Geom[i*kernel.GeomRow:(i+1)*kernel.GeomRow])
	}
}

func renderCases() map[string]*kerneltest.Scene {
	out := map[string]*kerneltest.Scene{}
	add := func(name string, n, w, h int, change func(i int, row []float32)) *kerneltest.Scene {
		s := kerneltest.NewScene(uint64(len(out)+50), n, w, h, 3)
		each(s, change)
		out[name] = s
		return s
	}
	same := func(int, []float32) {}
	add("random", 80, 45, 37, same)
	larger := func(_ int, row []float32) {
		for k := range 3 {
			row[kernel.GeomScale+k] += 3.5
		}
	}
	add("one pixel", 60, 1, 1, larger)
	add("one column", 60, 1, 40, larger)
	add("one row", 60, 40, 1, larger)
	add("exact tiles", 60, 32, 16, same)
	add("opaque stacks", 300, 33, 31, func(_ int, row []float32) { row[kernel.GeomOpacity] = 3 + row[kernel.GeomOpacity] })
	add("capped alpha", 40, 33, 31, func(_ int, row []float32) { row[kernel.GeomOpacity] = 12 })
	add("larger than the picture", 30, 33, 31, larger)
	add("faint", 300, 33, 31, func(_ int, row []float32) { row[kernel.GeomOpacity] = -5.2 + 0.3*row[kernel.GeomOpacity] })
	add("needles", 60, 45, 37, func(i int, row []float32) { row[kernel.GeomScale+i%3] += 2 })
	add("tiny", 200, 45, 37, func(_ int, row []float32) {
		for k := range 3 {
			row[kernel.GeomScale+k] -= 5
		}
	})
	add("beside the picture", 200, 45, 37, func(_ int, row []float32) { row[0], row[1] = 3*row[0], 3*row[1] })
	add("around the camera", 200, 45, 37, func(_ int, row []float32) { row[2] -= 4 })
	add("equal depths", 100, 45, 37, func(i int, row []float32) {
		copy(row, []float32{0.1, 0.1, 0.2})
		row[kernel.GeomScale] = -2 + 0.01*float32(i)
	})
	s := add("antialiased", 200, 45, 37, func(i int, row []float32) { row[kernel.GeomScale] -= float32(i % 4) })
	s.Schedule.Mode, s.Schedule.Blur = kernel.ModeAntialiased, 0.1
	return out
}

func TestPicturesAgainstANaiveRenderer(t *testing.T) {
	for name, s := range renderCases() {
		t.Run(name, func(t *testing.T) {
			s.Plan.Pairs = 1 << 14
			want := naiveRender(s, s.Views[0])
			if thinnest(want) == 1 {
				t.Fatal("nothing is drawn")
			}
			for _, p := range []struct {
				o           cpu.Options
				limit, flip float64
				flips       int
			}{
				{cpu.Options{Float64: true}, 2e-7, 0, 0}, // read as float32
				{cpu.Options{}, 3e-5, 0.02, len(want) / 400},
			} {
				pl := s.Load(t, kerneltest.NewCPU(t, p.o), nil)
				kerneltest.Submit(t, pl, pl.RenderProgram, 1)
				if c := kerneltest.Control(t, pl); c.Overflow != 0 {
					t.Fatalf("no room: %+v", c)
				}
				got := kerneltest.Reals(t, pl, pl.Image, len(want))
				if err := comparePictures(got, want, p.limit, p.flip, p.flips); err != nil {
					t.Errorf("float64 %v: %v", p.o.Float64, err)
				}
			}
		})
	}
}

// thinnest is the smallest transmittance of a picture.
func thinnest(picture []float64) float64 {
	t := 1.0
	for i := 3; i < len(picture); i += 4 {
		t = min(t, picture[i])
	}
	return t
}

// TestLimitsAreReached checks that the cases above reach what they are for: pixels
// that stop for their transmittance, and a capped splat that leaves a thousandth.
func TestLimitsAreReached(t *testing.T) {
	s := renderCases()["opaque stacks"]
	if got := thinnest(naiveRender(s, s.Views[0])); got > 3e-4 || got <= 1e-4 {
		t.Errorf("the stacks leave %v", got)
	}
	s = renderCases()["capped alpha"]
	s.Splats = 1
	copy(s.Geom, []float32{0, 0, 0})
	each(s, func(_ int, row []float32) { row[kernel.GeomScale], row[kernel.GeomScale+1] = 1, 1 })
	if got := thinnest(naiveRender(s, s.Views[0])); math.Abs(got-1e-3) > 1e-9 {
		t.Errorf("a capped splat leaves %v", got)
	}
	pl := s.Load(t, kerneltest.NewCPU(t, cpu.Options{}), nil)
	kerneltest.Submit(t, pl, pl.RenderProgram, 1)
	image := kerneltest.Reals(t, pl, pl.Image, 4*33*31)
	least := float32(1)
	for i := 3; i < len(image); i += 4 {
		least = min(least, image[i])
	}
	if math.Abs(float64(least)-1e-3) > 1e-7 {
		t.Errorf("a capped splat leaves %v on the device", least)
	}
}
