package cli

import (
	"fmt"
	"strings"

	"splat/internal/archive"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/splatio/ply"
)

func init() { dataset.ReadPLY = readPoints }

// readPoints reads a cloud, which may lie in a zip file.
func readPoints(path string) (xyz []float32, rgb []uint8, err error) {
	f, err := archive.Open(path)
	if err != nil {
		return nil, nil, fault.Unreadable(path, err)
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, fault.Unreadable(path, err)
	case !st.Mode().IsRegular():
		return nil, nil, fault.Dataf("%s: not a file, expected a PLY file", path)
	}
	return ply.PointsFrom(f, st.Size(), path)
}

// openCapture opens the configured capture.
func openCapture(cfg config.Run) (*dataset.Capture, error) {
	return open(cfg.Data.Path, captureOptions(cfg.Data))
}

// open opens a capture by path or address.
func open(path string, o dataset.Options) (*dataset.Capture, error) {
	file, note, err := local(path)
	if err != nil {
		return nil, err
	}
	c, err := dataset.Open(file, o)
	if err == nil && note != "" {
		c.Path, c.Notes = path, append(c.Notes, note)
	}
	return c, err
}

// lookAtCapture is openCapture for a look only: what cannot be trained on is shown
// with a warning.
func lookAtCapture(cfg config.Run) (*dataset.Capture, error) {
	o := captureOptions(cfg.Data)
	o.AnyLens = true
	return open(cfg.Data.Path, o)
}

func captureOptions(d config.Data) dataset.Options {
	return dataset.Options{
		Downscale: d.Downscale, MaxSize: d.MaxSize, Images: d.Images, Sparse: d.Sparse, TestEvery: d.TestEvery,
		Masks: d.Masks, InvertMasks: d.Invert, Alpha: d.Alpha, Undistort: d.Undistort,
	}
}

// captureLines says what a capture holds, what was chosen and what is odd.
func captureLines(c *dataset.Capture) []string {
	lines := []string{fmt.Sprintf("capture: %s (%s), %d training and %s, %s",
		c.Root, c.Format, len(c.Train()), plural(len(c.TestViews()), "test view"), plural(c.Points.Len(), "point"))}
	lines = append(lines, c.Notes...)
	for _, w := range c.Warnings {
		lines = append(lines, "warning: "+w)
	}
	return lines
}

// lines splits a block of text.
func lines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }
