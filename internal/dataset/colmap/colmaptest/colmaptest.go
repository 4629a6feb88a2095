// Package colmaptest writes small COLMAP models for tests, binary and text.
package colmaptest

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Camera is a camera to write; Model is COLMAP's name, ID its number in binary
// files.
type Camera struct {
	ID            uint32
	Model         string
	ModelID       int32
	Width, Height uint64
	Params        []float64
}

// Image is a registered picture to write, with a number of invented observations.
type Image struct {
	ID           uint32
	Q            [4]float64 // w x y z
	T            [3]float64
	CameraID     uint32
	Name         string
	Observations int
}

// Point is a point to write; its track names images that need not exist.
type Point struct {
	XYZ   [3]float64
	RGB   [3]uint8
	Error float64
	Track []uint32 // image ids
}

// Model is a sparse model.
type Model struct {
	Cameras []Camera
	Images  []Image
	Points  []Point
}

// Pinhole returns a PINHOLE camera of a plain lens.
func Pinhole(id uint32, width, height int) Camera {
	w, h := float64(width), float64(height)
	return Camera{id, "PINHOLE", 1, uint64(width), uint64(height), []float64{w, w, w / 2, h / 2}}
}

// Around returns n images of one camera, looking at the origin from a circle of
// the given radius; name makes the image's name of its number.
func Around(n int, camera uint32, radius float64, name func(i int) string) []Image {
	images := make([]Image, n)
	for i := range images {
		a := 2 * math.Pi * float64(i) / float64(n)
		images[i] = Image{uint32(i + 1), [4]float64{math.Cos(a / 2), 0, math.Sin(a / 2), 0}, [3]float64{0, 0, radius}, camera, name(i), i % 3}
	}
	return images
}

// Write writes the model into dir, which is made.
func (m Model) Write(t testing.TB, dir string, binary bool) {
	t.Helper()
	files := map[string][]byte{"cameras.txt": m.camerasText(), "images.txt": m.imagesText(), "points3D.txt": m.pointsText()}
	if binary {
		files = map[string][]byte{"cameras.bin": m.CamerasBinary(), "images.bin": m.ImagesBinary(), "points3D.bin": m.PointsBinary()}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var le = binary.LittleEndian

func floats(b []byte, v ...float64) []byte {
	for _, x := range v {
		b = le.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// CamerasBinary returns the content of cameras.bin.
func (m Model) CamerasBinary() []byte {
	b := le.AppendUint64(nil, uint64(len(m.Cameras)))
	for _, c := range m.Cameras {
		b = le.AppendUint32(b, c.ID)
		b = le.AppendUint32(b, uint32(c.ModelID))
		b = le.AppendUint64(b, c.Width)
		b = le.AppendUint64(b, c.Height)
		b = floats(b, c.Params...)
	}
	return b
}

// ImagesBinary returns the content of images.bin.
func (m Model) ImagesBinary() []byte {
	b := le.AppendUint64(nil, uint64(len(m.Images)))
	for _, im := range m.Images {
		b = le.AppendUint32(b, im.ID)
		b = floats(floats(b, im.Q[:]...), im.T[:]...)
		b = le.AppendUint32(b, im.CameraID)
		b = append(append(b, im.Name...), 0)
		b = le.AppendUint64(b, uint64(im.Observations))
		for i := range im.Observations {
			b = floats(b, float64(i), 2.5)
			b = le.AppendUint64(b, math.MaxUint64)
		}
	}
	return b
}

// PointsBinary returns the content of points3D.bin.
func (m Model) PointsBinary() []byte {
	b := le.AppendUint64(nil, uint64(len(m.Points)))
	for i, p := range m.Points {
		b = le.AppendUint64(b, uint64(i+1))
		b = floats(b, p.XYZ[:]...)
		b = append(b, p.RGB[:]...)
		b = floats(b, p.Error)
		b = le.AppendUint64(b, uint64(len(p.Track)))
		for _, id := range p.Track {
			b = le.AppendUint32(le.AppendUint32(b, id), 0)
		}
	}
	return b
}

func (m Model) camerasText() []byte {
	var s strings.Builder
	s.WriteString("# Camera list\n#   CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]\n")
	for _, c := range m.Cameras {
		fmt.Fprintf(&s, "%d %s %d %d%s\n", c.ID, c.Model, c.Width, c.Height, join(c.Params))
	}
	return []byte(s.String())
}

func (m Model) imagesText() []byte {
	var s strings.Builder
	s.WriteString("# Image list with two lines of data per image\n")
	for _, im := range m.Images {
		fmt.Fprintf(&s, "%d%s%s %d %s\n", im.ID, join(im.Q[:]), join(im.T[:]), im.CameraID, im.Name)
		s.WriteString(strings.TrimSpace(strings.Repeat("12.5 8e-001 -1 ", im.Observations)) + "\n")
	}
	return []byte(s.String())
}

func (m Model) pointsText() []byte {
	var s strings.Builder
	s.WriteString("# 3D point list\n")
	for i, p := range m.Points {
		fmt.Fprintf(&s, "%d%s %d %d %d %v", i+1, join(p.XYZ[:]), p.RGB[0], p.RGB[1], p.RGB[2], p.Error)
		for _, id := range p.Track {
			fmt.Fprintf(&s, " %d 0", id)
		}
		s.WriteByte('\n')
	}
	return []byte(s.String())
}

func join(v []float64) string {
	var s strings.Builder
	for _, x := range v {
		fmt.Fprintf(&s, " %v", x)
	}
	return s.String()
}
