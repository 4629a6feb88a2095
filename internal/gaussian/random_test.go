package gaussian

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/geom"
)

// lookAt returns a square camera of the given field of view at eye that looks at
// target.
func lookAt(eye, target geom.Vec3, fov float64) ViewCone {
	z := target.Sub(eye).Unit()
	up := geom.Vec3{0, 0, 1}
	if math.Abs(z[2]) > 0.99 {
		up = geom.Vec3{0, 1, 0}
	}
	x := z.Cross(up).Unit()
	y := z.Cross(x)
	r := geom.Mat3{x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]}
	f := 50 / math.Tan(fov*math.Pi/360)
	return ViewCone{
		Pose:   geom.Pose{R: r, T: r.MulVec(eye).Scale(-1)},
		Camera: geom.Camera{Model: geom.Pinhole, Width: 100, Height: 100, Fx: f, Fy: f, Cx: 50, Cy: 50},
	}
}

// around returns n cameras on a sphere around centre, or on its upper half.
func around(n int, centre geom.Vec3, radius float64, upper bool) []ViewCone {
	var cams []ViewCone
	for i := range n {
		z := 1 - 2*(float64(i)+0.5)/float64(n)
		if upper {
			z = (z + 1) / 2
		}
		sin, cos := math.Sincos(float64(i) * math.Pi * (3 - math.Sqrt(5)))
		r := math.Sqrt(1 - z*z)
		cams = append(cams, lookAt(centre.Add(geom.Vec3{r * cos, r * sin, z}.Scale(radius)), centre, 39.6))
	}
	return cams
}

// distances returns the sorted distances of the splats from p.
func distances(c *Cloud, p geom.Vec3) []float64 {
	var d []float64
	for i := range c.Len() {
		d = append(d, c.Mean(i).Sub(p).Norm())
	}
	slices.Sort(d)
	return d
}

// seenBy returns the part of the cameras that see splat i.
func seenBy(c *Cloud, i int, cams []ViewCone) float64 {
	seen := 0
	for _, v := range cams {
		m, p := c.Mean(i), v.projection()
		if p.sees(&m) {
			seen++
		}
	}
	return float64(seen) / float64(len(cams))
}

func sound(t *testing.T, c *Cloud, n int) {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if c.Len() != n {
		t.Fatalf("%d splats, want %d", c.Len(), n)
	}
	if bad, first := c.NonFinite(); bad != 0 {
		t.Fatalf("%d bad splats: %s", bad, first)
	}
}

// An object capture like Lego: the splats fill the ball that all cameras see
// (radius 4 sin 19.8 degrees = 1.36) evenly, and nothing else.
func TestRandomFillsTheObject(t *testing.T) {
	for _, c := range []struct {
		name   string
		centre geom.Vec3
		upper  bool
	}{{"sphere", geom.Vec3{}, false}, {"hemisphere", geom.Vec3{}, true}, {"far from the origin", geom.Vec3{100, -50, 20}, true}} {
		cams := around(100, c.centre, 4, c.upper)
		cloud := RandomInView(cams, 4000, plain)
		sound(t, cloud, 4000)
		d := distances(cloud, c.centre)
		if d[3999] > 2 || d[3800] > 1.7 {
			t.Errorf("%s: furthest splat at %.2f, 95 %% within %.2f; the cameras are at 4", c.name, d[3999], d[3800])
		}
		// Evenly: the inner ball of half the radius holds its share.
		inside, half := 0, 0
		for _, r := range d {
			if r < 1.3 {
				inside++
			}
			if r < 0.65 {
				half++
			}
		}
		if inside < 2000 {
			t.Errorf("%s: only %d of 4000 splats in the ball of radius 1.3", c.name, inside)
		}
		if part := float64(half) / float64(inside); part < 0.1 || part > 0.15 {
			t.Errorf("%s: %.3f of the ball's splats in the ball of half the radius, want 1/8", c.name, part)
		}
	}
}

func TestRandomForwardFacing(t *testing.T) {
	var cams []ViewCone
	for i := range 5 {
		for j := range 4 { // exactly parallel axes
			eye := geom.Vec3{float64(i), float64(j), 0}
			cams = append(cams, lookAt(eye, eye.Add(geom.Vec3{0, 0, 1}), 60))
		}
	}
	c := RandomInView(cams, 1000, plain)
	sound(t, c, 1000)
	for i := range 1000 {
		if c.Means[3*i+2] <= 0 {
			t.Fatalf("splat %d at %v lies behind the cameras", i, c.Mean(i))
		}
		if s := seenBy(c, i, cams); s < 0.9 {
			t.Fatalf("splat %d at %v is seen by %.2f of the cameras", i, c.Mean(i), s)
		}
	}
}

func TestRandomSingleCamera(t *testing.T) {
	cams := []ViewCone{lookAt(geom.Vec3{5, 6, 7}, geom.Vec3{0, 0, 0}, 40)}
	c := RandomInView(cams, 1000, plain)
	sound(t, c, 1000)
	lo, hi := math.Inf(1), 0.0
	for i := range 1000 {
		z := cams[0].Pose.Apply(c.Mean(i))[2]
		lo, hi = min(lo, z), max(hi, z)
		if seenBy(c, i, cams) != 1 {
			t.Fatalf("splat %d at %v is outside the picture", i, c.Mean(i))
		}
	}
	if lo < 0.5 || lo > 0.8 || hi > 2 || hi < 1.9 {
		t.Errorf("depths %.2f..%.2f, want about 0.5..2", lo, hi)
	}
}

