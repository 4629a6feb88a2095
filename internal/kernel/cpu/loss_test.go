package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"splat/internal/kernel"
	"splat/internal/kernel/cpu"
	"splat/internal/kernel/kerneltest"
)

// lossCase is a picture and a target.
type lossCase struct {
	w, h       int
	mask       bool
	taps       int
	lambda     float32
	background [3]float32
	image      []float32 // RGB and transmittance
	target     []uint32
}

func newLossCase(seed uint64, w, h int, mask bool, taps int) lossCase {
	rng := rand.New(rand.NewPCG(seed, 4))
	c := lossCase{w: w, h: h, mask: mask, taps: taps, lambda: 0.2, background: [3]float32{0.1, 0.6, 0.9}}
	for range w * h {
		for range 3 {
			c.image = append(c.image, float32(1.1*rng.Float64()))
		}
		c.image = append(c.image, float32(rng.Float64()))
		a := uint32(rng.IntN(256))
		if mask {
			a = 255 * uint32(min(rng.IntN(4), 1))
		}
		word := a << 24
		for k := range 3 {
			v := uint32(rng.IntN(256))
			if !mask {
				v = v * a / 255 // premultiplied
			}
			word |= v << (8 * k)
		}
		c.target = append(c.target, word)
	}
	return c
}

// scale is 1 / (3 * pixels that count).
func (c *lossCase) scale() float64 {
	n := 0
	for _, word := range c.target {
		if !c.mask || word>>24 > 0 {
			n++
		}
	}
	return 1 / (3 * float64(max(n, 1)))
}

// run computes the loss and its gradient on the device.
func (c *lossCase) run(t testing.TB, o cpu.Options) (l1, ssim float64, gradient []float32) {
	r := newRig(t, o)
	tilesX, tilesY := kernel.Blocks(c.w, kernel.TileSize), kernel.Blocks(c.h, kernel.TileSize)
	step := kernel.Step{
		Width: uint32(c.w), Height: uint32(c.h), TilesX: uint32(tilesX), TilesY: uint32(tilesY),
		LossScale: float32(c.scale()), Background: c.background, SSIMLambda: c.lambda,
	}
	if c.mask {
		step.Flags = kernel.ViewMask
	}
	partials := r.buffer("partials", kernel.Real, 2*tilesX*tilesY)
	out := r.buffer("gradient", kernel.Real, 3*c.w*c.h)
	args := kernel.Args{
		"step": newRecord(r, "step", "Step", step), "image": r.reals("image", c.image...), "targets": r.words("targets", c.target...),
		"window": r.reals("window", kerneltest.GaussianWindow(c.taps)...), "maps": r.buffer("maps", kernel.Real, 9*c.w*c.h),
	}
	with := func(name string, b *kernel.Buffer) kernel.Args {
		all := kernel.Args{name: b}
		for k, v := range args {
			all[k] = v
		}
		return all
	}
	r.kernel(kernel.Loss, tilesX*tilesY, with("partials", partials), uint32(c.taps))
	r.kernel(kernel.LossGradient, tilesX*tilesY, with("gradient", out), uint32(c.taps))
	for i, v := range r.readReals(partials) {
		if i%2 == 0 {
			l1 += float64(v)
		} else {
			ssim += float64(v)
		}
	}
	return l1 * c.scale(), ssim * c.scale(), r.readReals(out)
}

// naive is the loss as its definition says: each window is summed directly.
type naive struct {
	c      *lossCase
	window []float64
	weight []float64
	x, y   [3][]float64 // weighted render and target
}

func newNaive(c *lossCase) *naive {
	n := &naive{c: c}
	for _, v := range kerneltest.GaussianWindow(c.taps) {
		n.window = append(n.window, float64(v))
	}
	for i, word := range c.target {
		a, weight := float64(word>>24)/255, 1.0
		if c.mask {
			weight = a
		}
		n.weight = append(n.weight, weight)
		for k := range 3 {
			v := float64(word>>(8*k)&255) / 255
			if !c.mask {
				v += (1 - a) * float64(c.background[k])
			}
			n.y[k] = append(n.y[k], weight*v)
			n.x[k] = append(n.x[k], weight*float64(c.image[4*i+k]))
		}
	}
	return n
}

// ssimAt sums one window, zero padded.
func (n *naive) ssimAt(channel, px, py int) float64 {
	var mx, my, xx, yy, xy float64
	half := len(n.window) / 2
	for j, wj := range n.window {
		for i, wi := range n.window {
			x, y := px+i-half, py+j-half
			if x < 0 || y < 0 || x >= n.c.w || y >= n.c.h {
				continue
			}
			a, b, w := n.x[channel][y*n.c.w+x], n.y[channel][y*n.c.w+x], wi*wj
			mx, my = mx+w*a, my+w*b
			xx, yy, xy = xx+w*a*a, yy+w*b*b, xy+w*a*b
		}
	}
	const c1, c2 = 0.01 * 0.01, 0.03 * 0.03
	vx, vy, cov := math.Max(xx-mx*mx, 0), math.Max(yy-my*my, 0), xy-mx*my
	return (2*mx*my + c1) * (2*cov + c2) / ((mx*mx + my*my + c1) * (vx + vy + c2))
}

// channel returns the sums of |x-y| and SSIM of a channel.
func (n *naive) channel(k int) (l1, ssim float64) {
	for py := range n.c.h {
		for px := range n.c.w {
			i := py*n.c.w + px
			l1 += math.Abs(n.x[k][i] - n.y[k][i])
			ssim += n.weight[i] * n.ssimAt(k, px, py)
		}
	}
	return l1, ssim
}

