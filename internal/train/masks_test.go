package train

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/atomicfile"
	"splat/internal/dataset"
	"splat/internal/imageio"
)

// masked is the small capture with masks that leave out the left 15 columns, which have
// the given colour.
func masked(t *testing.T, c color.NRGBA) *dataset.Capture {
	t.Helper()
	capture := smallCapture(t)
	mask := image.NewGray(image.Rect(0, 0, 40, 40))
	for i := range mask.Pix {
		if i%40 >= 15 {
			mask.Pix[i] = 255
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, mask); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mask.png")
	if err := atomicfile.WriteBytes(file, b.Bytes()); err != nil {
		t.Fatal(err)
	}
	for i := range capture.Views {
		v := &capture.Views[i]
		m, err := imageio.Decode(v.Image)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 40 * 40 {
			if k%40 < 15 {
				copy(m.Pix[4*k:], []uint8{c.R, c.G, c.B, c.A})
			} else {
				m.Pix[4*k+3] = 255
			}
		}
		if err := imageio.WritePNG(v.Image, m); err != nil {
			t.Fatal(err)
		}
		v.Mask = file
	}
	return capture
}

// A27: what lies under a mask changes neither the splats nor the scores, and masks are
// used without being asked for.
func TestMaskedPixelsHaveNoWeight(t *testing.T) {
	for _, strategy := range []string{"mcmc", "adc"} {
		c := smallConfig(strategy, 60)
		want, said := mustRun(t, c, masked(t, color.NRGBA{255, 0, 0, 255}))
		got, _ := mustRun(t, c, masked(t, color.NRGBA{0, 90, 255, 255}))
		if !cmp.Equal(want.Cloud, got.Cloud) {
			t.Errorf("%s: pixels under the mask change the splats", strategy)
		}
		if d := cmp.Diff(want.Final.PerView, got.Final.PerView); d != "" {
			t.Errorf("%s: pixels under the mask change the scores\n%s", strategy, d)
		}
		c.Data.Alpha = "transparent"
		if whole, _ := mustRun(t, c, masked(t, color.NRGBA{0, 90, 255, 255})); cmp.Equal(whole.Cloud, got.Cloud) {
			t.Errorf("%s: without masks the splats are the same: the test shows nothing", strategy)
		}
		if !containsNote(said.notes, "62.5 % of all pixels are used") {
			t.Errorf("%s: the share of used pixels is not said: %q", strategy, said.notes)
		}
	}
}

func containsNote(notes []string, text string) bool {
	for _, n := range notes {
		if bytes.Contains([]byte(n), []byte(text)) {
			return true
		}
	}
	return false
}
