package imageio

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// noisy returns a picture with colourful pixels and, where asked, alpha of every
// sort including 0 over bright colours.
func noisy(w, h int, alpha bool) *Image {
	r := rand.New(rand.NewPCG(1, uint64(w*1000+h)))
	m := New(w, h)
	for i := range m.Pix {
		m.Pix[i] = uint8(r.IntN(256))
		if i%4 == 3 && (!alpha || r.IntN(3) == 0) {
			m.Pix[i] = 255
		} else if i%4 == 3 && r.IntN(2) == 0 {
			m.Pix[i] = 0
		}
	}
	return m
}

// over composites a picture on a grey background, in float64.
func over(m *Image, bg float64) []float64 {
	out := make([]float64, 0, len(m.Pix)/4*3)
	for p := m.Pix; len(p) >= 4; p = p[4:] {
		a := float64(p[3]) / 255
		for c := range 3 {
			v := float64(p[c])
			if !m.Premultiplied {
				v *= a
			}
			out = append(out, v+(1-a)*bg)
		}
	}
	return out
}

// area averages exactly, each target pixel over the part of the source it covers.
func area(src []float64, w, h, tw, th int) []float64 {
	out := make([]float64, tw*th*3)
	fx, fy := w/tw, h/th
	for y := range h {
		for x := range w {
			for c := range 3 {
				out[((y/fy)*tw+x/fx)*3+c] += src[(y*w+x)*3+c] / float64(fx*fy)
			}
		}
	}
	return out
}

