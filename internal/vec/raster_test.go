package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"splat/internal/kernel"
)

// randomRun is a tile's list of n splats around the tile at (32, 48), from specks
// to splats larger than the tile, thin ones among them, some out of reach.
func randomRun(rng *rand.Rand, n int) *Run {
	r := &Run{X: 32, Y: 48, Proj: make([]float32, n*kernel.ProjRow)}
	for i := range n {
		p := r.Proj[i*kernel.ProjRow : (i+1)*kernel.ProjRow]
		p[kernel.ProjX] = r.X + 8 + 12*float32(rng.NormFloat64())
		p[kernel.ProjY] = r.Y + 8 + 12*float32(rng.NormFloat64())
		a := 0.3 + float32(math.Exp(3*rng.NormFloat64()))
		c := 0.3 + float32(math.Exp(3*rng.NormFloat64()))
		b := (2*rng.Float32() - 1) * 0.99 * float32(math.Sqrt(float64(a*c)))
		det := a*c - b*b
		p[kernel.ProjConicA], p[kernel.ProjConicB], p[kernel.ProjConicC] = c/det, -b/det, a/det
		opacity := 1./255 + rng.Float32()*0.998
		power := float32(2*math.Log(255*float64(opacity)))*(1+1e-5) + 1e-5
		p[kernel.ProjOpacity], p[kernel.ProjPower] = opacity, power
		p[kernel.ProjExtentY] = float32(math.Sqrt(float64(power * c)))
		for k := range 3 {
			p[kernel.ProjColor+k] = rng.Float32()
		}
	}
	for _, i := range rng.Perm(n) {
		r.Pairs = append(r.Pairs, uint32(n-1-i))
	}
	for _, i := range rng.Perm(n) {
		r.Owners = append(r.Owners, uint32(i))
	}
	return r
}

// openTile is a transparent tile of w x h pixels.
func openTile(w, h int) (*BlendTile, int) {
	t := &BlendTile{}
	for y := range kernel.TileSize {
		for x := range kernel.TileSize {
			b, i := PixelAt(x, y)
			t[b].T[i] = 1
			if x >= w || y >= h {
				t[b].Last[i] = Closed
			}
		}
	}
	return t, w * h
}

// closeTo fails where two numbers differ by more than rounding. NaN is never close.
func closeTo(t *testing.T, what string, i int, got, want, relative, absolute float64) {
	t.Helper()
	if d := math.Abs(got - want); !(d <= absolute+relative*math.Abs(want)) {
		t.Fatalf("%s %d: %v, want %v", what, i, got, want)
	}
}

func needAVX2(t testing.TB) {
	if !useAVX2 {
		t.Skip("this processor has no AVX2")
	}
}

// A pixel's alpha next to 1/255 or transmittance next to 1e-4 may fall on either
// side; runs here are drawn so that none does.
func TestBlendAgreesWithPlainGo(t *testing.T) {
	needAVX2(t)
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		run := randomRun(rng, []int{0, 1, 7, 60, 400}[seed%5])
		w, h := 16, 16
		if seed%3 == 0 {
			w, h = 1+rng.IntN(16), 1+rng.IntN(16)
		}
		want, live := openTile(w, h)
		got, _ := openTile(w, h)
		wantLive, gotLive := blendGo(want, run, live), blendAVX2(got, run, live)
		if gotLive != wantLive {
			t.Fatalf("seed %d: %d pixels left open, want %d", seed, gotLive, wantLive)
		}
		for b := range want {
			g, w := &got[b], &want[b]
			if g.Last != w.Last {
				t.Fatalf("seed %d: block %d: last %#x, want %#x", seed, b, g.Last, w.Last)
			}
			for i := range w.T {
				closeTo(t, "transmittance", 8*b+i, float64(g.T[i]), float64(w.T[i]), 1e-4, 1e-7)
				closeTo(t, "red", 8*b+i, float64(g.R[i]), float64(w.R[i]), 1e-5, 2e-6)
				closeTo(t, "green", 8*b+i, float64(g.G[i]), float64(w.G[i]), 1e-5, 2e-6)
				closeTo(t, "blue", 8*b+i, float64(g.B[i]), float64(w.B[i]), 1e-5, 2e-6)
			}
		}
	}
}

func TestUnblendAgreesWithPlainGo(t *testing.T) {
	needAVX2(t)
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 8))
		n := []int{1, 7, 60, 400}[seed%4]
		run := randomRun(rng, n)
		forward, live := openTile(16, 16)
		blendGo(forward, run, live)
		var want UnblendTile
		deepest := 0
		for b := range want {
			w := &want[b]
			w.T = forward[b].T
			for i := range w.T {
				w.Last[i] = forward[b].Last[i] &^ Closed
				deepest = max(deepest, int(w.Last[i]))
				w.GR[i], w.GG[i], w.GB[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.NormFloat64())
				w.Behind[i] = w.T[i] * float32(rng.NormFloat64())
			}
		}
		for _, absolute := range []bool{false, true} {
			t.Run(fmt.Sprintf("seed %d, absolute %v", seed, absolute), func(t *testing.T) {
				a, b := want, want
				wantSlots, gotSlots := poisoned(n), poisoned(n)
				unblendGo(&a, run, wantSlots, deepest, absolute)
				Unblend(&b, run, gotSlots, deepest, absolute)
				compareSlots(t, gotSlots, wantSlots)
				for k := range a {
					for i := range a[k].T {
						closeTo(t, "transmittance", 8*k+i, float64(b[k].T[i]), float64(a[k].T[i]), 1e-3, 1e-6)
					}
				}
			})
		}
	}
}

// compareSlots compares slots relative to the largest value of their kind: single
// ones may be the difference of large terms.
func compareSlots(t *testing.T, got, want []float32) {
	t.Helper()
	var scale [kernel.SlotRow]float64
	for i, v := range want {
		if v == v {
			scale[i%kernel.SlotRow] = max(scale[i%kernel.SlotRow], math.Abs(float64(v)))
		}
	}
	for i, v := range want {
		if v != v {
			if got[i] == got[i] {
				t.Fatalf("slot value %d was written: %v", i, got[i])
			}
			continue
		}
		closeTo(t, "slot value", i, float64(got[i]), float64(v), 1e-3, 1e-4*scale[i%kernel.SlotRow])
	}
}

func poisoned(n int) []float32 {
	s := make([]float32, n*kernel.SlotRow)
	for i := range s {
		s[i] = float32(math.NaN())
	}
	return s
}

// Splats must reach the tiles that these tests are about.
func TestRandomRunsAreSeen(t *testing.T) {
	run := randomRun(rand.New(rand.NewPCG(3, 7)), 400)
	tile, live := openTile(16, 16)
	left := Blend(tile, run, live)
	touched := 0
	for _, b := range tile {
		for i := range b.T {
			if b.T[i] < 0.9 && b.R[i] > 0 {
				touched++
			}
		}
	}
	if touched < 100 || left == live {
		t.Errorf("%d of 256 pixels show anything, %d are closed", touched, live-left)
	}
}

func BenchmarkBlend(b *testing.B) {
	run := randomRun(rand.New(rand.NewPCG(1, 1)), 300)
	for name, f := range map[string]func(*BlendTile, *Run, int) int{"avx2": blendAVX2, "go": blendGo} {
		b.Run(name, func(b *testing.B) {
			if name == "avx2" {
				needAVX2(b)
			}
			for b.Loop() {
				t, live := openTile(16, 16)
				f(t, run, live)
			}
		})
	}
}

func BenchmarkUnblend(b *testing.B) {
	run := randomRun(rand.New(rand.NewPCG(1, 1)), 300)
	slots := poisoned(300)
	for _, fast := range []bool{true, false} {
		b.Run(map[bool]string{true: "avx2", false: "go"}[fast], func(b *testing.B) {
			if fast {
				needAVX2(b)
			}
			for b.Loop() {
				t := &UnblendTile{}
				for k := range t {
					for i := range t[k].T {
						t[k].T[i], t[k].GR[i], t[k].Last[i] = 1e-3, 1, 300
					}
				}
				if fast {
					unblendAVX2(t, run, &slots[0], 300)
				} else {
					unblendGo(t, run, slots, 300, false)
				}
			}
		})
	}
}
