package gaussian

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var plain = InitOptions{SHDegree: 1, Opacity: 0.1, Scale: 1, Seed: 7}

// bruteSpacing is the definition of spacing, in quadratic time.
func bruteSpacing(xyz []float32) []float64 {
	n := len(xyz) / 3
	distinct := map[[3]float32]bool{}
	for i := range n {
		distinct[[3]float32(xyz[3*i:])] = true
	}
	out := make([]float64, n)
	for i := range n {
		p := [3]float32(xyz[3*i:])
		var d []float64
		for q := range distinct {
			if q != p {
				x, y, z := float64(q[0])-float64(p[0]), float64(q[1])-float64(p[1]), float64(q[2])-float64(p[2])
				d = append(d, x*x+y*y+z*z)
			}
		}
		slices.Sort(d)
		d = d[:min(3, len(d))]
		sum := 0.0
		for _, v := range d {
			sum += v
		}
		out[i] = math.Sqrt(sum / float64(len(d)))
		if len(d) == 0 {
			out[i] = math.Inf(1)
		}
	}
	return out
}

// Clouds with what upsets trees: equal coordinates, duplicates, lines, planes,
// and coordinates of very different size.
func TestSpacingIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 120).Draw(t, "n")
		coordinate := rapid.OneOf(
			rapid.Float32Range(-1, 1),
			rapid.SampledFrom([]float32{0, 1, 2, 3}),
			rapid.SampledFrom([]float32{-1e6, 1e6, 1e-6, math.MaxFloat32, -math.MaxFloat32}),
		)
		flat := rapid.IntRange(0, 3).Draw(t, "axes without extent")
		xyz := make([]float32, 3*n)
		for i := range xyz {
			if i%3 >= flat {
				xyz[i] = coordinate.Draw(t, "x")
			}
		}
		for i, want := range bruteSpacing(xyz) {
			got := spacing(xyz)[i]
			if got != want && !(math.Abs(got-want) <= 1e-12*want) {
				t.Fatalf("point %d of %d: %g, want %g", i, n, got, want)
			}
		}
	})
}

func TestSpacingOfALargeCloud(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	xyz := make([]float32, 3*100_000) // above forkSize
	for i := range xyz {
		xyz[i] = float32(rng.NormFloat64())
	}
	got := spacing(xyz)
	for k := range 20 {
		i := k * 4999
		best := []float64{}
		for j := range got {
			x, y, z := float64(xyz[3*j])-float64(xyz[3*i]), float64(xyz[3*j+1])-float64(xyz[3*i+1]), float64(xyz[3*j+2])-float64(xyz[3*i+2])
			best = append(best, x*x+y*y+z*z)
		}
		slices.Sort(best)
		if want := math.Sqrt((best[1] + best[2] + best[3]) / 3); math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("point %d: %g, want %g", i, got[i], want)
		}
	}
}

func TestFromPoints(t *testing.T) {
	// Neighbours of the first point at distances 1, 2, 2: sqrt((1+4+4)/3).
	xyz := []float32{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, -2, 50, 50, 50}
	rgb := []uint8{255, 0, 51, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	o := plain
	o.Scale = 0.5
	c, dropped := FromPoints(xyz, rgb, o)
	if dropped != (Dropped{}) {
		t.Errorf("dropped %+v", dropped)
	}
	if err := c.Check(); err != nil || c.Len() != 5 || c.SHDegree != 1 || c.Antialiased {
		t.Fatalf("%d splats of degree %d, %v", c.Len(), c.SHDegree, err)
	}
	if d := cmp.Diff(xyz, c.Means); d != "" {
		t.Error(d)
	}
	if want := 0.5 * math.Sqrt(3); math.Abs(c.Scale(0)[0]-want) > 1e-6 || c.Scale(0)[0] != c.Scale(0)[2] {
		t.Errorf("scale %v, want %g", c.Scale(0), want)
	}
	if d := cmp.Diff([]float32{1, 0, 0, 0}, c.Quats[4:8]); d != "" {
		t.Error(d)
	}
	if math.Abs(c.Opacity(3)-0.1) > 1e-7 {
		t.Errorf("opacity %g", c.Opacity(3))
	}
	for k, want := range []float64{1, 0, 0.2} {
		if got := SH0ToRGB(float64(c.SH[k])); math.Abs(got-want) > 1e-6 {
			t.Errorf("channel %d: %g, want %g", k, got, want)
		}
	}
	if !slices.Equal(c.SH[3:12], make([]float32, 9)) {
		t.Errorf("higher bands %v, want zeros", c.SH[3:12])
	}
	grey, _ := FromPoints(xyz, nil, o)
	if !slices.Equal(grey.SH, make([]float32, len(grey.SH))) {
		t.Errorf("without colours: SH %v, want grey", grey.SH)
	}
}

func TestFromPointsDropsNonFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	xyz := []float32{0, nan, 0, 1, 2, 3, inf, 0, 0, 4, 5, 6}
	rgb := []uint8{1, 1, 1, 255, 0, 0, 2, 2, 2, 0, 0, 255}
	c, dropped := FromPoints(xyz, rgb, plain)
	if dropped != (Dropped{NonFinite: 2}) {
		t.Errorf("dropped %+v", dropped)
	}
	if d := cmp.Diff([]float32{1, 2, 3, 4, 5, 6}, c.Means); d != "" {
		t.Error(d)
	}
	if c.SH[0] <= 0 || c.SH[2] >= 0 || c.SH[12] >= 0 || c.SH[14] <= 0 {
		t.Errorf("colours do not belong to the points: %v", c.SH)
	}
}

