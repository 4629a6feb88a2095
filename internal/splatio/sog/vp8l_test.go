package sog

import (
	"bytes"
	"image"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/webp"
)

// decoded is what another implementation reads from our bytes.
func decoded(t *testing.T, p *picture) []byte {
	t.Helper()
	img, err := webp.Decode(bytes.NewReader(encodeVP8L(p)))
	if err != nil {
		t.Fatalf("%d x %d: %v", p.width, p.height, err)
	}
	return img.(*image.NRGBA).Pix
}

func TestVP8L(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	fills := map[string]func(i int) byte{
		"constant":  func(int) byte { return 7 },
		"zero":      func(int) byte { return 0 },
		"two":       func(int) byte { return byte(rng.IntN(2)) },
		"three":     func(int) byte { return byte(100 * rng.IntN(3)) },
		"random":    func(int) byte { return byte(rng.Uint32()) },
		"smooth":    func(i int) byte { return byte(i / 40) },
		"skewed":    func(int) byte { return byte(rng.ExpFloat64() * 4) },
		"geometric": func(int) byte { return byte(min(rng.Uint32()&-rng.Uint32(), 255)) },
		"rare":      func(i int) byte { return byte(i * (i % 997 / 996)) },
	}
	for _, size := range [][2]int{{1, 1}, {1, 9}, {7, 1}, {33, 17}, {600, 520}} {
		for name, fill := range fills {
			p := &picture{size[0], size[1], make([]byte, 4*size[0]*size[1])}
			for i := range p.pix {
				p.pix[i] = fill(i)
			}
			if !bytes.Equal(decoded(t, p), p.pix) {
				t.Errorf("%s %v is not what was written", name, size)
			}
		}
	}
}

// Counts that grow like Fibonacci numbers make the deepest trees: they are cut to the
// limit, and still every symbol has its own code.
func TestCodesAreLimited(t *testing.T) {
	counts := make([]int, 40)
	counts[0], counts[1] = 1, 1
	for s := 2; s < len(counts); s++ {
		counts[s] = counts[s-1] + counts[s-2]
	}
	for _, limit := range []int{maxCode, maxLengthCode} {
		code := newCode(counts, limit)
		space := 0.0
		for s, l := range code.lengths {
			if l < 1 || l > limit {
				t.Fatalf("symbol %d has %d bits of %d", s, l, limit)
			}
			space += 1 / float64(uint(1)<<l)
		}
		if space != 1 {
			t.Errorf("limit %d: the codes fill %v of the space", limit, space)
		}
	}
}
