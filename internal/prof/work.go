package prof

import "splat/internal/kernel"

// Counts is how much there was to do in one step, or on average.
type Counts struct {
	Splats  float64 `json:"splats"`
	Visible float64 `json:"visible"`
	Pairs   float64 `json:"pairs"`
	Pixels  float64 `json:"pixels"`
	Tiles   float64 `json:"tiles"`
}

// Work is the work of an average step.
type Work struct {
	Counts
	Steps        int     `json:"steps"` // that were counted
	Evaluated    float64 `json:"evaluated_splat_pixels"`
	Blended      float64 `json:"blended_splat_pixels"`
	CountedViews int     `json:"counted_views"` // that the splat-pixels were counted on
	Dispatches   int     `json:"dispatches"`
	Barriers     int     `json:"barriers"`
	Submissions  float64 `json:"submissions"`     // of steps, by step
	ReadBack     float64 `json:"bytes_read_back"` // that the device copies for the host
}

// Saw notes a step and how much it had to do. Steps that Skip named do not count.
func (t *Table) Saw(step int, c Counts) {
	if step < t.from {
		return
	}
	w := &t.work
	w.Steps++
	f := 1 / float64(w.Steps)
	w.Splats += (c.Splats - w.Splats) * f
	w.Visible += (c.Visible - w.Visible) * f
	w.Pairs += (c.Pairs - w.Pairs) * f
	w.Pixels += (c.Pixels - w.Pixels) * f
	w.Tiles += (c.Tiles - w.Tiles) * f
}

// Submitted notes a submission of so many steps, from the given one on.
func (t *Table) Submitted(from, steps int) {
	if from+steps > t.from {
		t.work.Submissions++
		t.submitted += steps
	}
}

// ReadBack notes what is copied for the host after each submission, in bytes.
func (t *Table) ReadBack(bytes int64) { t.watched = bytes }

// Counted notes splat-pixels of so many views, an average view.
func (t *Table) Counted(p Pixels, views int) {
	t.work.Evaluated, t.work.Blended, t.work.CountedViews = p.Evaluated, p.Blended, views
}

// Work returns the work of an average step.
func (t *Table) Work() Work {
	w := t.work
	if t.submitted > 0 {
		w.Submissions /= float64(t.submitted)
	}
	w.ReadBack = w.Submissions * float64(t.watched)
	if t.rec != nil {
		w.Dispatches = len(t.rec.Dispatches)
		for _, b := range t.waits[t.rec] {
			if b {
				w.Barriers++
			}
		}
		if t.how.Every > 1 {
			w.ReadBack += float64(16*w.Dispatches) / float64(t.how.Every)
		}
	}
	return w
}

// Peaks is what the device does at best, measured; 0 where it was not.
type Peaks struct {
	Bytes float64 `json:"bytes_per_second"`      // copying: what is read and what is written both count
	Ops   float64 `json:"operations_per_second"` // multiplications and additions of float32
}

// Peaks notes them.
func (t *Table) Peaks(p Peaks) { t.peaks = p }

// Compiled notes what the driver tells of the kernels.
func (t *Table) Compiled(list []kernel.Compiled) { t.facts = list }