// A room seen from inside: no point is seen by many, yet each camera has splats
// before it.
func TestRandomLookingOutward(t *testing.T) {
	var cams []ViewCone
	for i := range 36 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 18)
		out := geom.Vec3{cos, sin, 0}
		cams = append(cams, lookAt(out, out.Scale(2), 60))
	}
	c := RandomInView(cams, 2000, plain)
	sound(t, c, 2000)
	for k, v := range cams {
		seen := 0
		for i := range 2000 {
			m, p := c.Mean(i), v.projection()
			if p.sees(&m) {
				seen++
			}
		}
		if seen < 50 {
			t.Errorf("camera %d sees %d of 2000 splats", k, seen)
		}
	}
}

func TestRandomOutlierCamera(t *testing.T) {
	cams := around(50, geom.Vec3{}, 4, true)
	cams = append(cams, lookAt(geom.Vec3{4e4, 1e4, 2e4}, geom.Vec3{5e4, 0, 3e4}, 40))
	c := RandomInView(cams, 2000, plain)
	sound(t, c, 2000)
	if d := distances(c, geom.Vec3{}); d[1999] > 2.2 {
		t.Errorf("furthest splat at %g: the outlier took part", d[1999])
	}
}

// Hard cases end, with the right number of finite splats.
func TestRandomAlwaysEnds(t *testing.T) {
	nan := math.NaN()
	broken := lookAt(geom.Vec3{1, 0, 0}, geom.Vec3{}, 40)
	broken.Pose.T[1] = nan
	empty := lookAt(geom.Vec3{1, 0, 0}, geom.Vec3{}, 40)
	empty.Camera.Width = 0
	flat := lookAt(geom.Vec3{1, 0, 0}, geom.Vec3{}, 40)
	flat.Camera.Fx = 0
	spot := geom.Vec3{3, 3, 3}
	rng := rand.New(rand.NewPCG(3, 4))
	var turning, chaos []ViewCone
	for range 30 {
		d := geom.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		turning = append(turning, lookAt(spot, spot.Add(d), 50))
		chaos = append(chaos, lookAt(d.Scale(100), geom.Vec3{rng.NormFloat64(), 9, 1}, 3))
	}
	away := []ViewCone{lookAt(geom.Vec3{1, 0, 0}, geom.Vec3{2, 0, 0}, 40), lookAt(geom.Vec3{-1, 0, 0}, geom.Vec3{-2, 0, 0}, 40)}
	for name, cams := range map[string][]ViewCone{
		"no cameras":          nil,
		"no usable cameras":   {broken, empty, flat},
		"some useless":        append(around(10, geom.Vec3{}, 4, false), broken, empty, flat),
		"turning on the spot": turning,
		"chaos":               chaos,
		"back to back":        away,
		"face to face":        {lookAt(geom.Vec3{1, 0, 0}, geom.Vec3{}, 40), lookAt(geom.Vec3{-1, 0, 0}, geom.Vec3{}, 40)},
		"the same twice":      {away[0], away[0]},
	} {
		t.Run(name, func(t *testing.T) {
			sound(t, RandomInView(cams, 500, plain), 500)
			sound(t, RandomInView(cams, 0, plain), 0)
		})
	}
}

// Cameras that share a centre say nothing about distance, not even by rounding:
// the splats lie at depths of 0.5 to 2.
func TestRandomTurningOnTheSpot(t *testing.T) {
	spot := geom.Vec3{3, 3, 3}
	var cams []ViewCone
	for i := range 30 {
		sin, cos := math.Sincos(float64(i) / 5)
		cams = append(cams, lookAt(spot, spot.Add(geom.Vec3{cos, sin, 0.2 * sin}), 50))
	}
	d := distances(RandomInView(cams, 500, plain), spot)
	if d[0] < 0.5 || d[499] < 1.5 || d[499] > 2*math.Sqrt(1.5) {
		t.Errorf("distances %.3g..%.3g, want 0.5..2.4", d[0], d[499])
	}
}

// A requirement that nothing meets is relaxed until something does.
func TestRandomRelaxes(t *testing.T) {
	s := newSampler(around(10, geom.Vec3{}, 4, false), rand.New(rand.NewPCG(1, 2)))
	for i := range s.sources {
		s.sources[i].best = 100
	}
	if xyz := s.fill(nil, 50); len(xyz) != 150 {
		t.Errorf("%d coordinates", len(xyz))
	}
}

func TestRandomIsSeeded(t *testing.T) {
	cams := around(20, geom.Vec3{}, 4, false)
	a, b := RandomInView(cams, 300, plain), RandomInView(cams, 300, plain)
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("same seed, different clouds:\n%s", d)
	}
	o := plain
	o.Seed++
	if other := RandomInView(cams, 300, o); slices.Equal(a.Means, other.Means) || slices.Equal(a.SH, other.SH) {
		t.Error("another seed, the same cloud")
	}
	o.Max = 100
	sound(t, RandomInView(cams, 300, o), 100)
}

func TestRandomColours(t *testing.T) {
	c := RandomInView(around(20, geom.Vec3{}, 4, false), 3000, plain)
	var quarter [4]int
	for i := range c.Len() {
		for k := range 3 {
			v := SH0ToRGB(float64(c.SH[12*i+k]))
			if v < -1e-6 || v > 1+1e-6 {
				t.Fatalf("colour %g", v)
			}
			quarter[min(3, max(0, int(4*v)))]++
		}
	}
	for k, n := range quarter { // 2250 expected, standard deviation 41
		if n < 2050 || n > 2450 {
			t.Errorf("quarter %d of the range holds %d of 9000 values", k, n)
		}
	}
}