// Whatever the points are like, every size is finite and within the bounds.
func TestFromPointsDegenerate(t *testing.T) {
	line, twins := make([]float32, 300), make([]float32, 0, 600)
	for i := range 100 {
		line[3*i] = float32(i)
		twins = append(twins, float32(i), 1, 2, float32(i), 1, 2)
	}
	for name, c := range map[string]struct {
		xyz  []float32
		want float64 // size of the first splat
	}{
		"single":    {[]float32{5, 5, 5}, 1},
		"all equal": {slices.Repeat([]float32{1, 2, 3}, 1000), 0.1},
		"pair":      {[]float32{0, 0, 0, 2, 0, 0}, 2 / math.Cbrt(2)},
		"line":      {line, math.Sqrt((1.0 + 4 + 9) / 3)},
		"twins":     {twins, math.Sqrt((1.0 + 4 + 9) / 3)},
	} {
		cloud, _ := FromPoints(c.xyz, nil, plain)
		if n, first := cloud.NonFinite(); n != 0 {
			t.Errorf("%s: %s", name, first)
		}
		if got := cloud.Scale(0)[0]; math.Abs(got-c.want) > 1e-5 {
			t.Errorf("%s: size %g, want %g", name, got, c.want)
		}
	}
	if c, _ := FromPoints(nil, nil, plain); c.Len() != 0 || c.Check() != nil {
		t.Errorf("no points: %d splats", c.Len())
	}
}

func TestFromPointsOutliersAndNearDuplicates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	xyz := make([]float32, 3000)
	for i := range xyz {
		xyz[i] = rng.Float32()
	}
	copy(xyz, []float32{1e6, -1e6, 1e6})
	for k := range 4 { // a clump far below the float spacing of the rest
		copy(xyz[3+3*k:], []float32{float32(k) * 1e-12, 0, 0})
	}
	c, _ := FromPoints(xyz, nil, plain)
	if got := c.Scale(0)[0]; got < 0.08 || got > 0.1 {
		t.Errorf("outlier: size %g, want a tenth of the extent of the others (about 0.9)", got)
	}
	if got := c.Scale(1)[0]; got < 0.8e-6 || got > 1e-6 {
		t.Errorf("near-duplicate: size %g, want a millionth of the extent", got)
	}
}

func TestSubsampleIsUniformAndSeeded(t *testing.T) {
	const n, keep, rounds = 40, 10, 2000
	xyz := make([]float32, 3*n)
	for i := range n {
		xyz[3*i] = float32(i)
	}
	o := plain
	o.Max = keep
	var hits [n]int
	for seed := range rounds {
		o.Seed = uint64(seed)
		c, dropped := FromPoints(xyz, nil, o)
		if c.Len() != keep || dropped.OverMax != n-keep {
			t.Fatalf("kept %d, dropped %+v", c.Len(), dropped)
		}
		last := float32(-1)
		for i := range keep {
			if c.Means[3*i] <= last {
				t.Fatalf("order lost: %v", c.Means)
			}
			last = c.Means[3*i]
			hits[int(last)]++
		}
	}
	for i, h := range hits { // 500 expected, standard deviation 19
		if h < 400 || h > 600 {
			t.Errorf("point %d kept %d times of %d, expected about %d", i, h, rounds, rounds*keep/n)
		}
	}
	a, _ := FromPoints(xyz, nil, o)
	b, _ := FromPoints(xyz, nil, o)
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("same seed, different clouds:\n%s", d)
	}
}

func BenchmarkFromPoints(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	xyz := make([]float32, 3*100_000)
	for i := range xyz {
		xyz[i] = float32(rng.NormFloat64())
	}
	for b.Loop() {
		FromPoints(xyz, nil, plain)
	}
}
