package cli

import (
	"fmt"
	"strings"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/splatio/ply"
)

func init() { dataset.ReadPLY = ply.ReadPoints }

// openCapture opens the configured capture.
func openCapture(cfg config.Run) (*dataset.Capture, error) {
	return dataset.Open(cfg.Data.Path, captureOptions(cfg.Data))
}

// lookAtCapture is openCapture for a look only: what cannot be trained on is shown
// with a warning.
func lookAtCapture(cfg config.Run) (*dataset.Capture, error) {
	o := captureOptions(cfg.Data)
	o.AnyLens = true
	return dataset.Open(cfg.Data.Path, o)
}

func captureOptions(d config.Data) dataset.Options {
	return dataset.Options{
		Downscale: d.Downscale, MaxSize: d.MaxSize, Images: d.Images, Sparse: d.Sparse, TestEvery: d.TestEvery,
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
