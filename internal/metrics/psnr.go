// Package metrics measures how alike two pictures are: PSNR and SSIM, as papers
// on Gaussian splatting report them.
//
// Pictures are RGB float32 in 0..1, interleaved, row by row: 3*w*h values. A
// render is rounded with Quantize first, so that the result is that of the
// picture a user would save. A mask tells which pixels count: use[i] false leaves
// pixel i out of both measures, a nil mask uses all. Sums are in float64 and in a
// fixed order: the same pictures give the same bits. Slices of the wrong length
// are a programmer's error and panic.
package metrics

import (
	"fmt"
	"math"
)

// MaxPSNR is the PSNR of identical pictures and the upper limit of all: without
// it one perfect view would make the mean of a data set infinite. Only pictures
// that differ in fewer than one 8-bit value in 150 000, by 1, reach it as well.
const MaxPSNR = 100

// Quantize clamps to 0..1 and rounds to multiples of 1/255 in place, ties
// upwards. The values are those of float32(byte)/255. NaN stays NaN, so that a
// broken render shows in the measures.
func Quantize(img []float32) {
	for i, v := range img {
		v = min(max(v, 0), 1)
		img[i] = float32(math.Floor(float64(v)*255+0.5)) / 255
	}
}

// PSNR returns 10 log10(1/MSE) in dB over all channels of the pixels in use, at
// most MaxPSNR. It is NaN where a value is NaN or no pixel is in use.
func PSNR(a, b []float32, use []bool) float64 {
	if len(a) != len(b) || len(a)%3 != 0 || use != nil && 3*len(use) != len(a) {
		panic(fmt.Sprintf("metrics: PSNR of %d and %d values with a mask of %d", len(a), len(b), len(use)))
	}
	sum, count := 0.0, 0
	for i := 0; i < len(a); i += 3 {
		if use != nil && !use[i/3] {
			continue
		}
		for c := i; c < i+3; c++ {
			d := float64(a[c]) - float64(b[c])
			sum += d * d
		}
		count += 3
	}
	// 0/0 is the NaN of no pixel; min keeps NaN.
	return min(-10*math.Log10(sum/float64(count)), MaxPSNR)
}
