package undistort

import (
	"math"
	"testing"

	"splat/internal/geom"
	"splat/internal/imageio"
)

var camera = geom.Camera{Model: "OPENCV", Width: 120, Height: 90, Fx: 72, Fy: 75, Cx: 62.5, Cy: 43}

// lenses are a typical one of each model, with where it puts the ray (0.4, -0.3, 1), as
// worked out by hand from COLMAP's definitions: r is 0.5, its angle 0.463648.
var lenses = map[string]struct {
	lens Lens
	u, v float64
}{
	"SIMPLE_RADIAL":         {New("SIMPLE_RADIAL", []float64{0.1}), 0.41, -0.3075},
	"RADIAL":                {New("RADIAL", []float64{0.1, -0.2}), 0.405, -0.30375},
	"OPENCV":                {New("OPENCV", []float64{0.1, -0.2, 0.01, -0.02}), 0.3912, -0.29465},
	"FULL_OPENCV":           {New("FULL_OPENCV", []float64{0.1, 0, 0, 0, 0, 0.2, 0, 0}), 0.41 / 1.05, -0.3075 / 1.05},
	"OPENCV_FISHEYE":        {New("OPENCV_FISHEYE", []float64{0.1}), 0.8 * 0.4736149, -0.6 * 0.4736149},
	"SIMPLE_RADIAL_FISHEYE": {New("SIMPLE_RADIAL_FISHEYE", []float64{0.1}), 0.8 * 0.4736149, -0.6 * 0.4736149},
	"RADIAL_FISHEYE":        {New("RADIAL_FISHEYE", []float64{0.1, 0}), 0.8 * 0.4736149, -0.6 * 0.4736149},
	"FOV":                   {New("FOV", []float64{1}), 0.4, -0.3},
	"THIN_PRISM_FISHEYE":    {New("THIN_PRISM_FISHEYE", []float64{0.1, 0, 0, 0, 0, 0, 0.01, 0}), 0.8*0.4736149 + 0.01*0.2149692, -0.6 * 0.4736149},
}

func TestDistort(t *testing.T) {
	for name := range models {
		c, ok := lenses[name]
		if !ok {
			t.Errorf("%s has no case", name)
			continue
		}
		if u, v := c.lens.Distort(0.4, -0.3); math.Abs(u-c.u) > 1e-6 || math.Abs(v-c.v) > 1e-6 {
			t.Errorf("%s: (%.7f, %.7f), want (%.7f, %.7f)", name, u, v, c.u, c.v)
		}
		if u, v := c.lens.Distort(0, 0); u != 0 || v != 0 {
			t.Errorf("%s: the axis is seen at (%g, %g)", name, u, v)
		}
	}
}

// The pinhole camera sees as much as possible, and nothing that is not there.
func TestPlain(t *testing.T) {
	for name, c := range lenses {
		got, err := Plain(c.lens, camera)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f := got.Fx / camera.Fx
		if !c.lens.fills(camera, f) || c.lens.fills(camera, f*0.99) {
			t.Errorf("%s: a factor of %g is not the least", name, f)
		}
		if got.Model != geom.Pinhole || got.Cx != camera.Cx || math.Abs(got.Fy/camera.Fy-f) > 1e-12 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got, err := Plain(New("RADIAL", nil), camera); err != nil || math.Abs(got.Fx-camera.Fx) > 1e-3 {
		t.Errorf("without distortion: %+v, %v", got, err)
	}
	for _, l := range []Lens{New("EUCM", nil), New("SIMPLE_RADIAL", []float64{math.NaN()}), New("SIMPLE_RADIAL", []float64{-1e6})} {
		if _, err := Plain(l, camera); err == nil {
			t.Errorf("%+v is accepted", l)
		}
	}
}

// A picture whose colours are functions of the ray is the same function afterwards.
func TestPicture(t *testing.T) {
	colour := func(x, y float64) [2]float64 { return [2]float64{128 + 60*math.Sin(3*x), 128 + 60*math.Cos(2*y)} }
	for name, c := range lenses {
		to, err := Plain(c.lens, camera)
		if err != nil {
			t.Fatal(err)
		}
		// by Newton's kind of iteration: the ray that is seen at a pixel
		m := imageio.New(camera.Width, camera.Height)
		for i := range camera.Width * camera.Height {
			u, v := (float64(i%camera.Width)+0.5-camera.Cx)/camera.Fx, (float64(i/camera.Width)+0.5-camera.Cy)/camera.Fy
			x, y := u, v
			for range 40 {
				du, dv := c.lens.Distort(x, y)
				x, y = x+0.7*(u-du), y+0.7*(v-dv)
			}
			rg := colour(x, y)
			copy(m.Pix[4*i:], []uint8{uint8(math.Round(rg[0])), uint8(math.Round(rg[1])), 0, 255})
		}
		out := Picture(m, c.lens, camera, to)
		for i := range camera.Width * camera.Height {
			if x, y := i%camera.Width, i/camera.Width; min(x, y, camera.Width-1-x, camera.Height-1-y) < 3 {
				continue // the source's border: beyond it the nearest pixels hold
			}
			rg := colour((float64(i%camera.Width)+0.5-to.Cx)/to.Fx, (float64(i/camera.Width)+0.5-to.Cy)/to.Fy)
			if p := out.Pix[4*i:]; math.Abs(float64(p[0])-rg[0]) > 2 || math.Abs(float64(p[1])-rg[1]) > 2 || p[3] != 255 {
				t.Fatalf("%s: pixel %d, %d is %v, want %.1f", name, i%camera.Width, i/camera.Width, p[:4], rg)
			}
		}
	}
}
