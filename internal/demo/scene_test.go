package demo

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"splat/internal/geom"
	"splat/internal/imageio"
)

func TestSceneLiesInItsBallAndIsSeen(t *testing.T) {
	s := stillLife(0)
	if len(s.objects) > maxObjects {
		t.Errorf("%d objects, at most %d are allowed for", len(s.objects), maxObjects)
	}
	o, _ := Options{Size: 48}.withDefaults()
	seen := map[*object]int{}
	for _, c := range trainCameras(o) {
		l := c.lens()
		for i := range o.Size * o.Size {
			r := l.ray(float64(i%o.Size)+0.5, float64(i/o.Size)+0.5)
			if object, d := nearest(s.objects, r); object != nil {
				seen[object]++
				if p := r.at(d); p.Norm() > 1.2 || p.Sub(object.bound.centre).Norm() > object.bound.radius+1e-3 {
					t.Fatalf("%v is outside the bound of its object or the scene", p)
				}
			}
		}
	}
	for i, o := range s.objects {
		if seen[o] < 20 {
			t.Errorf("object %d at %v is seen in %d pixels only", i, o.bound.centre, seen[o])
		}
	}
}

// The objects that a pixel asks must include all that its rays can meet.
func TestAroundMissesNothing(t *testing.T) {
	s := stillLife(0)
	o, _ := Options{Size: 40}.withDefaults()
	for _, c := range trainCameras(o)[:8] {
		l := c.lens()
		for i := range o.Size * o.Size {
			x, y := i%o.Size, i/o.Size
			near := s.around(&l, x, y, nil)
			for _, at := range subpixels {
				r := l.ray(float64(x)+at[0], float64(y)+at[1])
				want, _ := nearest(s.objects, r)
				if got, _ := nearest(near, r); got != want {
					t.Fatalf("pixel %d, %d: the short list misses the object at %v", x, y, want.bound.centre)
				}
			}
		}
	}
}

func TestSubpixelsAreStratified(t *testing.T) {
	var cells, columns, rows [samples]int
	var probe geom.Vec3
	for i, at := range subpixels {
		cells[int(at[0]*subsamples)*subsamples+int(at[1]*subsamples)]++
		columns[int(at[0]*samples)]++
		rows[int(at[1]*samples)]++
		if i < probes {
			probe = probe.Add(geom.Vec3{at[0] / probes, at[1] / probes, 0})
		}
	}
	for i := range samples {
		if cells[i] != 1 || columns[i] != 1 || rows[i] != 1 {
			t.Errorf("cell, column, row %d hold %d, %d, %d samples", i, cells[i], columns[i], rows[i])
		}
	}
	if probe != (geom.Vec3{0.5, 0.5, 0}) {
		t.Errorf("the probes' mean is %v, want the pixel's centre", probe)
	}
}

// Shading only the probes must not change a picture visibly.
func TestProbesStandForAllSamples(t *testing.T) {
	s := stillLife(0)
	l := trainCameras(Options{Size: 80, Train: 5})[3].lens()
	var sum float64
	n := 0
	for i := range 80 * 80 {
		var hits [samples]hit
		for k, at := range subpixels {
			h := &hits[k]
			h.ray = l.ray(float64(i%80)+at[0], float64(i/80)+at[1])
			h.object, h.distance = nearest(s.objects, h.ray)
		}
		if hits[0].object == nil || !uniform(&hits) {
			continue
		}
		var all geom.Vec3
		for k := range hits {
			all = all.Add(display(s.shade(&hits[k], k)).Scale(1.0 / samples))
		}
		d := all.Sub(s.meanColour(&hits))
		sum += d.Dot(d) / 3
		n++
		if d.Norm() > 0.1 {
			t.Errorf("pixel %d: all samples give %v, off by %v", i, all, d)
		}
	}
	if rms := math.Sqrt(sum / float64(n)); n < 500 || rms > 1.5/255 {
		t.Errorf("%d pixels differ by %.2f/255", n, 255*rms)
	}
}

func genVec(t *rapid.T, label string, lo, hi float64) geom.Vec3 {
	g := rapid.Float64Range(lo, hi)
	return geom.Vec3{g.Draw(t, label+"x"), g.Draw(t, label+"y"), g.Draw(t, label+"z")}
}

