package vec

import (
	"math"
	"testing"
)

// Equal bytes must give equal numbers in render and target, so the target's are
// those of a division, to the bit.
func TestLoadDividesExactly(t *testing.T) {
	needAVX2(t)
	for _, n := range []int{8, 9, 15, 16, 26} {
		for first := 0; first < 256; first++ {
			tile := &LossTile{}
			image, target := make([]float32, 4*n), make([]uint32, n)
			for i := range target {
				v := uint32(first+i) & 0xFF
				target[i] = v | v<<8 | v<<16 | 0xFF000000
				for c := range 3 {
					image[4*i+c] = float32(v) / 255
				}
			}
			tile.Load(3, image, target, n)
			for i := range n {
				for c := range 3 {
					if tile.X[c][3+i] != tile.Y[c][3+i] || tile.X[c][3+i] != image[4*i+c] {
						t.Fatalf("byte %d: %v and %v", (first+i)&0xFF, tile.X[c][3+i], tile.Y[c][3+i])
					}
				}
				if tile.Weight[3+i] != 1 {
					t.Fatalf("weight %v", tile.Weight[3+i])
				}
			}
			if tile.Weight[2] != 0 || tile.Weight[3+n] != 0 {
				t.Fatal("pixels beyond were written")
			}
		}
	}
}

// Transparent targets show the background, or are left out.
func TestLoadComposites(t *testing.T) {
	needAVX2(t)
	tile := &LossTile{Background: [3]Lanes{All(0.25), All(0.5), All(1)}}
	image, target := make([]float32, 32), make([]uint32, 8)
	for i := range target {
		target[i] = 51 | uint32(51*i)<<24 // premultiplied red
		image[4*i] = 0.5
	}
	tile.Load(0, image, target, 8)
	for i := range 6 { // up to opaque
		rest := 1 - float64(i)/5
		closeTo(t, "red", i, float64(tile.Y[0][i]), 0.2+rest*0.25, 1e-6, 0)
		closeTo(t, "blue", i, float64(tile.Y[2][i]), rest, 1e-6, 1e-7)
	}
	tile.Background = [3]Lanes{}
	tile.Mask = All(math.Float32frombits(math.MaxUint32))
	tile.Load(0, image, target, 8)
	for i := range 6 {
		w := float64(i) / 5
		closeTo(t, "weight", i, float64(tile.Weight[i]), w, 1e-6, 0)
		closeTo(t, "weighted render", i, float64(tile.X[0][i]), w*0.5, 1e-6, 0)
		closeTo(t, "weighted target", i, float64(tile.Y[0][i]), w*0.2, 1e-6, 0)
	}
}

func BenchmarkLossTile(b *testing.B) {
	needAVX2(b)
	tile := &LossTile{}
	image, target := make([]float32, 4*PatchSide), make([]uint32, PatchSide)
	out := make([]float32, 3*TilePixels)
	for name, f := range map[string]func(){
		"load": func() {
			for y := range PatchSide {
				tile.Load(y*PatchPitch, image, target, PatchSide)
			}
		},
		"moments":   func() { tile.Moments(0) },
		"structure": func() { tile.Structure(0, out, 16, TilePixels) },
		"blur":      func() { tile.BlurMap(0, tile.Map[:], PatchPitch) },
		"combine":   func() { tile.Combine(0) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}
