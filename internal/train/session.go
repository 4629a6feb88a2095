package train

import (
	"context"
	"fmt"
	"math"
	"strings"

	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/gaussian"
	"splat/internal/imageio"
	"splat/internal/kernel"
	"splat/internal/pipeline"
	"splat/internal/splatio"
)

// scene is a cloud and cameras on a device, with pictures where quality is
// measured: what rendering, evaluating and training have in common.
type scene struct {
	cfg      config.Run
	frame    frame
	views    []dataset.View   // in the order of the device's view buffer
	images   []*imageio.Image // one a view, nil where pixels are not needed on the host
	records  []kernel.View    // one a view
	schedule kernel.Schedule
	pl       *pipeline.Pipeline
}

// planFor sizes buffers for the largest of the views.
func planFor(views []dataset.View, degree, splats int) pipeline.Plan {
	p := pipeline.Plan{SHDegree: degree, Splats: splats, Views: len(views), Pairs: initialPairs(splats)}
	for _, v := range views {
		p.Pixels = max(p.Pixels, v.Camera.Width*v.Camera.Height)
		tiles := kernel.Blocks(v.Camera.Width, kernel.TileSize) * kernel.Blocks(v.Camera.Height, kernel.TileSize)
		p.Tiles = max(p.Tiles, tiles)
	}
	return p
}

// initialPairs guesses the pair capacity; it grows when a view needs more.
func initialPairs(splats int) int { return min(max(2*splats, 1<<14), 1<<21) }

// place stores schedule, views and control; splats is the number of live rows.
func (s *scene) place(splats int) error {
	be := s.pl.Backend
	if err := kernel.WriteRecord(be, s.pl.Schedule, 0, s.schedule); err != nil {
		return err
	}
	for i, v := range s.records {
		if err := kernel.WriteRecord(be, s.pl.Views, i, v); err != nil {
			return err
		}
	}
	return kernel.WriteRecord(be, s.pl.Control, 0, kernel.Control{Splats: uint32(splats)})
}

func (s *scene) control() (kernel.Control, error) {
	return kernel.ReadRecord[kernel.Control](s.pl.Backend, s.pl.Control, 0)
}

func (s *scene) setControl(c kernel.Control) error {
	return kernel.WriteRecord(s.pl.Backend, s.pl.Control, 0, c)
}

// roomFor grows whatever overflowed and clears the flag, so that the same step
// can run again. Growth is by half, or to what was asked for.
func (s *scene) roomFor(c *kernel.Control) error {
	if c.Overflow&kernel.OverflowPairs != 0 && c.NeedPairs == math.MaxUint32 {
		return fmt.Errorf("step %d: a view needs more than %d pairs of splat and tile; lower --max-splats or --max-size, or raise --downscale", c.Step, c.NeedPairs-1)
	}
	if c.Overflow&kernel.OverflowPairs != 0 {
		n := max(s.pl.Plan.Pairs*3/2, int(c.NeedPairs)+int(c.NeedPairs)/8)
		if err := s.growPairs(n); err != nil {
			return fmt.Errorf("out of memory at step %d: view needs %d pairs (%d bytes): %w; lower --max-splats or --max-size, or raise --downscale",
				c.Step, c.NeedPairs, int64(n)*(5*4+4*kernel.SlotRow), err)
		}
	}
	if c.Overflow&kernel.OverflowSplats != 0 {
		n := max(min(s.pl.Plan.Splats*3/2, s.cfg.Model.MaxSplats), int(c.NeedSplats))
		if err := s.pl.GrowSplats(n); err != nil {
			return fmt.Errorf("out of memory at step %d: %d splats wanted: %w; lower --max-splats", c.Step, c.NeedSplats, err)
		}
	}
	c.Overflow, c.PeakPairs = 0, 0
	return s.setControl(*c)
}

// growPairs makes room for n pairs, without saved states where there is none for them.
func (s *scene) growPairs(n int) error {
	plan := s.pl.Plan
	plan.Pairs = n
	saves := plan.Checkpoints && s.savesStates(plan, budgetOf(s.pl.Backend))
	s.pl.SaveStates(saves)
	err := s.pl.GrowPairs(n)
	if err != nil && saves && s.cfg.Backend.Variants.Backward == "auto" {
		s.pl.SaveStates(false)
		err = s.pl.GrowPairs(n)
	}
	return err
}

