package demo

import (
	"context"
	"image"
	"image/color"
	"math"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"splat/internal/geom"
)

// Each pixel casts subsamples*subsamples rays, whose mean is taken of sRGB
// values, as splats are blended, and not of light. All of them decide on alpha;
// where the pixel shows one object and the first few agree on the colour, only
// those are shaded.
const (
	subsamples = 4
	samples    = subsamples * subsamples
	probes     = 4
	agreement  = 0.08 // largest difference between probes, sRGB 0..1
)

// subpixels are the sample positions in a pixel: one in each cell of a 4x4 grid
// and one in each of 16 rows and columns, so that near-vertical edges get 16
// levels of alpha too. The probes come first; they are spread just as evenly.
var subpixels = func() (at [samples][2]float64) {
	first := map[int]int{1: 0, 7: 1, 8: 2, 14: 3}
	rest := probes
	for cell := range samples {
		i, j := cell/subsamples, cell%subsamples
		slot, isProbe := first[cell]
		if !isProbe {
			slot, rest = rest, rest+1
		}
		at[slot] = [2]float64{
			(float64(i) + (float64(j)+0.5)/subsamples) / subsamples,
			(float64(j) + (float64(i)+0.5)/subsamples) / subsamples,
		}
	}
	return at
}()

// render draws the scene with straight alpha: the share of a pixel's samples
// that hit something, and the mean colour of those. Once ctx is done it leaves the
// rest of the picture empty.
func (s *scene) render(ctx context.Context, cam camera, threads int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, cam.size, cam.size))
	l := cam.lens()
	var next atomic.Int64
	var workers errgroup.Group
	for range threads {
		workers.Go(func() error {
			for y := int(next.Add(1)) - 1; y < cam.size && ctx.Err() == nil; y = int(next.Add(1)) - 1 {
				for x := range cam.size {
					img.SetNRGBA(x, y, s.pixel(&l, x, y))
				}
			}
			return nil
		})
	}
	workers.Wait() // the workers return no errors
	return img
}

// hit is where a ray of a pixel met an object, nil for none.
type hit struct {
	ray      ray
	object   *object
	distance float64
}

func (s *scene) pixel(l *lens, x, y int) color.NRGBA {
	var near [maxObjects]*object
	visible := s.around(l, x, y, near[:0])
	if len(visible) == 0 {
		return color.NRGBA{}
	}
	var hits [samples]hit
	count := 0
	for i, at := range subpixels {
		h := &hits[i]
		h.ray = l.ray(float64(x)+at[0], float64(y)+at[1])
		if h.object, h.distance = nearest(visible, h.ray); h.object != nil {
			count++
		}
	}
	if count == 0 {
		return color.NRGBA{}
	}
	mean := s.meanColour(&hits)
	return color.NRGBA{byteOf(mean[0]), byteOf(mean[1]), byteOf(mean[2]), byteOf(float64(count) / samples)}
}

// around appends to list the objects that rays of pixel (x, y) can meet.
func (s *scene) around(l *lens, x, y int, list []*object) []*object {
	r := l.ray(float64(x)+0.5, float64(y)+0.5)
	for _, o := range s.objects {
		wide := sphere{o.bound.centre, o.bound.radius + l.footprint}
		if _, _, ok := wide.span(r); ok {
			list = append(list, o)
		}
	}
	return list
}

// meanColour is the mean, in sRGB values, over the hits of a pixel.
func (s *scene) meanColour(hits *[samples]hit) geom.Vec3 {
	var sum geom.Vec3
	n := 0
	low, high := geom.Vec3{1, 1, 1}, geom.Vec3{}
	for i := range hits {
		if i == probes && uniform(hits) && agree(low, high) {
			break
		}
		if hits[i].object == nil {
			continue
		}
		c := display(s.shade(&hits[i], i))
		for k, v := range c {
			low[k], high[k] = min(low[k], v), max(high[k], v)
		}
		sum = sum.Add(c)
		n++
	}
	return sum.Scale(1 / float64(n))
}

// uniform reports whether all hits are on one object.
func uniform(hits *[samples]hit) bool {
	for i := range hits {
		if hits[i].object != hits[0].object {
			return false
		}
	}
	return true
}

func agree(low, high geom.Vec3) bool {
	for k := range low {
		if high[k]-low[k] > agreement {
			return false
		}
	}
	return true
}

// byteOf rounds a value in 0..1 to 8 bits; what lies outside is clamped, NaN is 0.
func byteOf(v float64) uint8 {
	if v != v {
		return 0
	}
	return uint8(clamp01(v)*255 + 0.5)
}

// display maps light to sRGB values in 0..1, rolling off what is bright.
func display(light geom.Vec3) geom.Vec3 {
	var out geom.Vec3
	for i, v := range light {
		out[i] = encode(rollOff(v))
	}
	return out
}

// rollOff keeps values below the knee and bends the rest towards 1.
func rollOff(v float64) float64 {
	const knee = 0.6
	if v < knee {
		return v
	}
	return knee + (1-knee)*(1-math.Exp(-(v-knee)/(1-knee)))
}

// encode is the sRGB transfer function for values in 0..1, from a table.
func encode(v float64) float64 {
	at := max(v, 0) * float64(len(encoded)-2)
	i := int(at)
	return encoded[i] + (at-float64(i))*(encoded[i+1]-encoded[i])
}

// encoded samples the transfer function finely enough for 8 bits.
var encoded = func() (table [4098]float64) {
	for i := range table {
		v := float64(i) / float64(len(table)-2)
		table[i] = 1.055*math.Pow(v, 1/2.4) - 0.055
		if v <= 0.0031308 {
			table[i] = 12.92 * v
		}
	}
	return table
}()
