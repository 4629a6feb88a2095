package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"splat/internal/backend"
	"splat/internal/checkpoint"
	"splat/internal/dataset"
	"splat/internal/imageio"
	"splat/internal/kernel"
	"splat/internal/pipeline"
	"splat/internal/prof"
	"splat/internal/sysinfo"
	"splat/internal/train/strategy"
)

// Run trains. When it ends early (ctx is done, a limit, an error after the first
// step) the Result holds what there is, in the capture's world frame; an error
// may come with a Result.
func Run(ctx context.Context, o Options) (*Result, error) {
	s, err := newSession(ctx, o)
	if err != nil {
		return nil, err
	}
	defer s.close()
	stop, err := s.loop(ctx)
	if err == nil {
		s.rest(int(s.collected))
	}
	if errors.Is(err, kernel.ErrLost) {
		return nil, s.afterLoss(err)
	}
	if err != nil || stop != StopSteps {
		err = s.preserve(err)
	}
	return s.finish(ctx, stop, err)
}

// afterLoss tells what is left of a run whose device is gone: nothing on it can be
// read any more.
func (s *session) afterLoss(err error) error {
	at := fmt.Sprintf("after step %d", s.collected)
	if s.saves.step == 0 {
		return fmt.Errorf("%s: %w; no checkpoint had been made", at, err)
	}
	return fmt.Errorf("%s: %w; the last checkpoint, step-%08d.ckpt, is intact: go on with splat train --resume", at, err, s.saves.step)
}

// session is one training.
type session struct {
	scene
	witness
	obs         Observer
	capture     *dataset.Capture
	alpha       string // what alpha means, as the configuration says it; cfg has what that means for this capture
	trains      int    // the first trains views are for training
	test        []int  // views to evaluate
	split       string
	clock       clock
	pace        pace
	watch       watch
	due         eventSteps
	profile     *prof.Table
	profileFrom int
	logged      logMark
	warned      uint32 // splats that the limit refused, last time it was said

	ring      [pipeline.RingSize]kernel.Stats // scratch of collect
	collected uint32                          // steps whose statistics were read
	scored    *Evaluation                     // the last evaluation of this session
	identity  checkpoint.Capture              // of the capture, for checkpoints
	keep      Checkpoints                     // nil where none are kept
	saves     saves
	sick      bool // the state is not worth keeping

	be        kernel.Backend // open from the start; nil where only memory is planned
	pictures  []picture      // what is known of each view's picture
	decoded   *Pictures      // of earlier runs; nil: none are kept
	feed      *feed          // decoded pictures in the order of the steps; nil where all targets are resident
	words     []uint32       // scratch of uploads
	hostBytes int64          // that decoded pictures may take where they pass through a ring
}

// clock adds up training time: from submission to completion, nothing else.
type clock struct {
	total   time.Duration // of what has ended
	running time.Time     // when what runs began; zero: nothing
}

func (c *clock) run(f func() error) error {
	c.running = time.Now()
	err := f()
	c.total, c.running = c.now(), time.Time{}
	return err
}

// now is the training time so far.
func (c *clock) now() time.Duration {
	if c.running.IsZero() {
		return c.total
	}
	return c.total + time.Since(c.running)
}

func newSession(ctx context.Context, o Options) (*session, error) {
	train := o.Capture.Train()
	if len(train) == 0 {
		return nil, noTrainingViews(o.Capture)
	}
	from, err := originOf(o)
	if err != nil {
		return nil, err
	}
	s := &session{obs: o.Observer, capture: o.Capture, trains: len(train), keep: o.Checkpoints, hostBytes: o.hostBytes, decoded: o.Pictures, profileFrom: o.ProfileFrom, witness: witness{o.Tracer, o.AtRest, o.ProfileAtEnd}}
	if s.hostBytes == 0 {
		s.hostBytes = hostBytes()
	}
	s.cfg, s.frame = o.Config, frameOf(o.Capture)
	s.alpha, s.cfg.Data.Alpha = o.Config.Data.Alpha, o.Capture.AlphaMode(o.Config.Data.Alpha)
	s.views = append(s.views, train...)
	s.chooseTest()
	if err := s.prepare(ctx, o, from); err != nil {
		s.close()
		return nil, err
	}
	s.beginProfile(o.ProfileFrom)
	return s, nil
}

// prepare opens the device, decodes the pictures, and brings everything to the device.
func (s *session) prepare(ctx context.Context, o Options, from *origin) error {
	plan, refiner, err := s.open(from)
	if err != nil {
		return err
	}
	if err := s.loadPictures(ctx, plan, s.keep != nil || o.Resume != nil); err != nil {
		return err
	}
	s.sayAlpha()
	if err := s.identify(o); err != nil {
		return err
	}
	s.due, s.saves = eventsOf(s.cfg), newSaves(s.cfg.Train.SaveEvery, 0)
	if s.atRest != nil {
		s.due.rest = max(s.due.end/rests, 1)
	}
	s.watch = newWatch(s.cfg.Train, s.trains)
	if o.Resume != nil {
		s.restore(from, o.Ended)
	}
	if err := s.estimate(plan, refiner, from.splats); err != nil {
		return err
	}
	before := s.clock.total
	err = s.clock.run(func() error { return s.build(plan, refiner, from) })
	s.logged.Total += s.clock.total - before
	return err
}

