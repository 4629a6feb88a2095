package colmap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"splat/internal/fault"
)

// lines reads a text file line by line and counts them from 1, for messages.
type lines struct {
	s *bufio.Scanner
	n int
}

// maxLine bounds a line of 2D observations, the longest there are.
const maxLine = 1 << 30

func newLines(r io.Reader) *lines {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 1<<16), maxLine)
	return &lines{s: s}
}

// raw returns the next line without its end, valid until the next call.
func (l *lines) raw() ([]byte, bool) {
	if !l.s.Scan() {
		return nil, false
	}
	l.n++
	b := l.s.Bytes()
	if l.n == 1 {
		b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	}
	return b, true
}

// next returns the next line that is neither blank nor a comment.
func (l *lines) next() ([]byte, bool) {
	for {
		b, ok := l.raw()
		if !ok {
			return nil, false
		}
		if t := bytes.TrimSpace(b); len(t) > 0 && t[0] != '#' {
			return b, true
		}
	}
}

// end says whether reading stopped for another reason than the file's end.
func (l *lines) end() error {
	if err := l.s.Err(); err != nil {
		return fmt.Errorf("line %d: %w", l.n+1, fault.Reason(err))
	}
	return nil
}

// errorf names the current line.
func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{l.n}, args...)...)
}

// fields splits off n fields at spaces or tabs; rest is what follows, without
// leading blanks. Fewer fields come back where the line is short.
func fields(line []byte, n int) (f []string, rest []byte) {
	rest = bytes.TrimLeft(line, " \t")
	for len(f) < n && len(rest) > 0 {
		i := bytes.IndexAny(rest, " \t")
		if i < 0 {
			i = len(rest)
		}
		f = append(f, string(rest[:i]))
		rest = bytes.TrimLeft(rest[i:], " \t")
	}
	return f, rest
}

// floats parses fields as numbers; NaN and Inf are numbers here, judged later.
func (l *lines) floats(dst []float64, f []string, what string) error {
	for i := range dst {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return l.errorf("%s: expected a number, found %q", what, f[i])
		}
		dst[i] = v
	}
	return nil
}

func (l *lines) id(s, what string) (uint32, error) {
	v, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0, l.errorf("expected %s, found %q", what, s)
	}
	return uint32(v), nil
}

func camerasText(l *lines) ([]Camera, error) {
	var cams []Camera
	for {
		b, ok := l.next()
		if !ok {
			return cams, l.end()
		}
		c, err := l.camera(strings.Fields(string(b)))
		if err != nil {
			return nil, err
		}
		cams = append(cams, c)
	}
}

func (l *lines) camera(f []string) (c Camera, err error) {
	if len(f) < 4 {
		return c, l.errorf("%d fields, expected CAMERA_ID MODEL WIDTH HEIGHT PARAMS", len(f))
	}
	if c.ID, err = l.id(f[0], "a camera id"); err != nil {
		return c, err
	}
	c.Model = f[1]
	lens := lensByName(c.Model)
	if lens == nil {
		return c, l.errorf("camera %d: unknown model %q, expected one of %s", c.ID, c.Model, lensNames())
	}
	for i, dst := range []*int{&c.Width, &c.Height} {
		v, err := strconv.ParseUint(f[2+i], 10, 64)
		if err != nil {
			return c, l.errorf("camera %d: expected its size in pixels, found %q", c.ID, f[2+i])
		}
		*dst = clampSide(v)
	}
	if n := len(f) - 4; n != lens.params {
		return c, l.errorf("camera %d (%s): %d parameters, expected %d", c.ID, c.Model, n, lens.params)
	}
	c.Params = make([]float64, lens.params)
	return c, l.floats(c.Params, f[4:], fmt.Sprintf("camera %d (%s)", c.ID, c.Model))
}

// imagesText reads pairs of lines: the pose, then the 2D observations, which may
// be an empty line.
func imagesText(l *lines) ([]Image, error) {
	var images []Image
	for {
		b, ok := l.next()
		if !ok {
			return images, l.end()
		}
		im, err := l.image(b)
		if err != nil {
			return nil, err
		}
		images = append(images, im)
		if b, ok = l.raw(); ok && !isObservations(b) {
			return nil, l.errorf("expected the observations of image %d (x y point-id, repeated; an empty line for none), found %.60q", im.ID, b)
		}
	}
}

// image reads a pose line. The name is everything after the ninth field up to
// the end of the line: names may hold spaces.
func (l *lines) image(b []byte) (im Image, err error) {
	f, name := fields(b, 9)
	if len(f) < 9 || len(name) == 0 {
		return im, l.errorf("%d fields, expected IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME", len(f)+min(len(name), 1))
	}
	if im.ID, err = l.id(f[0], "an image id"); err != nil {
		return im, err
	}
	what := fmt.Sprintf("pose of image %d", im.ID)
	if err := l.floats(im.Quat[:], f[1:5], what); err != nil {
		return im, err
	}
	if err := l.floats(im.T[:], f[5:8], what); err != nil {
		return im, err
	}
	if im.CameraID, err = l.id(f[8], fmt.Sprintf("the camera id of image %d", im.ID)); err != nil {
		return im, err
	}
	im.Name = string(name)
	return im, nil
}

// isObservations tells a line of triples from a pose line (or other text) by the
// number of fields and by the last one, without parsing millions of numbers.
func isObservations(b []byte) bool {
	n, last, in := 0, 0, false
	for i, c := range b {
		blank := c == ' ' || c == '\t' || c == '\r'
		if !blank && !in {
			n, last = n+1, i
		}
		in = !blank
	}
	if n == 0 {
		return true
	}
	id := strings.TrimPrefix(strings.TrimRight(string(b[last:]), " \t\r"), "-")
	return n%3 == 0 && id != "" && strings.Trim(id, "0123456789") == ""
}

func pointsText(l *lines, pts *Points) error {
	for {
		b, ok := l.next()
		if !ok {
			return l.end()
		}
		if err := l.point(b, pts); err != nil {
			return err
		}
	}
}

func (l *lines) point(b []byte, pts *Points) error {
	f, _ := fields(b, 8)
	if len(f) < 8 {
		return l.errorf("%d fields, expected POINT3D_ID X Y Z R G B ERROR and a track", len(f))
	}
	var xyz [3]float64
	what := fmt.Sprintf("point %s", f[0])
	if err := l.floats(xyz[:], f[1:4], what); err != nil {
		return err
	}
	var rgb [3]uint8
	for i := range rgb {
		v, err := strconv.ParseUint(f[4+i], 10, 8)
		if err != nil {
			return l.errorf("%s: expected a colour of 0 to 255, found %q", what, f[4+i])
		}
		rgb[i] = uint8(v)
	}
	pts.add(xyz[0], xyz[1], xyz[2], rgb[0], rgb[1], rgb[2])
	return nil
}
