package train

import (
	"fmt"
	"math"

	"splat/internal/backend"
	"splat/internal/config"
	"splat/internal/dataset"
	"splat/internal/fault"
	"splat/internal/kernel/null"
	"splat/internal/pipeline"
	"splat/internal/train/strategy"
)

//go:generate env UPDATE_SNAPSHOTS=1 go test -run TestMemoryTablesAreCurrent .

// MemoryPart is memory for things of one kind.
type MemoryPart struct {
	Count int64   `json:"count"`
	Each  float64 `json:"bytes_each"`
	Bytes int64   `json:"bytes"`
}

func part(count, bytes int64) MemoryPart {
	return MemoryPart{count, float64(bytes) / float64(max(count, 1)), bytes}
}

// MemoryPlan is the memory that a training needs when it starts. Only the pairs
// grow later, to what the fullest view needs.
type MemoryPlan struct {
	StartSplats  int        `json:"start_splats"`  // splats to start from, which the pairs are guessed from
	Pictures     int        `json:"pictures"`      // decoded
	Splats       MemoryPart `json:"splats"`        // the limit of their number, model.max_splats
	Pairs        MemoryPart `json:"pairs"`         // of splat and tile, in one view
	SortKeys     MemoryPart `json:"sort_keys"`     // the splats or the pairs, whichever are more
	ViewPixels   MemoryPart `json:"view_pixels"`   // of the largest view
	ViewTiles    MemoryPart `json:"view_tiles"`    // of the largest view
	TargetPixels MemoryPart `json:"target_pixels"` // of all pictures to train on, or of the places that they pass through
	TestPixels   MemoryPart `json:"test_pixels"`   // of all pictures to measure on, kept by the host; none where the targets are uploaded step by step
	HostPixels   MemoryPart `json:"host_pixels"`   // of decoded pictures to train on, kept by the host where they are uploaded step by step
	Other        int64      `json:"other_bytes"`   // cameras, statistics, counters
	Total        int64      `json:"total_bytes"`
	Loading      int64      `json:"loading_bytes"` // above the total for a moment at the start: the decoded pictures to train on
}

// Memory plans a training of the capture without decoding a picture. It refuses
// what the training would refuse before it starts.
func Memory(cfg config.Run, capture *dataset.Capture) (MemoryPlan, error) {
	s := &session{obs: silence{}, capture: capture, hostBytes: hostBytes()}
	s.cfg = cfg
	s.views = append(s.views, capture.Train()...)
	s.trains = len(s.views)
	if s.trains == 0 {
		return MemoryPlan{}, noTrainingViews(capture)
	}
	s.chooseTest()
	strat, err := strategy.ByName(cfg.Strategy.Name)
	if err != nil {
		return MemoryPlan{}, err
	}
	splats, err := startSplats(cfg, capture)
	if err != nil {
		return MemoryPlan{}, err
	}
	plan, err := s.plan(splats, freeOf(cfg.Backend))
	if err != nil {
		return MemoryPlan{}, err
	}
	return s.memory(plan, strat.Refiner, splats)
}

func noTrainingViews(capture *dataset.Capture) error {
	return fault.Dataf("%s: no views to train on: all %d are for testing", capture.Path, len(capture.Views))
}

// startSplats is the number of splats that initialCloud would make.
func startSplats(cfg config.Run, capture *dataset.Capture) (int, error) {
	n := min(cfg.Model.InitSplats, cfg.Model.MaxSplats)
	switch {
	case cfg.Model.Init != "":
		cloud, err := cloudFromFile(cfg, silence{})
		if err != nil {
			return 0, err
		}
		n = cloud.Len()
	case capture.Points.Len() > 0:
		n = min(finitePoints(capture.Points.XYZ), cfg.Model.MaxSplats)
	}
	if n == 0 {
		return 0, fault.Dataf("%s: no splats to start from", capture.Path)
	}
	return n, nil
}

// finitePoints counts the points that can become splats.
func finitePoints(xyz []float32) (n int) {
	for ; len(xyz) >= 3; xyz = xyz[3:] {
		if sum := float64(xyz[0]) + float64(xyz[1]) + float64(xyz[2]); !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			n++
		}
	}
	return n
}

