package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// pattern is a picture of integers below 64 over 63, made by a formula that is
// easy to repeat in another program.
func pattern(w, h, k int) []float32 {
	img := make([]float32, 0, 3*w*h)
	for y := range h {
		for x := range w {
			for c := range 3 {
				img = append(img, float32((x*7+y*13+c*29+k*((x*y)%11)+k*k*(x%5))%64)/63)
			}
		}
	}
	return img
}

// Values computed with scikit-image 0.26 from the same pictures in float64:
// structural_similarity(gaussian_weights=True, sigma=1.5, truncate=3.5,
// use_sample_covariance=False, data_range=1, channel_axis=2) and
// peak_signal_noise_ratio(data_range=1).
func TestAgainstScikitImage(t *testing.T) {
	for _, c := range []struct {
		w, h       int
		ssim, psnr float64
	}{
		{40, 32, 0.46008696363516766, 10.316001778491245},
		{11, 11, 0.43531902369909076, 10.146428415309472},
		{23, 57, 0.458954664032452, 10.571015358437545},
	} {
		a, b := pattern(c.w, c.h, 0), pattern(c.w, c.h, 1)
		if got := SSIM(a, b, c.w, c.h, nil); math.Abs(got-c.ssim) > 1e-9 {
			t.Errorf("%dx%d: SSIM %.12f, want %.12f", c.w, c.h, got, c.ssim)
		}
		if got := PSNR(a, b, nil); math.Abs(got-c.psnr) > 1e-9 {
			t.Errorf("%dx%d: PSNR %.12f, want %.12f", c.w, c.h, got, c.psnr)
		}
	}
}

// naiveSSIM is the definition, written out: every window, every pixel of it, in
// the usual terms of means, variances and covariance.
func naiveSSIM(a, b []float32, w, h int, use []bool) float64 {
	size := min(11, w, h)
	size -= 1 - size%2
	weight := make([]float64, size*size)
	total := 0.0
	for i := range weight {
		x, y := float64(i%size-size/2), float64(i/size-size/2)
		weight[i] = math.Exp(-(x*x + y*y) / (2 * 1.5 * 1.5))
		total += weight[i]
	}
	in := func(x, y int) bool { return use == nil || use[y*w+x] }
	run := func(blacken bool) (sum float64, n int) {
		for y := 0; y+size <= h; y++ {
			for x := 0; x+size <= w; x++ {
				whole := true
				for i := range weight {
					whole = whole && in(x+i%size, y+i/size)
				}
				if !blacken && !whole || blacken && !in(x+size/2, y+size/2) {
					continue
				}
				for c := range 3 {
					var ma, mb, aa, bb, ab float64
					for i, wt := range weight {
						px, py := x+i%size, y+i/size
						va, vb := float64(a[3*(py*w+px)+c]), float64(b[3*(py*w+px)+c])
						if !in(px, py) {
							va, vb = 0, 0
						}
						wt /= total
						ma, mb = ma+wt*va, mb+wt*vb
						aa, bb, ab = aa+wt*va*va, bb+wt*vb*vb, ab+wt*va*vb
					}
					sum += (2*ma*mb + 1e-4) * (2*(ab-ma*mb) + 9e-4) / ((ma*ma + mb*mb + 1e-4) * (aa - ma*ma + bb - mb*mb + 9e-4))
					n++
				}
			}
		}
		return sum, n
	}
	sum, n := run(false)
	if n == 0 {
		sum, n = run(true)
	}
	return sum / float64(n)
}

// All sizes around the window's, without a mask, with few and with many pixels
// left out.
func TestSSIMIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 26).Draw(t, "w"), rapid.IntRange(1, 26).Draw(t, "h")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		noise := rapid.SampledFrom([]float32{0, 1e-3, 0.1, 1}).Draw(t, "noise")
		a, b := make([]float32, 3*w*h), make([]float32, 3*w*h)
		for i := range a {
			a[i] = rng.Float32()
			b[i] = a[i] + noise*(rng.Float32()-0.5)
		}
		var use []bool
		if part := rapid.SampledFrom([]float64{0, 0.002, 0.5, 1}).Draw(t, "masked"); part > 0 {
			use = make([]bool, w*h)
			for i := range use {
				use[i] = rng.Float64() >= part
			}
		}
		got, want := SSIM(a, b, w, h, use), naiveSSIM(a, b, w, h, use)
		if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 1e-10 {
			t.Fatalf("%dx%d: %.14f, want %.14f", w, h, got, want)
		}
	})
}

func TestIdenticalPictures(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {17, 15}, {31, 33}, {257, 12}} {
		a := pattern(size[0], size[1], 3)
		if got := SSIM(a, a, size[0], size[1], nil); got != 1 {
			t.Errorf("%v: SSIM %.17g, want 1", size, got)
		}
		if got := PSNR(a, a, nil); got != MaxPSNR {
			t.Errorf("%v: PSNR %g, want %d", size, got, MaxPSNR)
		}
	}
}

