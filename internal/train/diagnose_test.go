package train

import (
	"context"
	"math"
	"strings"
	"testing"

	"splat/internal/kernel"
)

// Damage of every kind is noticed within an audit's distance and named.
func TestDamageIsNamed(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	capture := smallCapture(t)
	for name, test := range map[string]struct {
		buffer func(*session) *kernel.Buffer
		at     int
		value  float32
		want   string
	}{
		"mean":              {func(s *session) *kernel.Buffer { return s.pl.Geom }, 7*kernel.GeomRow + 1, nan, "kernel update, the mean of splat 7 is NaN"},
		"opacity":           {func(s *session) *kernel.Buffer { return s.pl.Geom }, 8*kernel.GeomRow + kernel.GeomOpacity, inf, "kernel update, the opacity of splat 8 is +Inf"},
		"SH":                {func(s *session) *kernel.Buffer { return s.pl.SH }, 9*12 + 4, nan, "the SH coefficient 1 (green) of splat 9 is NaN"},
		"first moment":      {func(s *session) *kernel.Buffer { return s.pl.GeomM }, 10*kernel.GeomRow + kernel.GeomScale, inf, "of splat 10 is "},
		"second moment":     {func(s *session) *kernel.Buffer { return s.pl.SHV }, 11 * 12, nan, "the SH coefficient 0 (red) of splat 11 is NaN"},
		"statistics":        {func(s *session) *kernel.Buffer { return s.pl.Stats }, 12 * kernel.StatRow, nan, "screen gradient (densification statistics) of splat 12 is NaN"},
		"window":            {func(s *session) *kernel.Buffer { return s.pl.Window }, 5, nan, "kernel loss, a derivative of the SSIM at pixel ("},
		"too large a scale": {func(s *session) *kernel.Buffer { return s.pl.Geom }, 13*kernel.GeomRow + kernel.GeomScale, 80, "kernel update, a gradient of splat 13 is beyond 1e+18"},
	} {
		t.Run(name, func(t *testing.T) {
			c := smallConfig("mcmc", 400)
			c.Strategy.RefineEvery = 1000
			c.Train.SaveEvery = 0
			s := startSession(t, c, capture)
			const from = 40
			s.due.end = from
			if _, err := s.loop(context.Background()); err != nil {
				t.Fatal(err)
			}
			s.due.end = 400
			if err := kernel.WriteSlice(s.pl.Backend, test.buffer(s), test.at, []float32{test.value}); err != nil {
				t.Fatal(err)
			}
			_, err := s.loop(context.Background())
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("found %v, expected %q", err, test.want)
			}
			if c, err := s.control(); err != nil || c.Step < from || c.Step > from+kernel.AuditEvery {
				t.Errorf("stopped at step %d: %v", c.Step, err)
			}
			if err := s.preserve(err); err == nil || len(s.keep.(*shelf).steps) != 0 {
				t.Errorf("a damaged state was kept: %v, %v", s.keep.(*shelf).steps, err)
			}
		})
	}
}

// The advice fits the cause: a splat of the start does no harm until a view shows
// it, which takes at most one pass over the views.
func TestAdviceFitsTheCause(t *testing.T) {
	const rates, remove = "lower the learning rates", "remove such splats from start.ply"
	for _, c := range []struct {
		init string
		step int
		want []string
		not  string
	}{
		{"start.ply", 0, []string{remove}, rates},
		{"start.ply", 9, []string{remove, rates}, ""},
		{"start.ply", 10, []string{rates}, "start.ply"},
		{"", 0, []string{"splat info", "model.init_scale"}, rates},
		{"", 1, []string{rates}, "splat info"},
	} {
		s := &session{trains: 10}
		s.cfg.Model.Init = c.init
		got := s.advice(c.step)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("step %d from %q: found %q, expected %q", c.step, c.init, got, want)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("step %d from %q: found %q, without %q", c.step, c.init, got, c.not)
		}
	}
}

// A step that met damage changes no other splat to something that is not finite.
func TestDamageDoesNotSpread(t *testing.T) {
	c := smallConfig("adc", 200)
	s := startSession(t, c, smallCapture(t))
	s.due.end = 50
	if _, err := s.loop(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.due.end = 200
	if err := kernel.WriteSlice(s.pl.Backend, s.pl.Geom, 5*kernel.GeomRow, []float32{float32(math.NaN())}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.loop(context.Background()); err == nil {
		t.Fatal("not noticed")
	}
	state, err := s.control()
	if err != nil {
		t.Fatal(err)
	}
	cloud, err := download(s.pl, int(state.Splats))
	if err != nil {
		t.Fatal(err)
	}
	if n, first := cloud.NonFinite(); n != 1 || !strings.Contains(first, "5") {
		t.Errorf("%d splats are damaged, the first: %s", n, first)
	}
}
