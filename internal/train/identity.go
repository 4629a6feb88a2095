package train

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"splat/internal/checkpoint"
	"splat/internal/dataset"
	"splat/internal/fault"
)

// identify returns what tells a capture from another one, without the pixels.
func identify(c *dataset.Capture) checkpoint.Capture {
	id := checkpoint.Capture{Path: c.Path}
	if abs, err := filepath.Abs(c.Path); err == nil && !strings.Contains(c.Path, "://") {
		id.Path = abs
	}
	for _, v := range c.Views {
		id.Views = append(id.Views, checkpoint.View{
			Name: v.Name, Width: v.Camera.Width, Height: v.Camera.Height, Test: v.Test,
			Camera: checkpoint.Sum(fmt.Appendf(nil, "%v %v", v.Camera, v.Pose)), // %v keeps every bit of a float
		})
	}
	return id
}

// identifyPixels adds the sums of the training pictures, in the order of the
// training views.
func identifyPixels(id *checkpoint.Capture, pictures []picture) {
	next := 0
	for i := range id.Views {
		if !id.Views[i].Test && next < len(pictures) {
			id.Views[i].Pixels = pictures[next].sum
			next++
		}
	}
}

// identify completes the identity with the pixels, where anybody wants to know,
// and compares it with the checkpoint's.
func (s *session) identify(o Options) error {
	if s.keep == nil && o.Resume == nil {
		return nil
	}
	s.identity = identify(o.Capture)
	identifyPixels(&s.identity, s.pictures[:s.trains])
	if o.Resume == nil {
		return nil
	}
	return sameCapture(o.Resume, s.identity)
}

// sameCapture refuses to go on with other pictures or cameras than those that the
// checkpoint was made with. Pixels are compared where both sides have sums.
func sameCapture(f *checkpoint.File, now checkpoint.Capture) error {
	lines := captureDifferences(f.Capture.Views, now.Views)
	if len(lines) == 0 {
		return nil
	}
	more := ""
	if len(lines) > 1 {
		more = fmt.Sprintf(" (and %d more differences)", len(lines)-1)
	}
	return fault.Dataf("%s: not the capture that %s was trained on: %s%s", now.Path, f.Path, lines[0], more)
}

// captureDifferences says what is not as it was, a line a view.
func captureDifferences(old, now []checkpoint.View) (lines []string) {
	found := make(map[string]checkpoint.View, len(now))
	for _, v := range now {
		found[v.Name] = v
	}
	for _, was := range old {
		v, ok := found[was.Name]
		delete(found, was.Name)
		if !ok {
			lines = append(lines, fmt.Sprintf("view %s: missing", strconv.Quote(was.Name)))
		} else if what := viewDifference(was, v); what != "" {
			lines = append(lines, fmt.Sprintf("view %s: %s", strconv.Quote(was.Name), what))
		}
	}
	for _, v := range now {
		if _, extra := found[v.Name]; extra {
			lines = append(lines, fmt.Sprintf("view %s: not there before", strconv.Quote(v.Name)))
		}
	}
	return lines
}

func viewDifference(was, is checkpoint.View) string {
	switch {
	case was.Width != is.Width || was.Height != is.Height:
		return fmt.Sprintf("%d x %d pixels found, %d x %d expected", is.Width, is.Height, was.Width, was.Height)
	case was.Test != is.Test:
		return fmt.Sprintf("in the %s split, expected in the %s split", splitName(is.Test), splitName(was.Test))
	case was.Camera != is.Camera:
		return "another camera or pose"
	case was.Pixels != is.Pixels && was.Pixels != "" && is.Pixels != "":
		return "another picture"
	}
	return ""
}

func splitName(test bool) string {
	if test {
		return "test"
	}
	return "training"
}