func maxDiff(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

func TestReduceByWholeFactorsIsTheMean(t *testing.T) {
	for _, alpha := range []bool{false, true} {
		m := noisy(12, 6, alpha)
		for _, size := range [][2]int{{6, 3}, {4, 2}, {12, 3}, {1, 1}} {
			for _, bg := range []float64{0, 255, 100} {
				want := area(over(m, bg), 12, 6, size[0], size[1])
				if d := maxDiff(want, over(Reduce(m, size[0], size[1]), bg)); d > 1 {
					t.Errorf("alpha %v, %v on %g: differs by %.3f levels from composite, then mean", alpha, size, bg, d)
				}
			}
		}
	}
}

// The tent has no negative weights, so the identity holds for any ratio.
func TestReduceWithAlphaCommutesWithCompositing(t *testing.T) {
	m := noisy(37, 23, true)
	for _, bg := range []uint8{0, 255, 90} {
		flat := &Image{Width: 37, Height: 23, Pix: make([]uint8, len(m.Pix))}
		for i, v := range over(m, float64(bg)) {
			flat.Pix[i/3*4+i%3], flat.Pix[i/3*4+3] = uint8(v+0.5), 255
		}
		flat.Pix[3] = 254 // takes the same kernel as a picture with alpha
		got, want := over(Reduce(m, 16, 11), float64(bg)), over(Reduce(flat, 16, 11), float64(bg))
		// One level for the identity, one for the roundings of the comparison.
		if d := maxDiff(got, want); d > 2 {
			t.Errorf("on %d: differs by %.3f levels", bg, d)
		}
	}
}

func TestReduceHidesHiddenColours(t *testing.T) {
	for _, size := range [][2]int{{4, 4}, {3, 3}} {
		m := New(8, 8)
		for i := 0; i < len(m.Pix); i += 4 {
			copy(m.Pix[i:], []uint8{255, 0, 255, 0})
			if i/4%8 < 4 {
				copy(m.Pix[i:], []uint8{0, 200, 0, 255})
			}
		}
		r := Reduce(m, size[0], size[1])
		if !r.Premultiplied {
			t.Fatal("not premultiplied")
		}
		for i := 0; i < len(r.Pix); i += 4 {
			if r.Pix[i] != 0 || r.Pix[i+2] != 0 {
				t.Fatalf("%v: pixel %d = %v shows the hidden magenta", size, i/4, r.Pix[i:i+4])
			}
		}
	}
}

func TestReduceRemovesFineDetail(t *testing.T) {
	m := New(90, 90)
	for i := 0; i < len(m.Pix); i += 4 {
		v := uint8(255 * ((i/4 + i/4/90) % 2))
		copy(m.Pix[i:], []uint8{v, v, v, 255})
	}
	for _, n := range []int{30, 28, 45, 41} {
		r := Reduce(m, n, n)
		for y := 2; y < n-2; y++ {
			for x := 2; x < n-2; x++ {
				if v := r.at(x, y)[0]; v < 112 || v > 143 {
					t.Fatalf("to %d: a checkerboard of single pixels gives %d at %d,%d, want an even grey", n, v, x, y)
				}
			}
		}
	}
}

func TestReduceKeepsPlainColourAndPlace(t *testing.T) {
	m := New(100, 50)
	for i := 0; i < len(m.Pix); i += 4 {
		x := uint8(i / 4 % 100)
		copy(m.Pix[i:], []uint8{77, 2 * x, 200, 255})
	}
	r := Reduce(m, 33, 17)
	for x := 2; x < 31; x++ {
		p := r.at(x, 8)
		want := 2 * ((float64(x)+0.5)*100/33 - 0.5) // the ramp at the target's pixel centre
		if p[0] != 77 || p[2] != 200 || p[3] != 255 || math.Abs(float64(p[1])-want) > 1 {
			t.Errorf("column %d = %v, want 77, %.1f, 200, 255", x, p, want)
		}
	}
}

func TestReduceSizes(t *testing.T) {
	for _, alpha := range []bool{false, true} {
		m := noisy(17, 13, alpha)
		for w := 1; w <= 20; w++ {
			for h := 1; h <= 15; h++ {
				if r := Reduce(m, w, h); r.Width != w || r.Height != h || len(r.Pix) != 4*w*h || r.Opaque() == alpha && w*h > 200 {
					t.Fatalf("%dx%d: got %dx%d, %d bytes, opaque %v", w, h, r.Width, r.Height, len(r.Pix), r.Opaque())
				}
			}
		}
	}
}

func TestReduceLeavesTheSourceAlone(t *testing.T) {
	m := noisy(6, 6, true)
	before := bytes.Clone(m.Pix)
	for _, n := range []int{6, 3, 4} {
		Reduce(m, n, n).Pix[0]++
	}
	if !bytes.Equal(before, m.Pix) || m.Premultiplied {
		t.Error("the source changed")
	}
}

func TestPremultiply(t *testing.T) {
	m := &Image{Width: 3, Height: 1, Pix: []uint8{200, 100, 0, 128, 9, 9, 9, 0, 50, 60, 70, 255}}
	m.Premultiply()
	m.Premultiply() // a second time changes nothing
	want := &Image{Width: 3, Height: 1, Premultiplied: true, Pix: []uint8{100, 50, 0, 128, 0, 0, 0, 0, 50, 60, 70, 255}}
	if d := cmp.Diff(want, m); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	m.Unpremultiply()
	want = &Image{Width: 3, Height: 1, Pix: []uint8{199, 100, 0, 128, 0, 0, 0, 0, 50, 60, 70, 255}}
	if d := cmp.Diff(want, m); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestThresholdAlpha(t *testing.T) {
	m := &Image{Width: 3, Height: 1, Pix: []uint8{1, 2, 3, 127, 4, 5, 6, 128, 7, 8, 9, 255}}
	m.ThresholdAlpha()
	if want := []uint8{1, 2, 3, 0, 4, 5, 6, 255, 7, 8, 9, 255}; !bytes.Equal(m.Pix, want) {
		t.Errorf("got %v, want %v", m.Pix, want)
	}
}

func TestEncodeRoundTrip(t *testing.T) {
	for _, alpha := range []bool{false, true} {
		want := noisy(9, 5, alpha)
		path := t.TempDir() + "/sub/é.png"
		if err := WritePNG(path, want); err != nil {
			t.Fatal(err)
		}
		got, err := Decode(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("alpha %v (-want +got)\n%s", alpha, d)
		}
	}
}

func TestEncodePremultiplied(t *testing.T) {
	m := &Image{Width: 1, Height: 1, Premultiplied: true, Pix: []uint8{50, 25, 0, 64}}
	var buf bytes.Buffer
	if err := EncodePNG(&buf, m); err != nil {
		t.Fatal(err)
	}
	got, err := Decode(write(t, "a.png", buf.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	got.Premultiply()
	if d := cmp.Diff(m, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func BenchmarkReduce12MP(b *testing.B) {
	m := noisy(4000, 3000, false)
	b.ReportAllocs()
	for b.Loop() {
		Reduce(m, 1920, 1440)
	}
}