func (n *naive) parts() (l1, ssim float64) {
	for k := range 3 {
		a, b := n.channel(k)
		l1, ssim = l1+a*n.c.scale(), ssim+b*n.c.scale()
	}
	return l1, ssim
}

// gradient is by central differences of the loss.
func (n *naive) gradient() []float64 {
	const eps = 1e-5
	out := make([]float64, 3*n.c.w*n.c.h)
	lambda := float64(n.c.lambda)
	loss := func(k int) float64 {
		l1, ssim := n.channel(k)
		return ((1-lambda)*l1 - lambda*ssim) * n.c.scale()
	}
	for k := range 3 {
		for i := range n.weight {
			old := n.x[k][i]
			n.x[k][i] = old + n.weight[i]*eps
			up := loss(k)
			n.x[k][i] = old - n.weight[i]*eps
			out[3*i+k] = (up - loss(k)) / (2 * eps)
			n.x[k][i] = old
		}
	}
	return out
}

func lossCases() map[string]lossCase {
	out := map[string]lossCase{}
	for _, size := range [][2]int{{1, 1}, {5, 3}, {23, 7}, {17, 18}} {
		for _, mask := range []bool{false, true} {
			out[fmt.Sprintf("%dx%d mask %v", size[0], size[1], mask)] = newLossCase(uint64(size[0]), size[0], size[1], mask, 11)
		}
	}
	out["window of 5"] = newLossCase(8, 19, 6, false, 5)
	return out
}

func TestLossAgainstDirectSums(t *testing.T) {
	for name, c := range lossCases() {
		t.Run(name, func(t *testing.T) {
			wantL1, wantSSIM := newNaive(&c).parts()
			for _, p := range []struct {
				o     cpu.Options
				limit float64
			}{{cpu.Options{Float64: true}, 1e-7}, {cpu.Options{Checked: true}, 2e-5}} { // partial sums are read as float32
				l1, ssim, _ := c.run(t, p.o)
				if !(math.Abs(l1-wantL1) <= p.limit) || !(math.Abs(ssim-wantSSIM) <= p.limit) {
					t.Errorf("float64 %v: L1 %.9g, want %.9g; SSIM %.9g, want %.9g", p.o.Float64, l1, wantL1, ssim, wantSSIM)
				}
			}
		})
	}
}

func TestLossGradientAgainstDifferences(t *testing.T) {
	for name, c := range lossCases() {
		t.Run(name, func(t *testing.T) {
			want := newNaive(&c).gradient()
			var largest float64
			for _, v := range want {
				largest = math.Max(largest, math.Abs(v))
			}
			for _, p := range []struct {
				o     cpu.Options
				limit float64
			}{{cpu.Options{Float64: true}, 1e-6}, {cpu.Options{}, 3e-4}} {
				_, _, got := c.run(t, p.o)
				for i := range want {
					if !(math.Abs(float64(got[i])-want[i]) <= p.limit*largest) {
						t.Fatalf("float64 %v: element %d: %.9g, want %.9g (largest %.3g)", p.o.Float64, i, got[i], want[i], largest)
					}
				}
			}
		})
	}
}

// TestIgnoredPixels: what lies under the mask changes nothing and gets no gradient.
func TestIgnoredPixels(t *testing.T) {
	c := newLossCase(3, 21, 19, true, 11)
	l1, ssim, gradient := c.run(t, cpu.Options{})
	changed := c
	changed.image, changed.target = append([]float32(nil), c.image...), append([]uint32(nil), c.target...)
	for i, word := range c.target {
		if word>>24 == 0 {
			changed.target[i] = 0x00ABCDEF
			changed.image[4*i], changed.image[4*i+2] = 0.9, 0.1
			for k := range 3 {
				if gradient[3*i+k] != 0 {
					t.Fatalf("ignored pixel %d has the gradient %v", i, gradient[3*i:3*i+3])
				}
			}
		}
	}
	l1b, ssimb, gradientb := changed.run(t, cpu.Options{})
	if l1 != l1b || ssim != ssimb {
		t.Errorf("L1 %v and %v, SSIM %v and %v", l1, l1b, ssim, ssimb)
	}
	for i := range gradient {
		if gradient[i] != gradientb[i] {
			t.Fatalf("gradient %d: %v and %v", i, gradient[i], gradientb[i])
		}
	}
}

// TestEqualPicturesHaveNoLoss: SSIM 1, L1 0 and no gradient that matters.
func TestEqualPicturesHaveNoLoss(t *testing.T) {
	c := newLossCase(4, 33, 20, true, 11)
	for i := range c.target {
		c.target[i] |= 0xFF000000
		for k := range 3 {
			c.image[4*i+k] = float32(c.target[i]>>(8*k)&255) / 255
		}
	}
	l1, ssim, gradient := c.run(t, cpu.Options{})
	if l1 != 0 || math.Abs(ssim-1) > 1e-5 {
		t.Errorf("L1 %v, SSIM %v", l1, ssim)
	}
	for i, v := range gradient {
		if math.Abs(float64(v)) > 1e-6 {
			t.Fatalf("gradient %d is %v", i, v)
		}
	}
}

// TestWindow holds the taps that implementations agree on.
func TestWindow(t *testing.T) {
	got := kerneltest.GaussianWindow(11)
	for i, want := range []float64{0.00102838, 0.00759876, 0.03600077, 0.10936069, 0.21300553, 0.26601172} {
		for _, v := range []float32{got[i], got[10-i]} {
			if math.Abs(float64(v)-want) > 2e-8 {
				t.Errorf("tap %d is %v, want %v", i, v, want)
			}
		}
	}
}