// tight reports whether a step has used four fifths of the pair buffers.
func (s *scene) tight(c kernel.Control) bool { return int(c.PeakPairs) > s.pl.Plan.Pairs/5*4 }

// roomAhead grows the pair buffers once a step has used four fifths of them, so
// that overflow stays rare.
func (s *scene) roomAhead(c kernel.Control) error {
	if !s.tight(c) {
		return nil
	}
	c.Overflow, c.NeedPairs = kernel.OverflowPairs, c.PeakPairs
	return s.roomFor(&c)
}

// loadViews decodes the pictures of views.
func loadViews(ctx context.Context, cfg config.Run, views []dataset.View, obs Observer) ([]*imageio.Image, error) {
	images, err := dataset.Load(ctx, views, dataset.LoadOptions{
		Alpha: cfg.Data.Alpha, Threads: cfg.Backend.Threads, OnProgress: obs.Loading,
	})
	if err != nil {
		return nil, err
	}
	return images, nil
}

// initialCloud makes the splats to start from, in the world frame: the file that
// the configuration names, the capture's points, or random ones in front of the
// cameras.
func initialCloud(cfg config.Run, capture *dataset.Capture, obs Observer) (*gaussian.Cloud, error) {
	o := gaussian.InitOptions{
		SHDegree: cfg.Model.SHDegree, Max: cfg.Model.MaxSplats,
		Opacity: cfg.Model.InitOpacity, Scale: cfg.Model.InitScale, Seed: uint64(cfg.Train.Seed),
	}
	switch {
	case cfg.Model.Init != "":
		return cloudFromFile(cfg, obs)
	case capture.Points.Len() > 0:
		cloud, dropped := gaussian.FromPoints(capture.Points.XYZ, capture.Points.RGB, o)
		line := fmt.Sprintf("starting from %d of the capture's points", cloud.Len())
		if dropped.OverMax > 0 {
			line += fmt.Sprintf("; %d more would exceed max_splats", dropped.OverMax)
		}
		if dropped.NonFinite > 0 {
			line += fmt.Sprintf("; %d have coordinates that are not finite", dropped.NonFinite)
		}
		obs.Note(line)
		return cloud, nil
	}
	n := min(cfg.Model.InitSplats, cfg.Model.MaxSplats)
	obs.Note(fmt.Sprintf("the capture has no points: starting from %d random splats in the cameras' common view", n))
	return gaussian.RandomInView(cones(capture.Train()), n, o), nil
}

func cones(views []dataset.View) []gaussian.ViewCone {
	out := make([]gaussian.ViewCone, len(views))
	for i, v := range views {
		out[i] = gaussian.ViewCone{Pose: v.Pose, Camera: v.Camera}
	}
	return out
}

func cloudFromFile(cfg config.Run, obs Observer) (*gaussian.Cloud, error) {
	cloud, report, err := splatio.Read(cfg.Model.Init)
	if err != nil {
		return nil, err
	}
	for _, w := range report.Warnings {
		obs.Note(cfg.Model.Init + ": " + w)
	}
	if cloud.Len() == 0 {
		return nil, fault.Dataf("%s: holds no splats, expected at least one to start from", cfg.Model.Init)
	}
	if cloud.Len() > cfg.Model.MaxSplats {
		return nil, fault.Usagef("%s has %d splats, more than max_splats %d; raise --max-splats", cfg.Model.Init, cloud.Len(), cfg.Model.MaxSplats)
	}
	obs.Note(fmt.Sprintf("starting from the %d splats of %s; optimiser and schedules start anew", cloud.Len(), cfg.Model.Init))
	cloud.SetDegree(cfg.Model.SHDegree)
	return cloud, nil
}

// humanBytes formats a size with a binary unit.
func humanBytes(n int64) string {
	units := strings.Fields("B KiB MiB GiB TiB")
	v, u := float64(n), 0
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	if u == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[u])
}