// plan sizes the buffers for a training that starts from so many splats, on a device
// with so much free memory, in bytes, 0 where that is unknown.
func (s *session) plan(splats int, free int64) (pipeline.Plan, error) {
	plan := planFor(s.views, s.cfg.Model.SHDegree, s.cfg.Model.MaxSplats)
	plan.Pairs = initialPairs(splats)
	plan.Training, plan.Window, plan.AbsGrad = true, s.cfg.Loss.SSIMWindow, s.cfg.Strategy.AbsGrad
	if err := s.planTargets(&plan, free); err != nil {
		return plan, err
	}
	plan.Checkpoints, plan.Sweep = s.savesStates(plan, free), backend.Sweeps(s.cfg.Backend)
	return plan, nil
}

// statesShare is the fraction of a device's free memory that saved states may take.
const statesShare = 4

// savesStates reports whether the backward pass of a plan starts from saved states: on
// a GPU, where there is room for them. The CPU walks back from the end. Both ways give
// a GPU the same bytes.
func (s *scene) savesStates(plan pipeline.Plan, free int64) bool {
	choice, err := backend.Choose(s.cfg.Backend)
	return err == nil && savesOn(choice.Kind, s.cfg.Backend.Variants.Backward, plan.CheckpointBytes(), free)
}

// savesOn is the rule, for states of so many bytes on a device with so many free, 0
// where that is unknown.
func savesOn(kind, variant string, bytes, free int64) bool {
	if kind != "vulkan" || variant == "recompute" {
		return false
	}
	return variant == "checkpoints" || free <= 0 || bytes <= free/statesShare
}

// pixels is the size of a view's picture, which is decoded at the size of the
// camera.
func pixels(v dataset.View) int { return v.Camera.Width * v.Camera.Height }

// memory plans the session's buffers on the null backend.
func (s *session) memory(plan pipeline.Plan, refiner pipeline.Refiner, splats int) (MemoryPlan, error) {
	be := null.New()
	pl, err := pipeline.New(be, plan, refiner)
	if err != nil {
		return MemoryPlan{}, err
	}
	test, host := s.hostPixels(plan)
	sizes := pl.Sizes()
	of := func(count int, per pipeline.Count) MemoryPart { return part(int64(count), pipeline.Bytes(sizes, per)) }
	return MemoryPlan{
		StartSplats: splats, Pictures: len(s.views),
		Splats: of(plan.Splats, pipeline.PerSplat), Pairs: of(plan.Pairs, pipeline.PerPair),
		SortKeys:   of(max(plan.Splats, plan.Pairs), pipeline.PerSortKey),
		ViewPixels: of(plan.Pixels, pipeline.PerPixel), ViewTiles: of(plan.Tiles, pipeline.PerTile),
		TargetPixels: of(plan.TargetPixels, pipeline.PerTargetPixel),
		TestPixels:   part(test, pixelBytes*test), HostPixels: part(host, pixelBytes*host),
		Other:   pipeline.Bytes(sizes, pipeline.PerView, ""),
		Total:   be.Bytes() + pixelBytes*(test+host),
		Loading: loading(plan),
	}, nil
}

// loading is what the decoded pictures to train on take until they are uploaded.
func loading(plan pipeline.Plan) int64 {
	if plan.RingSlots > 0 {
		return 0
	}
	return pixelBytes * int64(plan.TargetPixels)
}

// estimate plans the session and says what it will need.
func (s *session) estimate(plan pipeline.Plan, refiner pipeline.Refiner, splats int) error {
	m, err := s.memory(plan, refiner, splats)
	if err == nil {
		s.obs.Note(m.String())
	}
	return err
}

// String says in a line what a training will need.
func (m MemoryPlan) String() string {
	return fmt.Sprintf("estimated memory: %s (%d splats %s, %d pairs %s, %d pictures %s, %s for a view), growing with the pairs of a view",
		humanBytes(m.Total), m.Splats.Count, humanBytes(m.Splats.Bytes), m.Pairs.Count, humanBytes(m.Pairs.Bytes+m.SortKeys.Bytes),
		m.Pictures, humanBytes(m.TargetPixels.Bytes+m.TestPixels.Bytes+m.HostPixels.Bytes), humanBytes(m.ViewPixels.Bytes+m.ViewTiles.Bytes))
}

// silence is an Observer that nobody listens to.
type silence struct{}

func (silence) Note(string)          {}
func (silence) Loading(int, int)     {}
func (silence) Progress(Progress)    {}
func (silence) Metrics(Metrics)      {}
func (silence) Evaluated(Evaluation) {}
