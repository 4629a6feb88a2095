package train

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"splat/internal/dataset"
	"splat/internal/geom"
	"splat/internal/imageio"
)

// pictureViews writes n pictures of 4 x 4 pixels, the i-th of grey i, and returns their
// views.
func pictureViews(t *testing.T, n int) (views []dataset.View) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		m := &imageio.Image{Width: 4, Height: 4, Pix: make([]uint8, 64)}
		for k := range m.Pix {
			m.Pix[k] = uint8(i)
			if k%4 == 3 {
				m.Pix[k] = 255
			}
		}
		path := filepath.Join(dir, string(rune('a'+i))+".png")
		if err := imageio.WritePNG(path, m); err != nil {
			t.Fatal(err)
		}
		views = append(views, dataset.View{Name: path, Image: path, Camera: geom.Camera{Width: 4, Height: 4}})
	}
	return views
}

// greys decodes views through p and returns the first value of each.
func greys(t *testing.T, p *Pictures, views []dataset.View) ([]uint8, error) {
	t.Helper()
	out := make([]uint8, len(views))
	var mu sync.Mutex
	err := p.each(context.Background(), views, dataset.LoadOptions{}, func(i int, m *imageio.Image) {
		mu.Lock()
		defer mu.Unlock()
		out[i] = m.Pix[0]
	})
	return out, err
}

func TestPicturesAreDecodedOnce(t *testing.T) {
	views := pictureViews(t, 4)
	p := NewPictures()
	if got, err := greys(t, p, views[:3]); err != nil || string(got) != "\x00\x01\x02" {
		t.Fatalf("found %v, %v", got, err)
	}
	for _, v := range views[:3] {
		if err := os.Remove(v.Image); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := greys(t, p, []dataset.View{views[2], views[3], views[0]}); err != nil || string(got) != "\x02\x03\x00" {
		t.Errorf("found %v, %v: expected two from the store and one decoded, each in its place", got, err)
	}
	if _, err := greys(t, nil, views[:1]); err == nil {
		t.Error("without a store the file is needed")
	}
}

func TestPicturesBeyondTheLimitAreDecodedAgain(t *testing.T) {
	views := pictureViews(t, 3)
	p := NewPictures()
	p.limit = 2 * 64
	if _, err := greys(t, p, views); err != nil {
		t.Fatal(err)
	}
	if len(p.images) != 2 || p.bytes != 128 {
		t.Errorf("%d pictures of %d bytes are kept, expected two", len(p.images), p.bytes)
	}
	if got, err := greys(t, p, views); err != nil || string(got) != "\x00\x01\x02" {
		t.Errorf("found %v, %v", got, err)
	}
}
