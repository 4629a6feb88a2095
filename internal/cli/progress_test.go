package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"splat/internal/train"
)

func TestPlainProgressIsSparse(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(1000, 0)
	p := &plainProgress{console: newConsole(&out), now: func() time.Time { return now }}
	p.loading(0, 2)
	p.loading(2, 2)
	for i := range 120 {
		now = now.Add(100 * time.Millisecond)
		p.step(train.Progress{Step: i + 1, Steps: 120, Loss: 0.25, Splats: 7, StepsPerSec: 10, Left: time.Duration(119-i) * 100 * time.Millisecond})
	}
	p.stop()
	want := "step 50/120  loss 0.2500  splats 7  10.0 steps/s  0:07 left\n" +
		"step 100/120  loss 0.2500  splats 7  10.0 steps/s  0:02 left\n" +
		"step 120/120  loss 0.2500  splats 7  10.0 steps/s  0:00 left\n"
	if out.String() != want {
		t.Errorf("found:\n%s\nexpected:\n%s", &out, want)
	}
}

// The bar must give the console back, and lines written meanwhile must appear.
func TestBarKeepsNotes(t *testing.T) {
	var out bytes.Buffer
	c := newConsole(&out)
	c.terminal = true
	p := c.newProgress()
	p.loading(1, 2)
	p.loading(2, 2)
	p.step(train.Progress{Step: 1, Steps: 3})
	c.note("a note")
	p.step(train.Progress{Step: 3, Steps: 3, Loss: 0.5})
	c.note("a last note")
	p.stop()
	p.stop()
	c.note("after")
	for _, want := range []string{"pictures 2/2", "a note", "a last note", "step 3/3"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%q", want, out.String())
		}
	}
	if !strings.HasSuffix(out.String(), "after\n") || c.above != nil {
		t.Errorf("the console was not given back:\n%q", out.String())
	}
}

func TestQuietShowsWarningsOnly(t *testing.T) {
	var out bytes.Buffer
	c := newConsole(&out)
	c.quiet = true
	p := c.newProgress()
	p.step(train.Progress{Step: 3, Steps: 3})
	p.stop()
	c.note("a note")
	c.note("warning: odd")
	if out.String() != "warning: odd\n" {
		t.Errorf("found %q", out.String())
	}
}

func TestRateAndClock(t *testing.T) {
	for speed, want := range map[float64]string{0: "- steps/s", 0.25: "4.0 s/step", 7.25: "7.2 steps/s", 1234.5: "1234 steps/s"} {
		if got := rate(speed); got != want {
			t.Errorf("rate(%v) = %q, expected %q", speed, got, want)
		}
	}
	for d, want := range map[time.Duration]string{-1: "0:00", 61 * time.Second: "1:01", 3*time.Hour + 62*time.Second: "3:01:02"} {
		if got := clock(d); got != want {
			t.Errorf("clock(%v) = %q, expected %q", d, got, want)
		}
	}
}
