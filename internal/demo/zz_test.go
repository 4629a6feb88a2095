package demo

import (
	"splat/internal/imageio"
	"testing"
)

func TestZZ(t *testing.T) {
	o, _ := Options{}.withDefaults()
	a := stillLife(0)
	var vs []*scene
	for k := range 4 {
		b := stillLife(0)
		for i := range b.objects {
			if k == 0 || k == 1 && i != 1 || k == 2 && i == 1 {
				b.objects[i].mirror, b.objects[i].specular = 0, 0
			}
			if k == 3 {
				b.objects[i].mirror = 0
			}
		}
		vs = append(vs, b)
	}
	for _, cam := range testCameras(o) {
		x := a.render(cam, 2)
		var out [4]float64
		for k, s := range vs {
			y := s.render(cam, 2)
			var rgb []float32
			for p := y.Pix; len(p) > 0; p = p[4:] {
				for j := range 3 {
					rgb = append(rgb, float32(p[j])*float32(p[3])/255/255)
				}
			}
			out[k], _ = ForegroundPSNR(&imageio.Image{Width: 160, Height: 160, Pix: x.Pix}, rgb, [3]float64{})
		}
		t.Logf("none %.1f, only ball %.1f, all but ball %.1f, no mirror %.1f", out[0], out[1], out[2], out[3])
	}
}

func TestYY(t *testing.T) {
	WriteCapture("/tmp/democap", Options{})
	WriteCapture("/tmp/democapbig", Options{Size: 480, Train: 6, Test: 1})
}