// A constant picture has no variance: only the luminance term is left.
func TestConstantPictures(t *testing.T) {
	a := slices.Repeat([]float32{0.25}, 3*20*20)
	b := slices.Repeat([]float32{0.75}, 3*20*20)
	want := (2*0.25*0.75 + 1e-4) / (0.25*0.25 + 0.75*0.75 + 1e-4)
	if got := SSIM(a, b, 20, 20, nil); math.Abs(got-want) > 1e-12 {
		t.Errorf("SSIM %g, want %g", got, want)
	}
	if got, want := PSNR(a, b, nil), 20*math.Log10(2); math.Abs(got-want) > 1e-12 {
		t.Errorf("PSNR %g, want %g", got, want)
	}
}

// Every 8-bit value off by one is 20 log10(255) dB, far below the limit; one
// value of six million is above it.
func TestPSNRNearTheLimit(t *testing.T) {
	a := make([]float32, 3*1080*1920)
	b := slices.Clone(a)
	b[77] = 1.0 / 255
	if got := PSNR(a, b, nil); got != MaxPSNR {
		t.Errorf("one value: PSNR %g, want %d", got, MaxPSNR)
	}
	b = slices.Repeat([]float32{1.0 / 255}, len(a))
	if got, want := PSNR(a, b, nil), 20*math.Log10(255); math.Abs(got-want) > 1e-6 {
		t.Errorf("every value: PSNR %g, want %g", got, want)
	}
}

// What the mask leaves out changes neither measure.
func TestMaskedPixelsDoNotCount(t *testing.T) {
	const w, h = 30, 20
	a, b := pattern(w, h, 0), pattern(w, h, 1)
	use := make([]bool, w*h)
	for i := range use {
		use[i] = i%w < 18 && i != 5*w+2
	}
	psnr, ssim := PSNR(a, b, use), SSIM(a, b, w, h, use)
	for i, u := range use {
		if !u {
			copy(a[3*i:], []float32{9, -9, 1})
			b[3*i] = float32(math.NaN())
		}
	}
	if got := PSNR(a, b, use); got != psnr {
		t.Errorf("PSNR %g, was %g", got, psnr)
	}
	if got := SSIM(a, b, w, h, use); math.IsNaN(got) || got != ssim {
		t.Errorf("SSIM %g, was %g", got, ssim)
	}
	all := slices.Repeat([]bool{true}, w*h)
	a, b = pattern(w, h, 0), pattern(w, h, 1)
	if PSNR(a, b, all) != PSNR(a, b, nil) || SSIM(a, b, w, h, all) != SSIM(a, b, w, h, nil) {
		t.Error("a mask that uses all pixels changes the result")
	}
	if PSNR(a, b, use) == PSNR(a, b, nil) || SSIM(a, b, w, h, use) == SSIM(a, b, w, h, nil) {
		t.Error("the mask has no effect")
	}
}

func TestNothingToMeasure(t *testing.T) {
	none := make([]bool, 12*12)
	a := pattern(12, 12, 0)
	for name, got := range map[string]float64{
		"PSNR, all masked": PSNR(a, a, none),
		"SSIM, all masked": SSIM(a, a, 12, 12, none),
		"PSNR, no pixels":  PSNR(nil, nil, nil),
		"SSIM, no pixels":  SSIM(nil, nil, 0, 5, nil),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: %g, want NaN", name, got)
		}
	}
}

func TestNaNShows(t *testing.T) {
	a, b := pattern(20, 20, 0), pattern(20, 20, 0)
	a[500] = float32(math.NaN())
	Quantize(a)
	if got := PSNR(a, b, nil); !math.IsNaN(got) {
		t.Errorf("PSNR %g of a picture with NaN", got)
	}
	if got := SSIM(a, b, 20, 20, nil); !math.IsNaN(got) {
		t.Errorf("SSIM %g of a picture with NaN", got)
	}
}

func TestQuantize(t *testing.T) {
	inf := float32(math.Inf(1))
	got := []float32{-1, 0, 0.49 / 255, 0.51 / 255, 0.5, 1, 7, inf, -inf, 254.4 / 255}
	Quantize(got)
	for i, want := range []uint8{0, 0, 0, 1, 128, 255, 255, 255, 0, 254} {
		if got[i] != float32(want)/255 {
			t.Errorf("value %d: %v, want %d/255", i, got[i], want)
		}
	}
	// The 256 values of an 8-bit picture stay what they are.
	for v := range 256 {
		x := []float32{float32(v) / 255}
		if Quantize(x); x[0] != float32(v)/255 {
			t.Errorf("%d/255 became %v", v, x[0])
		}
	}
}

func TestWrongLengthsPanic(t *testing.T) {
	a := make([]float32, 12)
	for name, f := range map[string]func(){
		"PSNR":      func() { PSNR(a, a[:9], nil) },
		"PSNR mask": func() { PSNR(a, a, make([]bool, 3)) },
		"SSIM":      func() { SSIM(a, a, 3, 2, nil) },
		"SSIM mask": func() { SSIM(a, a, 2, 2, make([]bool, 5)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkSSIM(b *testing.B) {
	p, q := pattern(800, 800, 0), pattern(800, 800, 1)
	for b.Loop() {
		SSIM(p, q, 800, 800, nil)
	}
}

func BenchmarkPSNR(b *testing.B) {
	p, q := pattern(800, 800, 0), pattern(800, 800, 1)
	for b.Loop() {
		PSNR(p, q, nil)
	}
}
