package demo

import (
	"math"
	"strings"
	"testing"

	"splat/internal/imageio"
)

// picture makes a true picture one pixel high.
func picture(rgba ...uint8) *imageio.Image {
	return &imageio.Image{Width: len(rgba) / 4, Height: 1, Pix: rgba}
}

func TestForegroundPSNR(t *testing.T) {
	black, white := [3]float64{}, [3]float64{1, 1, 1}
	for _, c := range []struct {
		name       string
		truth      *imageio.Image
		render     []float32
		background [3]float64
		want       float64
	}{
		{"identical", picture(255, 0, 51, 255), []float32{1, 0, 0.2}, black, 100},
		{"one channel off by 10", picture(255, 0, 0, 255), []float32{1, 10.0 / 255, 0}, black, 10 * math.Log10(255*255/(100.0/3))},
		{"rounded to 8 bits", picture(128, 128, 128, 255), []float32{127.6 / 255, 128.4 / 255, 128 / 255.0}, black, 100},
		{"clamped", picture(255, 0, 0, 255), []float32{7, -3, 0}, black, 100},
		{"background does not count", picture(0, 255, 0, 255, 9, 9, 9, 0), []float32{0, 1, 0, 1, 1, 1}, black, 100},
		{"faint alpha counts", picture(0, 0, 0, 255, 0, 0, 0, 1), []float32{0, 0, 0, 1, 1, 1}, black, 10 * math.Log10(2)},
		{"straight alpha on black", picture(200, 100, 50, 51), []float32{40.0 / 255, 20.0 / 255, 10.0 / 255}, black, 100},
		{"straight alpha on white", picture(200, 100, 50, 51), []float32{244.0 / 255, 224.0 / 255, 214.0 / 255}, white, 100},
		{"NaN is black", picture(0, 255, 0, 255), []float32{float32(math.NaN()), 1, 0}, black, 100},
	} {
		got, err := ForegroundPSNR(c.truth, c.render, c.background)
		if err != nil || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

func TestForegroundPSNROfPremultiplied(t *testing.T) {
	truth := picture(40, 20, 10, 51)
	truth.Premultiplied = true
	got, err := ForegroundPSNR(truth, []float32{244.0 / 255, 224.0 / 255, 214.0 / 255}, [3]float64{1, 1, 1})
	if err != nil || got != 100 {
		t.Errorf("%v, %v, want 100", got, err)
	}
}

func TestForegroundPSNRRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		truth  *imageio.Image
		render []float32
	}{
		"3 values of RGB for 2x1":            {picture(0, 0, 0, 255, 0, 0, 0, 255), make([]float32, 3)},
		"4 bytes of RGBA":                    {&imageio.Image{Width: 2, Height: 1, Pix: make([]uint8, 4)}, make([]float32, 6)},
		"no pixel with alpha above 0 in 1x1": {picture(9, 9, 9, 0), make([]float32, 3)},
	} {
		if _, err := ForegroundPSNR(c.truth, c.render, [3]float64{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
