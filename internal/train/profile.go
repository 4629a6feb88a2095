package train

import (
	"fmt"

	"splat/internal/kernel"
	"splat/internal/prof"
)

// countedViews is the number of training views whose splat-pixels are counted.
const countedViews = 3

// measured adds what the backend has measured since the last time to the table.
func (s *session) measured() {
	if !s.cfg.Backend.Profile {
		return
	}
	s.pl.Backend.Timelines(s.profile.Add)
	if be, ok := s.pl.Backend.(kernel.Sampled); ok {
		s.profile.Sampling(be.Sampling())
	}
}

// beginProfile makes the table ready. Steps before from do not count.
func (s *session) beginProfile(from int) {
	s.profile = prof.NewTable()
	s.profile.Skip(from)
	watched := int64(0)
	for _, b := range s.pl.All() {
		if b.Watched {
			watched += b.Bytes()
		}
	}
	s.profile.ReadBack(watched)
}

// saw tells the table how much a step had to do.
func (s *session) saw(stats kernel.Stats) {
	if !s.cfg.Backend.Profile || int(stats.View) >= len(s.records) {
		return
	}
	v := s.records[stats.View]
	tile := func(n uint32) float64 { return float64(kernel.Blocks(int(n), kernel.TileSize)) }
	s.profile.Saw(int(stats.Step), prof.Counts{
		Splats: float64(stats.Splats), Visible: float64(stats.Visible), Pairs: float64(stats.Pairs),
		Pixels: float64(v.Width) * float64(v.Height), Tiles: tile(v.Width) * tile(v.Height),
	})
}

// endProfile counts splat-pixels and hands the table over.
func (s *session) endProfile(r *Result, failed bool) {
	if !s.cfg.Backend.Profile {
		return
	}
	s.measured()
	if !failed {
		if err := s.countPixels(); err != nil {
			s.obs.Note(fmt.Sprintf("warning: splat-pixels were not counted: %v", err))
		}
	}
	r.Table, r.Profile, r.Timings = s.profile, s.profile.Format(), s.profile.Rows()
}

// countPixels counts on some views, as the splats are now.
func (s *session) countPixels() error {
	var sum prof.Pixels
	views := spread(s.trains, countedViews)
	for _, i := range views {
		if _, _, err := s.render(i); err != nil {
			return err
		}
		p, err := prof.CountPixels(s.pl.Backend, s.pl.RenderProgram.Recording())
		if err != nil {
			return err
		}
		sum.Evaluated += p.Evaluated / float64(len(views))
		sum.Blended += p.Blended / float64(len(views))
	}
	s.profile.Counted(sum, len(views))
	return nil
}
