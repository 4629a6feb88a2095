package gaussian

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// InitOptions says what new splats look like.
type InitOptions struct {
	SHDegree int
	Max      int     // at most so many splats; 0 is no limit
	Opacity  float64 // 0..1, exclusive
	Scale    float64 // size in units of the distance to the neighbours
	Seed     uint64  // drives subsampling and random splats
}

// Dropped counts the points that did not become splats.
type Dropped struct {
	NonFinite int // a coordinate was NaN or infinite
	OverMax   int // left out by the uniform subsample down to InitOptions.Max
}

// scaleLimits returns the bounds of the sizes of n new splats, relative to the
// robust extent of the points: an outlier far from everything must not cover the
// scene, and near-duplicates must not shrink to nothing. The upper bound is a
// tenth, or for fewer than a thousand points the spacing they would have if they
// filled a cube evenly.
func scaleLimits(n int, extent float64) (lo, hi float64) {
	return 1e-6 * extent, max(0.1, 1/math.Cbrt(float64(n))) * extent
}

// Streams of the random generator, so that one seed gives independent numbers
// to independent purposes.
const (
	streamSubsample = 1
	streamPositions = 2
	streamColors    = 3
)

// FromPoints makes a round splat of every point: xyz holds 3n coordinates, rgb
// 3n sRGB bytes or nil for grey. The standard deviation is o.Scale times the
// root mean square of the distances to the three nearest points at other
// positions, limited to 1e-6..0.1 of the points' robust extent (more for fewer
// than a thousand points, see scaleLimits); a point without any neighbour gets
// the upper limit. Points with a non-finite coordinate are
// dropped, and where more than o.Max remain a uniform subsample drawn with
// o.Seed is kept, in the order of the points. About 2 us a point and processor.
func FromPoints(xyz []float32, rgb []uint8, o InitOptions) (*Cloud, Dropped) {
	if len(xyz)%3 != 0 || rgb != nil && len(rgb) != len(xyz) {
		panic(fmt.Sprintf("gaussian: FromPoints with %d coordinates and %d colour values", len(xyz), len(rgb)))
	}
	keep := finitePoints(xyz)
	dropped := Dropped{NonFinite: len(xyz)/3 - len(keep)}
	if o.Max > 0 && len(keep) > o.Max {
		dropped.OverMax = len(keep) - o.Max
		keep = subsample(keep, o.Max, rand.New(rand.NewPCG(o.Seed, streamSubsample)))
	}
	c := fromPositions(gather(xyz, keep, 3), o)
	if rgb != nil {
		stride := 3 * Coefficients(o.SHDegree)
		for i, from := range keep {
			for k := range 3 {
				c.SH[i*stride+k] = float32(RGBToSH0(float64(rgb[3*from+k]) / 255))
			}
		}
	}
	return c, dropped
}

func finitePoints(xyz []float32) []int {
	keep := make([]int, 0, len(xyz)/3)
	for i := range len(xyz) / 3 {
		if allFinite(xyz[3*i : 3*i+3]) {
			keep = append(keep, i)
		}
	}
	return keep
}

// subsample keeps n of the indices, every subset equally likely, in order
// (selection sampling: each is taken with probability needed/left).
func subsample(indices []int, n int, rng *rand.Rand) []int {
	out := make([]int, 0, n)
	for k, i := range indices {
		if rng.IntN(len(indices)-k) < n-len(out) {
			out = append(out, i)
		}
	}
	return out
}

// fromPositions makes grey splats at finite positions.
func fromPositions(xyz []float32, o InitOptions) *Cloud {
	c := New(len(xyz)/3, o.SHDegree)
	c.Means = xyz
	lo, hi := scaleLimits(c.Len(), robustExtent(xyz))
	logit := float32(Logit(o.Opacity))
	for i, d := range spacing(xyz) {
		s := float32(math.Log(min(max(o.Scale*d, lo), hi)))
		c.LogScales[3*i], c.LogScales[3*i+1], c.LogScales[3*i+2] = s, s, s
		c.Quats[4*i] = 1
		c.Opacities[i] = logit
	}
	return c
}

// extentSample is how many points at most robustExtent sorts.
const extentSample = 100_000

// robustExtent returns the longest side of the box that holds the middle 90 %
// of the points on each axis, so that up to 5 % of outliers on a side do not
// count. Where that box is a point the full box takes its place, and where that
// is one too, 1.
func robustExtent(xyz []float32) float64 {
	n := len(xyz) / 3
	step := n/extentSample + 1
	inner, full := 0.0, 0.0
	for axis := range 3 {
		var v []float32
		for i := 0; i < n; i += step {
			v = append(v, xyz[3*i+axis])
		}
		if len(v) == 0 {
			continue
		}
		slices.Sort(v)
		last := float64(len(v) - 1)
		lo, hi := int(math.Ceil(0.05*last)), int(0.95*last)
		inner = max(inner, float64(v[max(lo, hi)])-float64(v[lo]))
		full = max(full, float64(v[len(v)-1])-float64(v[0]))
	}
	switch {
	case inner > 0:
		return inner
	case full > 0:
		return full
	}
	return 1
}
