// Package colmap reads sparse models of COLMAP and of the programs that write
// its format: cameras, images (poses) and points3D, binary or text. 2D
// observations and tracks are skipped; ids are keys, never indices.
package colmap

import (
	"bufio"
	"fmt"
	"io"

	"splat/internal/archive"
	"splat/internal/fault"
	"splat/internal/geom"
)

// Camera is an entry of cameras.bin or cameras.txt.
type Camera struct {
	ID            uint32
	Model         string // COLMAP's name, e.g. "PINHOLE"
	Width, Height int
	Params        []float64 // as many as the model has
}

// Image is a registered picture with its pose, world to camera.
type Image struct {
	ID       uint32
	CameraID uint32
	Quat     geom.Quat
	T        geom.Vec3
	Name     string // as written in the model
}

// PoseError returns why the image has no usable pose, or "".
func (im *Image) PoseError() string {
	var n float64
	for _, q := range im.Quat {
		n += q * q
	}
	switch {
	case n == 0:
		return "its quaternion is zero"
	case !finite(n) || !im.T.InReach():
		return fmt.Sprintf("its pose is not finite or beyond %g", geom.MaxCoordinate)
	}
	return ""
}

// Pose returns the image's pose; PoseError must be "".
func (im *Image) Pose() geom.Pose { return geom.Pose{R: im.Quat.Matrix(), T: im.T} }

// Points is the content of points3D.
type Points struct {
	XYZ     []float32 // 3n
	RGB     []uint8   // 3n
	Dropped int       // points left out because their coordinates are not finite or out of reach
}

// ReadCameras reads cameras.bin or cameras.txt, in the file's order.
func ReadCameras(path string, binary bool) ([]Camera, error) {
	var cams []Camera
	err := read(path, binary,
		func(r *reader) (err error) { cams, err = camerasBinary(r); return },
		func(l *lines) (err error) { cams, err = camerasText(l); return })
	if err != nil {
		return nil, err
	}
	return cams, checkCameras(path, cams)
}

// ReadImages reads images.bin or images.txt, in the file's order.
func ReadImages(path string, binary bool) ([]Image, error) {
	var images []Image
	err := read(path, binary,
		func(r *reader) (err error) { images, err = imagesBinary(r); return },
		func(l *lines) (err error) { images, err = imagesText(l); return })
	return images, err
}

// ReadPoints reads points3D.bin or points3D.txt, in the file's order. The
// reprojection error plays no role, so its value may be anything.
func ReadPoints(path string, binary bool) (*Points, error) {
	pts := &Points{}
	err := read(path, binary,
		func(r *reader) error { return pointsBinary(r, pts) },
		func(l *lines) error { return pointsText(l, pts) })
	if err != nil {
		return nil, err
	}
	return pts, nil
}

// read opens a file and hands it to the parser of its kind; what that complains
// about is bad data, said with the file's name.
func read(path string, binary bool, bin func(*reader) error, txt func(*lines) error) error {
	f, err := archive.Open(path)
	if err != nil {
		return fault.Unreadable(path, err)
	}
	defer f.Close()
	if binary {
		err = withReader(f, bin)
	} else {
		err = txt(newLines(f))
	}
	if err != nil {
		return fault.Dataf("%s: %w", path, err)
	}
	return nil
}

func withReader(f io.ReadSeeker, parse func(*reader) error) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return parse(&reader{f: f, buf: bufio.NewReaderSize(f, 1<<16), size: size})
}

// checkCameras rejects cameras that no picture can come from.
func checkCameras(path string, cams []Camera) error {
	seen := map[uint32]bool{}
	for _, c := range cams {
		if seen[c.ID] {
			return fault.Dataf("%s: camera %d is there twice", path, c.ID)
		}
		seen[c.ID] = true
		if c.Width < 1 || c.Height < 1 || c.Width > maxSide || c.Height > maxSide {
			return fault.Dataf("%s: camera %d: its size is %dx%d, expected 1 to %d pixels a side", path, c.ID, c.Width, c.Height, maxSide)
		}
		for i, p := range c.Params {
			if !finite(p) {
				return fault.Dataf("%s: camera %d (%s): parameter %d is %g, expected a finite number", path, c.ID, c.Model, i+1, p)
			}
		}
	}
	return nil
}

const maxSide = 1 << 20

func finite(v float64) bool { return v-v == 0 }

// clampSide brings a 64-bit size into int without wrapping; what is too big is
// rejected by checkCameras.
func clampSide(v uint64) int { return int(min(v, maxSide+1)) }

// count checks the number of records a file claims against the bytes that are
// left for them.
func (r *reader) count(what string, least int64) (int, error) {
	n, err := r.uint64(fmt.Sprintf("the number of %ss", what))
	if err != nil {
		return 0, err
	}
	if left := r.size - r.off; n > uint64(left/least) {
		return 0, fmt.Errorf("it claims %d %ss, but the %d bytes that follow hold at most %d (%d bytes each)", n, what, left, left/least, least)
	}
	return int(n), nil
}
