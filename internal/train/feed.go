package train

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"splat/internal/dataset"
	"splat/internal/imageio"
	"splat/internal/kernel"
)

// aheadMax is the most steps whose pictures are decoded ahead.
const aheadMax = 2 * batchMax

// feed hands out decoded training pictures in the order in which steps use them. Some
// stay decoded for the whole training; the others are decoded ahead, in the background,
// and dropped after use. An epoch visits every view once, so keeping the same ones is
// as good as any other choice. Its methods, but for offer, are called from one
// goroutine.
type feed struct {
	views   []dataset.View
	seed    uint32
	options dataset.LoadOptions
	room    int64 // bytes for pictures that stay
	window  int   // steps decoded ahead, the one that is asked for included

	mu   sync.Mutex // of kept and held, while pictures are offered
	kept []*imageio.Image
	held int64 // bytes of kept

	ahead   map[int]*coming // by step
	ctx     context.Context
	cancel  context.CancelFunc
	workers errgroup.Group
	turns   chan struct{} // one for each picture being decoded
	tracer  kernel.Tracer
}

// coming is a picture that is being decoded; img and err are set once done is closed.
type coming struct {
	done   chan struct{}
	cancel context.CancelFunc
	img    *imageio.Image
	err    error
}

// newFeed keeps at most limit bytes of decoded pictures, but always one.
func newFeed(views []dataset.View, seed uint32, o dataset.LoadOptions, limit int64) *feed {
	threads := o.Threads
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	o.Threads, o.OnProgress = 1, nil
	f := &feed{views: views, seed: seed, options: o, kept: make([]*imageio.Image, len(views)), ahead: map[int]*coming{}}
	f.turns = make(chan struct{}, threads)
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.divide(limit)
	return f
}

// divide gives everything to pictures that stay where that is enough for all, else half
// to the window.
func (f *feed) divide(limit int64) {
	all, largest := int64(0), int64(1)
	for _, v := range f.views {
		n := pixelBytes * int64(pixels(v))
		all, largest = all+n, max(largest, n)
	}
	f.room, f.window = limit, 1
	if all > limit {
		f.window = int(min(max(limit/2/largest, 1), aheadMax))
		f.room = limit - int64(f.window)*largest
	}
}

// offer keeps a decoded picture where there is room for it. It may be called from
// several goroutines.
func (f *feed) offer(view int, img *imageio.Image) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := int64(len(img.Pix)); f.held+n <= f.room {
		f.kept[view], f.held = img, f.held+n
	}
}

func (f *feed) view(step int) int {
	return int(kernel.ViewAt(f.seed, uint32(step), uint32(len(f.views))))
}

// take returns the picture of a step and lets those of the next ones be decoded. Steps
// may be asked for again.
func (f *feed) take(step int) (*imageio.Image, error) {
	f.forget(step)
	for s := step; s < step+f.window; s++ {
		f.start(s)
	}
	if img := f.kept[f.view(step)]; img != nil {
		return img, nil
	}
	c := f.ahead[step]
	kernel.BeginWork(f.tracer, kernel.HostWait, kernel.WaitPicture)
	<-c.done
	kernel.EndWork(f.tracer)
	delete(f.ahead, step)
	c.cancel()
	return c.img, c.err
}

// forget drops what lies outside the window of a step.
func (f *feed) forget(step int) {
	for s, c := range f.ahead {
		if s < step || s >= step+f.window {
			c.cancel()
			delete(f.ahead, s)
		}
	}
}

// start begins to decode the picture of a step, unless it is there.
func (f *feed) start(step int) {
	view := f.view(step)
	if f.kept[view] != nil || f.ahead[step] != nil {
		return
	}
	c := &coming{done: make(chan struct{})}
	var ctx context.Context
	ctx, c.cancel = context.WithCancel(f.ctx)
	f.ahead[step] = c
	f.workers.Go(func() error {
		defer close(c.done)
		f.turns <- struct{}{}
		defer func() { <-f.turns }()
		images, err := dataset.Load(ctx, f.views[view:view+1], f.options)
		if err != nil {
			c.err = err
			return nil // told by take, to whom it matters
		}
		c.img = images[0]
		return nil
	})
}

// close ends decoding and waits for it.
func (f *feed) close() {
	f.cancel()
	_ = f.workers.Wait() // workers return no errors
}
