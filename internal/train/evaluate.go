package train

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"splat/internal/backend"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/imageio"
	"splat/internal/kernel"
	"splat/internal/metrics"
	"splat/internal/pipeline"
)

// EvalOptions asks for the quality of a cloud on a capture's views.
type EvalOptions struct {
	Config    config.Run
	Capture   *dataset.Capture
	Cloud     *gaussian.Cloud // in the world frame; unchanged
	Split     string          // "all", "train", "test", or "" for test where there is one, else all
	LimitTest int
	Observer  Observer
}

// Evaluate renders views of a capture and compares them with the pictures.
func Evaluate(ctx context.Context, o EvalOptions) (*Evaluation, error) {
	views, split := splitViews(o.Capture, o.Split)
	chosen := make([]dataset.View, 0, len(views))
	for _, i := range spread(len(views), o.LimitTest) {
		chosen = append(chosen, views[i])
	}
	if len(chosen) == 0 {
		return nil, fault.Dataf("%s: no views to evaluate: the %s split is empty", o.Capture.Path, split)
	}
	sayDegree(o.Cloud, o.Observer)
	o.Config.Data.Alpha = o.Capture.AlphaMode(o.Config.Data.Alpha)
	s, err := newViewer(o.Config, o.Cloud, chosen, frameOf(o.Capture))
	if err != nil {
		return nil, err
	}
	defer s.close()
	if s.images, err = loadViews(ctx, o.Config, chosen, o.Observer); err != nil {
		return nil, err
	}
	all := make([]int, len(chosen))
	for i := range all {
		all[i] = i
	}
	scores, err := s.score(ctx, all)
	if err != nil {
		return nil, err
	}
	e := summarise(scores, split)
	return &e, nil
}

func splitViews(c *dataset.Capture, split string) ([]dataset.View, string) {
	if split == "" {
		split = "test"
		if len(c.TestViews()) == 0 {
			split = "all"
		}
	}
	switch split {
	case "test":
		return c.TestViews(), split
	case "train":
		return c.Train(), split
	}
	return c.Views, split
}

// RenderOptions asks for pictures of a cloud.
type RenderOptions struct {
	Config   config.Run
	Cloud    *gaussian.Cloud // in the world frame; unchanged
	Views    []dataset.View  // only cameras are used
	Observer Observer

	// Capture is what the views are of. It decides about the frame, so that a picture
	// does not depend on which others are asked for.
	Capture *dataset.Capture
}

// RenderViews renders each view and hands it to emit in order: rgb is 3*w*h
// values over the configured background, alpha w*h values, both 0..1 (not
// clamped). The slices are reused.
func RenderViews(ctx context.Context, o RenderOptions, emit func(i int, v dataset.View, rgb, alpha []float32) error) error {
	if len(o.Views) == 0 {
		return nil
	}
	sayDegree(o.Cloud, o.Observer)
	s, err := newViewer(o.Config, o.Cloud, o.Views, frameOf(o.Capture))
	if err != nil {
		return err
	}
	defer s.close()
	for i, v := range o.Views {
		if err := ctx.Err(); err != nil {
			return err
		}
		rgb, alpha, err := s.render(i)
		if err != nil {
			return err
		}
		if err := emit(i, v, rgb, alpha); err != nil {
			return err
		}
	}
	return nil
}

// maxDegree is the highest SH degree that the kernels evaluate.
const maxDegree = 3

// sayDegree tells what is left out of a cloud of a higher degree.
func sayDegree(c *gaussian.Cloud, obs Observer) {
	if c.SHDegree > maxDegree {
		obs.Note(fmt.Sprintf("warning: the splats have SH degree %d, drawn with degree %d", c.SHDegree, maxDegree))
	}
}

// newViewer is a scene for rendering only, inside the given frame.
func newViewer(cfg config.Run, cloud *gaussian.Cloud, views []dataset.View, f frame) (*scene, error) {
	be, err := backend.Open(cfg.Backend)
	if err != nil {
		return nil, err
	}
	own := cloud.Clone()
	own.SetDegree(min(own.SHDegree, maxDegree))
	cfg.Model.SHDegree, cfg.Model.Antialiased = own.SHDegree, cfg.Model.Antialiased || cloud.Antialiased
	s := &scene{cfg: cfg, frame: f, views: views}
	if s.schedule, err = scheduleOf(cfg, s.frame, len(views), 0); err != nil {
		be.Close()
		return nil, err
	}
	plan := planFor(views, own.SHDegree, own.Len())
	plan.Sweep = backend.Sweeps(cfg.Backend)
	if s.pl, err = pipeline.New(be, plan, nil); err != nil {
		be.Close()
		return nil, err
	}
	s.frame.enter(own)
	for _, v := range views {
		s.records = append(s.records, s.frame.view(v))
	}
	if err := upload(s.pl, own); err != nil {
		s.close()
		return nil, err
	}
	if err := s.place(own.Len()); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *scene) close() {
	s.pl.Free()
	s.pl.Backend.Close()
}

