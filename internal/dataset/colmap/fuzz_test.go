package colmap

import (
	"bytes"
	"os"
	"testing"
	"testing/iotest"
)

func FuzzBinary(f *testing.F) {
	for kind, data := range [][]byte{small.CamerasBinary(), small.ImagesBinary()[:400], small.PointsBinary()} {
		f.Add(byte(kind), data)
	}
	f.Add(byte(1), bytes.Repeat([]byte{255}, 100))
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		_ = withReader(bytes.NewReader(data), func(r *reader) error {
			switch kind % 3 {
			case 0:
				cams, err := camerasBinary(r)
				if err == nil && len(cams)*24 > len(data) {
					t.Errorf("%d cameras from %d bytes", len(cams), len(data))
				}
				usePinholes(cams)
				return err
			case 1:
				images, err := imagesBinary(r)
				usePoses(images)
				return err
			}
			pts := &Points{}
			err := pointsBinary(r, pts)
			if len(pts.XYZ) != len(pts.RGB) {
				t.Errorf("%d coordinates, %d colours", len(pts.XYZ), len(pts.RGB))
			}
			return err
		})
	})
}

func FuzzText(f *testing.F) {
	dir := f.TempDir()
	small.Write(f, dir, false)
	for kind, name := range []string{"cameras.txt", "images.txt", "points3D.txt"} {
		data, err := os.ReadFile(dir + "/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(kind), data[:min(len(data), 600)])
	}
	f.Add(byte(1), []byte("1 1 0 0 0 0 0 0 1 \n\x00\r\n"))
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		l := newLines(iotest.OneByteReader(bytes.NewReader(data)))
		switch kind % 3 {
		case 0:
			cams, _ := camerasText(l)
			usePinholes(cams)
		case 1:
			images, _ := imagesText(l)
			usePoses(images)
			for _, im := range images {
				if im.Name == "" {
					t.Errorf("image %d has no name", im.ID)
				}
			}
		default:
			pts := &Points{}
			_ = pointsText(l, pts)
			if len(pts.XYZ) != len(pts.RGB) {
				t.Errorf("%d coordinates, %d colours", len(pts.XYZ), len(pts.RGB))
			}
		}
	})
}

func usePinholes(cams []Camera) {
	_ = checkCameras("", cams)
	for i := range cams {
		_, _ = cams[i].Pinhole()
	}
}

func usePoses(images []Image) {
	for i := range images {
		if images[i].PoseError() == "" {
			images[i].Pose()
		}
	}
}