// Rays from outside must end on the surface, on the side turned towards them,
// with nothing of the body before that.
func TestShapesAreHitOnTheirSurface(t *testing.T) {
	place := frame{geom.Vec3{0.1, -0.2, 0.05}, yaw(33)}
	bound := sphere{place.origin, 1}
	box := roundedBox(geom.Vec3{0.5, 0.3, 0.4}, 0.05)
	tin := roundedCylinder(0.4, 0.3, 0.02)
	ring := torus(0.5, 0.2)
	plate := puck{0.6, -0.2, 0.3, 0.03}
	ball := &sphere{geom.Vec3{0.2, 0.1, 0}, 0.5}
	for name, c := range map[string]struct {
		shape    shape
		distance func(geom.Vec3) float64
	}{
		"box":      {&solid{place, bound, box}, func(p geom.Vec3) float64 { q := place.local(p); return box(q[0], q[1], q[2]) }},
		"cylinder": {&solid{place, bound, tin}, func(p geom.Vec3) float64 { q := place.local(p); return tin(q[0], q[1], q[2]) }},
		"torus":    {&solid{place, bound, ring}, func(p geom.Vec3) float64 { q := place.local(p); return ring(q[0], q[1], q[2]) }},
		"puck": {plate, func(p geom.Vec3) float64 {
			return max(math.Hypot(p[0], p[1])-0.6, p[2]-0.3, -0.2-p[2])
		}},
		"sphere": {ball, func(p geom.Vec3) float64 { return p.Sub(ball.centre).Norm() - 0.5 }},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				from := genVec(t, "from", -1, 1).Add(geom.Vec3{1e-3, 2e-3, 3e-3}).Unit().Scale(3)
				r := ray{from, genVec(t, "to", -0.6, 0.6).Sub(from).Unit()}
				d := c.shape.intersect(r, miss)
				for i := range 400 {
					s := min(d, 6) * float64(i) / 400
					if c.distance(r.at(s)) < -1e-2 && s < d-1e-2 {
						t.Fatalf("inside at %v, hit at %v", s, d)
					}
				}
				if d == miss {
					return
				}
				if off := c.distance(r.at(d)); math.Abs(off) > 1e-3 {
					t.Fatalf("hit %v away from the surface", off)
				}
				n := c.shape.normal(r.at(d))
				if math.Abs(n.Norm()-1) > 1e-9 || (name != "puck" && n.Dot(r.dir) > 0.06) {
					t.Fatalf("normal %v for a ray along %v", n, r.dir)
				}
				if again := c.shape.intersect(r, d*0.999-1e-3); again != miss {
					t.Fatalf("hit at %v beyond the limit", again)
				}
			})
		})
	}
}

// The share of the hemisphere that a ball hides, against counting directions.
func TestCoverAgreesWithCounting(t *testing.T) {
	p, n := geom.Vec3{}, geom.Vec3{0, 0, 1}
	for _, s := range []sphere{
		{geom.Vec3{0, 0, 2}, 1}, {geom.Vec3{1.5, 0, 1}, 0.7}, {geom.Vec3{2, 0, 0}, 1}, {geom.Vec3{1, 1, -0.3}, 0.8}, {geom.Vec3{0, 0, -2}, 1},
	} {
		hidden, total := 0.0, 0.0
		const grid = 400
		for i := range grid * grid { // a uniform disc is a cosine-weighted hemisphere
			x, y := (float64(i%grid)+0.5)/grid*2-1, (float64(i/grid)+0.5)/grid*2-1
			if x*x+y*y >= 1 {
				continue
			}
			total++
			if s.intersect(ray{p, geom.Vec3{x, y, math.Sqrt(1 - x*x - y*y)}}, miss) < miss {
				hidden++
			}
		}
		if got, want := s.cover(&p, &n), hidden/total; math.Abs(got-want) > 0.04 {
			t.Errorf("%+v: cover %.3f, counted %.3f", s, got, want)
		}
	}
}

func TestDisplayIsTheSRGBCurve(t *testing.T) {
	for v := 0.0; v < 0.6; v += 0.001 {
		c := display(geom.Vec3{v, v, v})[0]
		if back := linear(c); math.Abs(back-v) > 2e-4 {
			t.Errorf("%v is shown as %v, which stands for %v", v, c, back)
		}
	}
	if c := display(geom.Vec3{-1, 50, 1}); c[0] != 0 || c[1] > 1 || c[1] < 0.99 || c[2] >= c[1] {
		t.Errorf("ends: %v", c)
	}
}

func TestNoiseIsContinuousAndBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genVec(t, "p", -5, 5)
		v := noise(p, 1)
		if v < 0 || v > 1 {
			t.Fatalf("noise is %v", v)
		}
		if d := noise(p.Add(geom.Vec3{1e-4, -1e-4, 1e-4}), 1) - v; math.Abs(d) > 1e-3 {
			t.Fatalf("jumps by %v", d)
		}
	})
	if noise(geom.Vec3{1.5, 2.5, 3.5}, 1) == noise(geom.Vec3{1.5, 2.5, 3.5}, 2) {
		t.Error("the seed changes nothing")
	}
}

// Few views must suffice to learn the scene: what depends on the direction of
// view may only be a small part of it.
func TestShineIsThereAndGentle(t *testing.T) {
	shiny, matt := stillLife(0), stillLife(0)
	for _, o := range matt.objects {
		o.mirror, o.specular = 0, 0
	}
	for i, cam := range testCameras(Options{Size: 80, Train: 24, Test: 6}) {
		a, b := shiny.render(t.Context(), cam, 2), matt.render(t.Context(), cam, 2)
		truth := &imageio.Image{Width: 80, Height: 80, Pix: a.Pix}
		var render []float32
		for p := b.Pix; len(p) > 0; p = p[4:] {
			for _, c := range p[:3] {
				render = append(render, float32(c)*float32(p[3])/(255*255))
			}
		}
		v, err := ForegroundPSNR(truth, render, [3]float64{})
		if err != nil || v < 27 || v > 36 {
			t.Errorf("test view %d: %.1f dB without the shine (%v), want 27 to 36", i, v, err)
		}
	}
}