// render draws view i as RGB and alpha.
func (s *scene) render(i int) (rgb, alpha []float32, err error) {
	c, err := s.control()
	if err != nil {
		return nil, nil, err
	}
	for {
		c.Request = uint32(i)
		if err := s.setControl(c); err != nil {
			return nil, nil, err
		}
		if err := s.pl.Backend.Submit(s.pl.RenderProgram, 1); err != nil {
			return nil, nil, err
		}
		if err := s.pl.Backend.Wait(); err != nil {
			return nil, nil, err
		}
		if c, err = s.control(); err != nil {
			return nil, nil, err
		}
		if c.Overflow == 0 {
			break
		}
		if err := s.roomFor(&c); err != nil {
			return nil, nil, err
		}
	}
	n := s.views[i].Camera.Width * s.views[i].Camera.Height
	raw := make([]float32, 4*n)
	if err := kernel.ReadSlice(s.pl.Backend, s.pl.Image, 0, raw); err != nil {
		return nil, nil, err
	}
	rgb, alpha = make([]float32, 3*n), make([]float32, n)
	for k := range n {
		copy(rgb[3*k:3*k+3], raw[4*k:])
		alpha[k] = 1 - raw[4*k+3]
	}
	return rgb, alpha, nil
}

// score renders the given views and measures each against its picture. Rendering
// is one after the other, measuring runs beside it.
func (s *scene) score(ctx context.Context, views []int) ([]ViewScore, error) {
	scores := make([]ViewScore, len(views))
	var group errgroup.Group
	group.SetLimit(max(runtime.GOMAXPROCS(0), 1))
	for k, i := range views {
		if ctx.Err() != nil {
			break
		}
		rgb, _, err := s.render(i)
		if err != nil {
			group.Go(func() error { return err })
			break
		}
		group.Go(func() error {
			v := s.views[i]
			metrics.Quantize(rgb)
			img, err := s.image(ctx, i)
			if err != nil {
				return err
			}
			truth, mask := s.truth(img)
			scores[k] = ViewScore{
				Name: v.Label, PSNR: metrics.PSNR(rgb, truth, mask),
				SSIM: metrics.SSIM(rgb, truth, v.Camera.Width, v.Camera.Height, mask),
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return scores, ctx.Err()
}

// image returns the picture of view i, and decodes it where the host does not keep it.
func (s *scene) image(ctx context.Context, i int) (*imageio.Image, error) {
	if s.images[i] != nil {
		return s.images[i], nil
	}
	images, err := dataset.Load(ctx, s.views[i:i+1], dataset.LoadOptions{Alpha: s.cfg.Data.Alpha, Threads: 1})
	if err != nil {
		return nil, err
	}
	return images[0], nil
}

// truth composites a picture over the evaluation background. mask is nil unless
// alpha says which pixels count.
func (s *scene) truth(img *imageio.Image) (rgb []float32, mask []bool) {
	n := len(img.Pix) / 4
	rgb = make([]float32, 3*n)
	masked := s.cfg.Data.Alpha == "mask"
	if masked {
		mask = make([]bool, n)
	}
	for k := range n {
		p := img.Pix[4*k : 4*k+4]
		a := float32(p[3]) / 255
		for c := range 3 {
			rgb[3*k+c] = float32(p[c]) / 255
			if !masked {
				rgb[3*k+c] += (1 - a) * s.schedule.Background[c]
			}
		}
		if masked {
			mask[k] = p[3] != 0
		}
	}
	return rgb, mask
}

// summarise averages over views; views without a defined score are left out.
func summarise(scores []ViewScore, split string) Evaluation {
	e := Evaluation{Split: split, Views: len(scores), PerView: scores}
	var n float64
	for _, v := range scores {
		if !math.IsNaN(v.PSNR) && !math.IsNaN(v.SSIM) {
			e.PSNR, e.SSIM, n = e.PSNR+v.PSNR, e.SSIM+v.SSIM, n+1
		}
	}
	if n > 0 {
		e.PSNR, e.SSIM = e.PSNR/n, e.SSIM/n
	}
	return e
}

// evaluateOnce measures the training's test views and reports, once a step.
func (s *session) evaluateOnce(ctx context.Context, step int) (*Evaluation, error) {
	if s.scored != nil && s.scored.Step == step {
		return s.scored, nil
	}
	kernel.BeginWork(s.tracer, kernel.HostLoop, kernel.PhaseEvaluation)
	defer kernel.EndWork(s.tracer)
	scores, err := s.score(ctx, s.test)
	if err != nil {
		return nil, err
	}
	e := summarise(scores, s.split)
	e.Step, e.Seconds = step, s.clock.total.Seconds()
	s.obs.Evaluated(e)
	s.scored = &e
	return &e, nil
}
