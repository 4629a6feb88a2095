package dataset

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/fault"
	"splat/internal/geom"
	"splat/internal/imageio"
)

// view writes an image and returns a view of it at w x h.
func view(t *testing.T, m *imageio.Image, w, h int) View {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.png")
	if err := imageio.WritePNG(path, m); err != nil {
		t.Fatal(err)
	}
	return View{Name: "a", Image: path, Camera: geom.Camera{Width: w, Height: h}}
}

func load(t *testing.T, o LoadOptions, views ...View) []*imageio.Image {
	t.Helper()
	got, err := Load(context.Background(), views, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A25, A26, A27: what alpha means, at full size and reduced.
func TestLoadAlpha(t *testing.T) {
	soft := &imageio.Image{Width: 2, Height: 2, Pix: []uint8{
		200, 100, 50, 255, 200, 100, 50, 255,
		255, 0, 255, 0, 80, 40, 20, 100}}
	opaque := &imageio.Image{Width: 2, Height: 1, Pix: []uint8{1, 2, 3, 255, 5, 6, 7, 255}}
	for _, c := range []struct {
		name, alpha string
		m           *imageio.Image
		w, h        int
		want        []uint8
		straight    bool
	}{
		{"premultiplied", "auto", soft, 2, 2, []uint8{200, 100, 50, 255, 200, 100, 50, 255, 0, 0, 0, 0, 31, 16, 8, 100}, false},
		{"reduced", "transparent", soft, 1, 1, []uint8{108, 54, 27, 153}, false},
		{"mask", "mask", soft, 2, 2, []uint8{200, 100, 50, 255, 200, 100, 50, 255, 255, 0, 255, 0, 80, 40, 20, 0}, true},
		{"reduced mask", "mask", soft, 1, 2, []uint8{200, 100, 50, 255, 0, 0, 0, 0}, true},
		// Half ignored: the colour of the used pixels alone, to within a level.
		{"half a mask", "mask", soft, 2, 1, []uint8{199, 100, 50, 255, 199, 100, 50, 255}, true},
		{"opaque", "", opaque, 2, 1, opaque.Pix, false},
		{"opaque reduced", "", opaque, 1, 1, []uint8{3, 4, 5, 255}, false},
		{"opaque mask", "mask", opaque, 2, 1, opaque.Pix, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := load(t, LoadOptions{Alpha: c.alpha}, view(t, c.m, c.w, c.h))[0]
			want := &imageio.Image{Width: c.w, Height: c.h, Premultiplied: !c.straight, Pix: c.want}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestLoadOrderAndProgress(t *testing.T) {
	var views []View
	for i := range 40 {
		m := imageio.New(3, 3)
		for j := range m.Pix {
			m.Pix[j] = uint8(i)
			if j%4 == 3 {
				m.Pix[j] = 255
			}
		}
		views = append(views, view(t, m, 3, 3))
	}
	for _, threads := range []int{0, 1, 7} {
		var seen []int
		got := load(t, LoadOptions{Threads: threads, OnProgress: func(done, total int) {
			if total != 40 {
				t.Errorf("total %d", total)
			}
			seen = append(seen, done)
		}}, views...)
		for i, m := range got {
			if m.Pix[0] != uint8(i) {
				t.Fatalf("%d threads: picture %d is another one", threads, i)
			}
		}
		for i, n := range seen {
			if n != i+1 {
				t.Fatalf("progress %v", seen)
			}
		}
		if len(seen) != 40 {
			t.Errorf("%d reports", len(seen))
		}
	}
}

func TestLoadErrors(t *testing.T) {
	good := view(t, imageio.New(64, 64), 64, 64)
	cut := view(t, imageio.New(64, 64), 64, 64)
	data, err := os.ReadFile(cut.Image)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut.Image, bytes.TrimSuffix(data, data[len(data)-30:]), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Load(context.Background(), []View{good, cut, good}, LoadOptions{})
	if fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), cut.Image) {
		t.Errorf("a picture that is cut off: %v", err)
	}
	if _, err = Load(context.Background(), nil, LoadOptions{Alpha: "maks"}); fault.ExitCode(err) != 2 {
		t.Errorf("unknown alpha: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = Load(ctx, []View{good, good}, LoadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The whole way from a capture: sizes of cameras and pixels agree.
func TestLoadMatchesCameras(t *testing.T) {
	root := colmapCapture(t, 3)
	for _, o := range []Options{{}, {Downscale: 2}, {Downscale: 3}, {MaxSize: 50}} {
		c := open(t, root, o)
		for i, m := range load(t, LoadOptions{}, c.Views...) {
			if v := c.Views[i]; m.Width != v.Camera.Width || m.Height != v.Camera.Height || !m.Opaque() || m.Pix[0] != 200 {
				t.Errorf("%+v: picture %dx%d, camera %+v, first pixel %v", o, m.Width, m.Height, v.Camera, m.Pix[:4])
			}
		}
	}
}

func TestLoadLego(t *testing.T) {
	c := open(t, filepath.Join(testdata(t), "lego"), Options{Downscale: 4})
	m := load(t, LoadOptions{}, c.TestViews()[0])[0]
	if m.Width != 200 || m.Height != 200 || m.Opaque() || !m.Premultiplied {
		t.Errorf("got %dx%d, opaque %v", m.Width, m.Height, m.Opaque())
	}
	if corner, middle := m.Pix[3], m.Pix[4*(200*100+100)+3]; corner != 0 || middle != 255 {
		t.Errorf("alpha in the corner %d, in the middle %d", corner, middle)
	}
}
