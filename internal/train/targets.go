package train

import (
	"context"
	"fmt"
	"math"

	"splat/internal/backend"
	"splat/internal/checkpoint"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/imageio"
	"splat/internal/kernel"
	"splat/internal/pipeline"
	"splat/internal/sysinfo"
)

// Training pictures stay on the device where there is room for all of them. Otherwise
// they pass through a ring of places: step s reads place s % places, and the host fills
// it before it submits the step. What was submitted earlier is done before a place is
// written again, since the device does uploads and steps in the order they come.

const (
	pixelBytes = 4 // RGBA
	placesMin  = 4 // of a ring; a submission fills a quarter of it at most
	freeShare  = 4 // pictures take at most this fraction of the device's free memory
	hostShare  = 4 // and decoded ones this fraction of the host's memory
)

// picture is what is known of a view's picture once it was decoded.
type picture struct {
	transparent bool   // some pixel is not opaque
	used        int    // pixels that a mask leaves
	sum         string // of the pixels; "" where nobody wants to know
}

func pictureOf(img *imageio.Image, sum bool) picture {
	p := picture{transparent: !img.Opaque(), used: used(img)}
	if sum {
		p.sum = checkpoint.Sum(img.Pix)
	}
	return p
}

// budgetOf is the memory that a device has free, in bytes; 0 where it has no limit of
// its own or does not say.
func budgetOf(be kernel.Backend) int64 {
	if b, ok := be.(interface{ Budget() int64 }); ok {
		return b.Budget()
	}
	return 0
}

// freeOf asks the device of a configuration that is only planned for. Whether it can
// be opened is not the plan's business.
func freeOf(c config.Backend) int64 {
	choice, err := backend.Choose(c)
	if err != nil || choice.Kind == "cpu" || c.ImageBudget > 0 {
		return 0
	}
	be, err := backend.Open(c)
	if err != nil {
		return 0
	}
	defer be.Close()
	return budgetOf(be)
}

// hostBytes is how much decoded pictures may take on the host by default.
func hostBytes() int64 {
	if n := sysinfo.Memory(); n > 0 {
		return int64(min(n/hostShare, math.MaxInt64))
	}
	return 2 << 30
}

// planTargets decides where the training pictures are and how much room they get.
func (s *session) planTargets(plan *pipeline.Plan, free int64) error {
	all, largest := 0, s.views[0]
	for _, v := range s.views[:s.trains] {
		all += pixels(v)
		if pixels(v) > pixels(largest) {
			largest = v
		}
	}
	budget, limit := s.imageBudget(free), int64(math.MaxUint32)
	if budget > 0 {
		limit = min(limit, budget/pixelBytes)
	}
	if int64(all) <= limit && s.cfg.Backend.Targets != "upload" {
		plan.TargetPixels = all
		return nil
	}
	size := max(pixels(largest), 1)
	plan.RingSlots = int(min(int64(s.placesWanted()), limit/int64(size)))
	plan.TargetPixels = plan.RingSlots * size
	switch {
	case plan.RingSlots >= placesMin:
		return nil
	case limit == math.MaxUint32:
		return fault.Usagef("the training pictures have %d pixels together, at most %d fit; raise --downscale or lower --max-size", all, uint32(math.MaxUint32))
	}
	return fault.Usagef("%s, room for %d of the largest training pictures (%dx%d), expected room for at least %d (%d bytes); raise backend.image_budget or --downscale, or lower --max-size",
		s.budgetText(budget), plan.RingSlots, largest.Camera.Width, largest.Camera.Height, placesMin, placesMin*pixelBytes*int64(size))
}

// imageBudget is the device memory that pictures may take, in bytes; 0: no limit.
func (s *session) imageBudget(free int64) int64 {
	if n := int64(s.cfg.Backend.ImageBudget); n > 0 {
		return n
	}
	return free / freeShare
}

