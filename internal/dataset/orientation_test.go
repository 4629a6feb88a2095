package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splat/internal/dataset/colmap/colmaptest"
	"splat/internal/imageio"
)

// exifPicture writes a JPEG of 80x60, white in its left half as stored and black
// in the right one, with an EXIF orientation.
func exifPicture(t *testing.T, path string, orientation uint16) {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 80, 60))
	for y := range 60 {
		for x := range 40 {
			m.SetGray(x, y, color.Gray{255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	tiff := le.AppendUint16([]byte("II*\x00\x08\x00\x00\x00"), 1)
	tiff = le.AppendUint32(le.AppendUint16(le.AppendUint16(tiff, 0x0112), 3), 1)
	tiff = append(le.AppendUint32(tiff, uint32(orientation)), 0, 0, 0, 0)
	app1 := append([]byte("Exif\x00\x00"), tiff...)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(app1)+2))
	put(t, path, string(append(append(head, app1...), b.Bytes()[2:]...)))
}

// whiteSide tells where the white half of a picture is.
func whiteSide(m *imageio.Image) string {
	at := func(x, y int) bool { return m.Pix[4*(m.Width*y+x)] > 128 }
	w, h := m.Width, m.Height
	switch [4]bool{at(w/8, h/2), at(w-w/8, h/2), at(w/2, h/8), at(w/2, h-h/8)} {
	case [4]bool{true, false, at(w/2, h/8), at(w/2, h-h/8)}:
		return "left"
	case [4]bool{false, true, at(w/2, h/8), at(w/2, h-h/8)}:
		return "right"
	case [4]bool{at(w/8, h/2), at(w-w/8, h/2), true, false}:
		return "top"
	case [4]bool{at(w/8, h/2), at(w-w/8, h/2), false, true}:
		return "bottom"
	}
	return "nowhere"
}

// The declared size tells whether the poses are for the stored pixels or for the
// turned ones; a picture is turned only in the second case.
func TestOrientationFollowsTheCamera(t *testing.T) {
	turned := map[uint16]string{5: "top", 6: "top", 7: "bottom", 8: "bottom"}
	for o := uint16(1); o <= 8; o++ {
		t.Run(fmt.Sprint(o), func(t *testing.T) {
			root := t.TempDir()
			file := filepath.Join(root, "transforms.json")
			for i := range 2 {
				exifPicture(t, filepath.Join(root, numbered(i)), o)
			}
			writeJSON(t, file, nil, numbered(0), numbered(1))
			c := open(t, root, Options{})
			got := load(t, LoadOptions{}, c.Views...)[0]
			if got.Width != 80 || whiteSide(got) != "left" || c.Views[0].Turn != 0 {
				t.Errorf("a camera of the stored size: %dx%d, white %s", got.Width, got.Height, whiteSide(got))
			}
			if o > 1 {
				says(t, c.Notes, "2 pictures used as stored, EXIF orientation not applied")
			}

			writeJSON(t, file, object{"w": 60, "h": 80, "cx": 30, "cy": 40}, numbered(0), numbered(1))
			if turned[o] == "" {
				refuses(t, root, Options{}, numbered(0), "80x60", "60x80")
				return
			}
			for _, k := range []int{1, 2} {
				c = open(t, root, Options{Downscale: k})
				v := c.Views[0]
				got = load(t, LoadOptions{}, v)[0]
				if got.Width != 60/k || got.Height != 80/k || v.Camera.Width != 60/k || v.Camera.Cy != 40/float64(k) {
					t.Errorf("downscale %d: picture %dx%d, camera %+v", k, got.Width, got.Height, v.Camera)
				}
				if whiteSide(got) != turned[o] {
					t.Errorf("downscale %d: white is %s, want %s", k, whiteSide(got), turned[o])
				}
				says(t, c.Notes, "2 pictures turned by EXIF orientation: the cameras are for the turned size")
			}
		})
	}
}

// The same for COLMAP, at another scale; and a camera without a size of its own is
// for the stored pixels.
func TestOrientationElsewhere(t *testing.T) {
	root := t.TempDir()
	m := model(1)
	m.Cameras[0] = colmaptest.Pinhole(1, 600, 800)
	m.Write(t, filepath.Join(root, "sparse"), true)
	exifPicture(t, filepath.Join(root, "images", numbered(0)), 6)
	c := open(t, root, Options{})
	if v := c.Views[0]; v.Turn != 6 || v.Camera.Width != 60 || v.Camera.Height != 80 {
		t.Errorf("view %+v", v)
	}
	says(t, c.Notes, "1 picture turned", "1 picture of another size than the camera declares")

	root = t.TempDir()
	exifPicture(t, filepath.Join(root, "a.jpg"), 6)
	transforms(t, filepath.Join(root, "transforms_train.json"), "a")
	c = open(t, root, Options{})
	if d := cmp.Diff([]CameraInfo{{1, "PINHOLE", 80, 60}}, c.Cameras); d != "" || c.Views[0].Turn != 0 {
		t.Errorf("no size declared: turn %d (-want +got)\n%s", c.Views[0].Turn, d)
	}
}
