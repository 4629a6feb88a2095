package dataset

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"splat/internal/dataset/undistort"
	"splat/internal/fault"
	"splat/internal/imageio"
)

// LoadOptions says how pictures become pixels.
type LoadOptions struct {
	Alpha      string                // "auto" or "transparent": premultiplied; "mask": see Load; "" is auto
	Threads    int                   // pictures decoded at a time; 0: one a processor
	OnProgress func(done, total int) // called after each picture, never at the same time; may be nil
	// OnBegin is called before a picture is decoded, with its view's label, and what it
	// returns afterwards, by the goroutine that decodes; may be nil.
	OnBegin func(label string) (end func())
}

// Load decodes the pictures of views, in their order, turned as the views say and
// at the sizes of their cameras. The result is 8-bit RGBA, premultiplied; with alpha "mask" it has
// straight colour and alpha 255 where a pixel is used, 0 where it is ignored; a
// reduced pixel is used where at least half of it is, with the colour of that
// part. An opaque picture has alpha 255 everywhere. Memory: 4 bytes for each pixel
// delivered, plus a few times the full picture for each one being decoded.
func Load(ctx context.Context, views []View, o LoadOptions) ([]*imageio.Image, error) {
	out := make([]*imageio.Image, len(views))
	err := Each(ctx, views, o, func(i int, m *imageio.Image) { out[i] = m })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Each decodes the pictures of views as Load does and hands each to use, which may be
// called from several goroutines at a time, in any order, once for each view. Memory: a
// few times the full picture for each one being decoded, and what use keeps.
func Each(ctx context.Context, views []View, o LoadOptions, use func(i int, m *imageio.Image)) error {
	switch o.Alpha {
	case "", "auto", "transparent", "mask":
	default:
		return fault.Usagef("alpha %q: expected auto, transparent or mask", o.Alpha)
	}
	if o.Threads < 1 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	var mu sync.Mutex
	done := 0
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.Threads)
	for i := range views {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			m, err := o.decode(&views[i])
			if err != nil {
				return err
			}
			use(i, m)
			mu.Lock()
			defer mu.Unlock()
			done++
			if o.OnProgress != nil {
				o.OnProgress(done, len(views))
			}
			return nil
		})
	}
	return g.Wait()
}

// decode decodes a view's picture, and tells whoever wants to know.
func (o *LoadOptions) decode(v *View) (*imageio.Image, error) {
	if o.OnBegin != nil {
		defer o.OnBegin(v.Label)()
	}
	return loadView(v, o.Alpha == "mask" || v.Mask != "" && o.Alpha != "transparent")
}

// applyMask takes the pixels out of a turned picture that its mask does not use.
func applyMask(m *imageio.Image, v *View) error {
	mask, err := imageio.DecodeMask(v.Mask)
	if err != nil {
		return err
	}
	if v.Inverted {
		mask.Invert()
	}
	m.ApplyMask(mask.Turned(v.MaskTurn))
	return nil
}

func loadView(v *View, mask bool) (*imageio.Image, error) {
	m, err := imageio.Decode(v.Image)
	if err != nil {
		return nil, err
	}
	if mask {
		m.Unpremultiply()
		m.ThresholdAlpha()
	}
	turn := v.Turn
	if mask && v.Mask != "" {
		m, turn = m.Turned(v.Turn), 0
		if err := applyMask(m, v); err != nil {
			return nil, err
		}
	}
	w, h := v.Camera.Width, v.Camera.Height
	if turn.Swaps() {
		w, h = h, w
	}
	if m.Width != w || m.Height != h {
		m = imageio.Reduce(m, w, h)
	}
	m = m.Turned(turn)
	if b := v.Bend; b != nil {
		m = undistort.Picture(m, b.Lens, b.From, v.Camera)
	}
	if mask {
		m.Unpremultiply()
		m.ThresholdAlpha()
		return m, nil
	}
	m.Premultiply()
	return m, nil
}