func (s *session) budgetText(budget int64) string {
	if s.cfg.Backend.ImageBudget > 0 {
		return fmt.Sprintf("backend.image_budget: found %d bytes", budget)
	}
	return fmt.Sprintf("pictures may take a quarter of the device's free memory: found %d bytes", budget)
}

// placesWanted is enough for the steps in flight and those being prepared.
func (s *session) placesWanted() int { return (max(s.cfg.Backend.InFlight, 1) + 1) * batchMax }

// stepsAtOnce is the number of steps that one submission may have.
func (s *session) stepsAtOnce() int {
	if n := s.pl.Plan.RingSlots; n > 0 {
		return max(n/4, 1)
	}
	return batchMax
}

// hostPixels counts the pixels of decoded pictures that the host keeps: those to
// measure on, or, where pictures pass through a ring, as many to train on as it may.
func (s *session) hostPixels(plan pipeline.Plan) (test, train int64) {
	if plan.RingSlots > 0 {
		for _, v := range s.views[:s.trains] {
			train += int64(pixels(v))
		}
		return 0, min(train, s.hostBytes/pixelBytes)
	}
	for _, i := range s.test {
		test += int64(pixels(s.views[i]))
	}
	return test, 0
}

// loadPictures decodes every picture once, so that damaged ones are found before the
// first step, and keeps those that the plan keeps. sums says that somebody wants to
// tell them from others.
func (s *session) loadPictures(ctx context.Context, plan pipeline.Plan, sums bool) error {
	s.images, s.pictures = make([]*imageio.Image, len(s.views)), make([]picture, len(s.views))
	o := dataset.LoadOptions{Alpha: s.cfg.Data.Alpha, Threads: s.cfg.Backend.Threads, OnProgress: s.obs.Loading, OnBegin: s.decoding()}
	if plan.RingSlots > 0 {
		s.feed = newFeed(s.views[:s.trains], s.schedule.Seed, o, s.hostBytes)
		s.feed.tracer = s.tracer
	}
	kernel.BeginWork(s.tracer, kernel.HostDecode, "decode all pictures")
	defer kernel.EndWork(s.tracer)
	return s.decoded.each(ctx, s.views, o, func(i int, img *imageio.Image) {
		s.pictures[i] = pictureOf(img, sums && i < s.trains)
		switch {
		case s.feed == nil:
			s.images[i] = img
		case i < s.trains:
			s.feed.offer(i, img)
		}
	})
}

// fillTargets completes the records of the training views and uploads their pictures,
// one after the other, unless they come later.
func (s *session) fillTargets() error {
	s.words = make([]uint32, rowsAtOnce)
	at := 0
	for i := range s.trains {
		v := &s.records[i]
		if s.cfg.Data.Alpha == "mask" {
			v.Flags = kernel.ViewMask
			v.LossScale = float32(1 / (3 * max(float64(s.pictures[i].used), 1)))
		}
		if s.feed != nil {
			continue
		}
		v.Pixels = uint32(at)
		if err := uploadPicture(s.pl, at, s.images[i], s.words); err != nil {
			return err
		}
		at += pixels(s.views[i])
	}
	return nil
}

// supply uploads the targets of n steps from step at on, and then says that they are
// there.
func (s *session) supply(at, n int) error {
	if s.feed == nil {
		return nil
	}
	kernel.BeginWork(s.tracer, kernel.HostLoop, "supply pictures")
	defer kernel.EndWork(s.tracer)
	places, size := s.pl.Plan.RingSlots, int(s.schedule.RingPixels)
	for step := at; step < at+n; step++ {
		img, err := s.feed.take(step)
		if err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		if err := uploadPicture(s.pl, step%places*size, img, s.words); err != nil {
			return err
		}
	}
	for step := at; step < at+n; step++ {
		if err := kernel.WriteSlice(s.pl.Backend, s.pl.Resident, step%places, []uint32{uint32(step) + 1}); err != nil {
			return err
		}
	}
	return nil
}
