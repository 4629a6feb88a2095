package train

import (
	"context"
	"errors"
	"strings"
	"testing"

	"splat/internal/kernel"
)

// gone is a backend whose device is lost at the n-th submission: from there on nothing
// works.
type gone struct {
	kernel.Backend
	left int
}

func (b *gone) Submit(p kernel.Program, times int) error {
	if b.left--; b.left < 0 {
		return kernel.ErrLost
	}
	return b.Backend.Submit(p, times)
}

func (b *gone) ReadBytes(buf *kernel.Buffer, at int, data []byte) error {
	if b.left < 0 {
		return errors.New("reading from a lost device")
	}
	return b.Backend.ReadBytes(buf, at, data)
}

// A lost device ends the run with one message that names the last checkpoint.
func TestLostDeviceNamesTheCheckpoint(t *testing.T) {
	for every, want := range map[int]string{
		0:  "no checkpoint had been made",
		10: "0.ckpt, is intact: go on with splat train --resume",
	} {
		capture, c := smallCapture(t), resumeConfig("mcmc")
		c.Train.SaveEvery = every
		s := startSession(t, c, capture)
		s.pl.Backend = &gone{s.pl.Backend, 8}
		_, err := s.loop(context.Background())
		if !errors.Is(err, kernel.ErrLost) {
			t.Fatalf("found %v", err)
		}
		err = s.afterLoss(err)
		if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "\n") || strings.Contains(text, "reading") {
			t.Errorf("found %q, expected %q in it", text, want)
		}
	}
}