// sayAlpha tells what the alpha channel is taken for, where there is one.
func (s *session) sayAlpha() {
	n, used, all := 0, 0, 0
	for i, p := range s.pictures {
		if p.transparent {
			n++
		}
		used, all = used+p.used, all+pixels(s.views[i])
	}
	switch {
	case n == 0:
	case s.cfg.Data.Alpha == "mask":
		s.obs.Note(fmt.Sprintf("alpha: %d of %d pictures have pixels to ignore (--alpha mask); %.1f %% of all pixels are used", n, len(s.pictures), 100*float64(used)/float64(max(all, 1))))
	default:
		s.obs.Note(fmt.Sprintf("alpha: %d of %d pictures are transparent, composited on the background (--alpha mask ignores such pixels)", n, len(s.pictures)))
	}
}

// chooseTest appends the views to evaluate: test views where the capture has
// them, else the training views themselves, which is said.
func (s *session) chooseTest() {
	if s.cfg.Eval.Skip {
		return
	}
	s.split = "test"
	test := s.capture.TestViews()
	if len(test) == 0 {
		s.split = "train"
		s.obs.Note("the capture has no test views: evaluating on training views")
		s.test = append(s.test, spread(s.trains, s.cfg.Eval.LimitTest)...)
		return
	}
	for _, i := range spread(len(test), s.cfg.Eval.LimitTest) {
		s.test = append(s.test, len(s.views))
		s.views = append(s.views, test[i])
	}
}

// spread returns at most limit of n indices, evenly spread; 0 is all.
func spread(n, limit int) []int {
	if limit <= 0 || limit > n {
		limit = n
	}
	out := make([]int, limit)
	for i := range out {
		out[i] = i * n / limit
	}
	return out
}

// open opens the device and plans for it.
func (s *session) open(from *origin) (pipeline.Plan, pipeline.Refiner, error) {
	strat, err := strategy.ByName(s.cfg.Strategy.Name)
	if err != nil {
		return pipeline.Plan{}, nil, err
	}
	if s.schedule, err = scheduleOf(s.cfg, s.frame, s.trains, strat.ID); err != nil {
		return pipeline.Plan{}, nil, err
	}
	if s.be, err = backend.Open(s.cfg.Backend); err != nil {
		return pipeline.Plan{}, nil, err
	}
	s.follow()
	plan, err := s.plan(from.splats, budgetOf(s.be))
	if plan.RingSlots > 0 {
		s.schedule.RingSlots, s.schedule.RingPixels = uint32(plan.RingSlots), uint32(plan.TargetPixels/plan.RingSlots)
	}
	return plan, strat.Refiner, err
}

// build allocates the pipeline and uploads everything.
func (s *session) build(plan pipeline.Plan, refiner pipeline.Refiner, from *origin) error {
	pl, err := pipeline.New(s.be, plan, refiner)
	if err != nil {
		return fmt.Errorf("%w; lower --max-splats or --max-size", err)
	}
	s.pl = pl
	return s.fill(from)
}

// close releases the device, at whatever point the session is, and ends decoding.
func (s *session) close() {
	if s.feed != nil {
		s.feed.close()
	}
	if s.pl != nil {
		s.pl.Free()
	}
	if s.be != nil {
		s.be.Close()
	}
}

// fill uploads splats, pictures, cameras and schedule, and drops the host's copy
// of pictures that only the device needs.
func (s *session) fill(from *origin) error {
	for _, v := range s.views {
		s.records = append(s.records, s.frame.view(v))
	}
	if err := s.fillSplats(from); err != nil {
		return err
	}
	if err := s.fillTargets(); err != nil {
		return err
	}
	if err := kernel.WriteSlice(s.pl.Backend, s.pl.Window, 0, window(s.pl.Plan.Window)); err != nil {
		return err
	}
	s.releaseImages()
	if err := s.place(from.splats); err != nil {
		return err
	}
	return s.setControl(from.firstControl())
}

// releaseImages drops the host's copy of pictures that only the device needs.
func (s *session) releaseImages() {
	keep := make([]*imageio.Image, len(s.images))
	for _, i := range s.test {
		keep[i] = s.images[i]
	}
	s.images = keep
}

// finish evaluates, unless that is not wanted or the run broke, and collects the
// result.
func (s *session) finish(ctx context.Context, stop string, failure error) (*Result, error) {
	r := &Result{
		TrainSeconds: s.clock.total.Seconds(), Device: s.pl.Backend.Device(), Backend: s.pl.Backend.Name(), StopReason: stop,
	}
	c, err := s.control()
	if err != nil {
		return nil, firstError(failure, err)
	}
	r.Steps = int(c.Step)
	if r.Cloud, err = download(s.pl, int(c.Splats)); err != nil {
		return nil, firstError(failure, err)
	}
	s.frame.leave(r.Cloud)
	s.endProfile(r, failure != nil)
	r.Cloud.Antialiased = s.cfg.Model.Antialiased
	if failure == nil && len(s.test) > 0 {
		if r.Final, failure = s.evaluateOnce(ctx, int(c.Step)); failure != nil {
			failure = s.preserve(fmt.Errorf("final evaluation: %w", failure))
		}
	}
	r.PeakBytes = sysinfo.PeakBytes()
	return r, failure
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
