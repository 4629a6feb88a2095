package demo

import (
	"fmt"
	"math"

	"splat/internal/imageio"
)

// maxPSNR stands for identical pictures, so that a mean over views stays finite.
const maxPSNR = 100.0

// ForegroundPSNR returns the PSNR, in dB, of a render over the pixels where the
// true picture's alpha is above 0: an empty background, which is easy, does not
// count. truth is composited on background (sRGB values 0..1, the one render was
// made with); render is RGB, 3*Width*Height values, rounded to 8 bits here.
// Identical pictures get 100 dB. A picture without foreground is an error.
func ForegroundPSNR(truth *imageio.Image, render []float32, background [3]float64) (float64, error) {
	pixels := truth.Width * truth.Height
	if len(truth.Pix) != 4*pixels || len(render) != 3*pixels {
		return 0, fmt.Errorf("foreground PSNR: %d bytes of RGBA and %d values of RGB for %dx%d pixels",
			len(truth.Pix), len(render), truth.Width, truth.Height)
	}
	var sum float64
	n := 0
	for i := range pixels {
		p := truth.Pix[4*i : 4*i+4]
		if p[3] == 0 {
			continue
		}
		n++
		for k, bg := range background {
			d := composite(p[k], p[3], truth.Premultiplied, bg) - float64(byteOf(float64(render[3*i+k])))
			sum += d * d
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("foreground PSNR: no pixel with alpha above 0 in %dx%d", truth.Width, truth.Height)
	}
	return psnr(sum / float64(3*n)), nil
}

// composite puts a channel of a pixel on a background, on the scale 0..255.
func composite(c, alpha uint8, premultiplied bool, background float64) float64 {
	a := float64(alpha) / 255
	front := float64(c)
	if !premultiplied {
		front *= a
	}
	return front + (1-a)*255*background
}

// psnr turns a mean squared error on the scale 0..255 into dB.
func psnr(mse float64) float64 {
	if mse == 0 {
		return maxPSNR
	}
	return min(10*math.Log10(255*255/mse), maxPSNR)
}
