// Package pipeline describes splatting as recordings: the forward pass, the loss,
// the backward pass and the update, and the building blocks (scan, sort) that
// refine strategies use. It owns the buffers and knows how they grow; what runs
// them is a kernel.Backend.
package pipeline

import "splat/internal/kernel"

// Plan is what buffers and recordings depend on. Everything else is data.
type Plan struct {
	SHDegree     int
	Splats       int  // capacity in splats
	Pairs        int  // capacity in (tile, splat) pairs
	Views        int  // number of cameras
	Pixels       int  // of the largest view
	Tiles        int  // of the largest view
	TargetPixels int  // of all targets together; 0 for rendering only
	Training     bool // with moments, loss and backward pass
	Window       int  // side of the SSIM window
	Checkpoints  bool // the backward pass starts from saved states, bucket by bucket
	RingSlots    int  // places of the target ring; 0: all targets are resident
	Sweep        bool // lists of a step are sorted by one-sweep
	AbsGrad      bool // densification compares absolute gradients
	Smooth       bool // tests only: smooth alpha cutoff
}

// savedReals is what a bucket's saved states take.
const savedReals = kernel.TileSize * kernel.TileSize * kernel.SavedRow

// CheckpointBytes is what the saved states of a plan take, or would take.
func (p Plan) CheckpointBytes() int64 {
	return 4 * savedReals * int64(kernel.BucketPlaces(p.Pairs, p.Tiles))
}

// RingSize is the number of steps whose statistics the device keeps.
const RingSize = 256

// Buffers is the device memory of a pipeline. Those marked persistent carry the
// state of a training; the rest is scratch of one recording.
type Buffers struct {
	Control, Schedule, Views, Step, Refine, Ring *kernel.Buffer
	Counts, Args                                 *kernel.Buffer
	Window                                       *kernel.Buffer

	// per splat
	Geom, GeomM, GeomV, SH, SHM, SHV, Stats *kernel.Buffer
	Proj, Tiles, Offsets, Ordered, Base     *kernel.Buffer
	Keys, IDs                               [2]*kernel.Buffer

	// per pair
	PairKeys, PairIDs [2]*kernel.Buffer
	Owners, Slots     *kernel.Buffer

	// of scans and sorts
	Sums, Histogram, Digits *kernel.Buffer
	Sweep                   *kernel.Buffer // of one-sweep sorts

	// per tile and pixel
	Ranges, Image, Last, Targets, Maps, Gradient, Partials *kernel.Buffer

	Resident                 *kernel.Buffer // 1 + step whose target each place of the ring holds
	Checkpoints, BucketTiles *kernel.Buffer // of buckets of pairs
}

// persistent makes a buffer that keeps its contents between submissions.
func persistent(name string, elem kernel.Elem, n int) *kernel.Buffer {
	return &kernel.Buffer{Name: name, Elem: elem, Len: max(n, 1), Persistent: true}
}

// scratch makes a buffer that holds nothing between submissions.
func scratch(name string, elem kernel.Elem, n int) *kernel.Buffer {
	return &kernel.Buffer{Name: name, Elem: elem, Len: max(n, 1)}
}

func newBuffers(p Plan) *Buffers {
	b := &Buffers{
		Control:  persistent("control", "Control", 1),
		Schedule: persistent("schedule", "Schedule", 1),
		Views:    persistent("views", "View", p.Views),
		Step:     scratch("step", "Step", 1),
		Counts:   scratch("counts", kernel.U32, kernel.NumCounts),
		Args:     scratch("args", kernel.U32, 3*kernel.NumWork),
		Ranges:   scratch("ranges", kernel.U32, 2*p.Tiles),
		Image:    persistent("image", kernel.Real, 4*p.Pixels), // read by the host
		Last:     scratch("last", kernel.U32, p.Pixels),
	}
	b.Resident = persistent("resident", kernel.U32, p.RingSlots)
	b.Control.Watched = true
	b.makeSplats(p)
	b.makePairs(p)
	if p.Training {
		b.Refine = scratch("refine", "Refine", 1)
		b.Ring = persistent("ring", "Stats", RingSize)
		b.Ring.Watched = true
		b.Window = persistent("window", kernel.Real, p.Window)
		b.Targets = persistent("targets", kernel.U32, p.TargetPixels)
		b.Maps = scratch("maps", kernel.Real, 9*p.Pixels)
		b.Gradient = scratch("gradient", kernel.Real, 3*p.Pixels)
		b.Partials = scratch("partials", kernel.Real, 2*p.Tiles)
	}
	return b
}

// makeSplats makes the buffers whose size follows from the splat capacity.
func (b *Buffers) makeSplats(p Plan) {
	n, sh := p.Splats, 3*kernel.Coefficients(p.SHDegree)
	b.Geom = persistent("geom", kernel.Real, n*kernel.GeomRow)
	b.SH = persistent("sh", kernel.Real, n*sh)
	b.Proj = scratch("proj", kernel.Real, n*kernel.ProjRow)
	for _, s := range []struct {
		to   **kernel.Buffer
		name string
	}{
		{&b.Tiles, "tiles"}, {&b.Offsets, "offsets"}, {&b.Ordered, "ordered"}, {&b.Base, "base"},
		{&b.Keys[0], "keys"}, {&b.Keys[1], "keys alternate"}, {&b.IDs[0], "ids"}, {&b.IDs[1], "ids alternate"},
	} {
		*s.to = scratch(s.name, kernel.U32, n)
	}
	if p.Training {
		b.GeomM = persistent("geom first moment", kernel.Real, n*kernel.GeomRow)
		b.GeomV = persistent("geom second moment", kernel.Real, n*kernel.GeomRow)
		b.SHM = persistent("sh first moment", kernel.Real, n*sh)
		b.SHV = persistent("sh second moment", kernel.Real, n*sh)
		b.Stats = persistent("stats", kernel.Real, n*kernel.StatRow)
	}
	b.makeSort(p)
}

// makePairs makes the buffers whose size follows from the pair capacity.
func (b *Buffers) makePairs(p Plan) {
	n := p.Pairs
	b.PairKeys = [2]*kernel.Buffer{scratch("pair keys", kernel.U32, n), scratch("pair keys alternate", kernel.U32, n)}
	b.PairIDs = [2]*kernel.Buffer{scratch("pairs", kernel.U32, n), scratch("pairs alternate", kernel.U32, n)}
	b.Owners = scratch("owners", kernel.U32, n)
	if p.Training {
		b.Slots = scratch("slots", kernel.Real, n*kernel.SlotRow)
	}
	b.Checkpoints, b.BucketTiles = nil, nil
	if p.Checkpoints {
		places := kernel.BucketPlaces(n, p.Tiles)
		b.Checkpoints = scratch("checkpoints", kernel.Real, places*savedReals)
		b.BucketTiles = scratch("bucket tiles", kernel.U32, places)
	}
	b.makeSort(p)
}

// makeSort makes the scratch of scans and sorts, for the longer of both lists.
func (b *Buffers) makeSort(p Plan) {
	digits := kernel.Radix * kernel.Blocks(max(p.Splats, p.Pairs), kernel.SortBlock)
	b.Sweep = nil
	if p.Sweep {
		b.Sweep = scratch("sweep", kernel.U32, max(kernel.SweepWords(p.Splats, sortPasses(depthBits)), kernel.SweepWords(p.Pairs, sortPasses(tileBits(p.Tiles)))))
	}
	b.Histogram = scratch("histogram", kernel.U32, digits)
	b.Digits = scratch("digits", kernel.U32, digits)
	b.Sums = scratch("sums", kernel.U32, max(kernel.Blocks(digits, kernel.ScanBlock), kernel.Blocks(p.Splats, kernel.ScanBlock)))
}

// slots lists where the buffers are kept; those that the plan does not need are
// nil.
func (b *Buffers) slots() []**kernel.Buffer {
	return []**kernel.Buffer{
		&b.Control, &b.Schedule, &b.Views, &b.Step, &b.Refine, &b.Ring, &b.Counts, &b.Args, &b.Window, &b.Resident,
		&b.Geom, &b.GeomM, &b.GeomV, &b.SH, &b.SHM, &b.SHV, &b.Stats,
		&b.Proj, &b.Tiles, &b.Offsets, &b.Ordered, &b.Base, &b.Keys[0], &b.Keys[1], &b.IDs[0], &b.IDs[1],
		&b.PairKeys[0], &b.PairKeys[1], &b.PairIDs[0], &b.PairIDs[1], &b.Owners, &b.Slots, &b.Checkpoints, &b.BucketTiles,
		&b.Sums, &b.Histogram, &b.Digits, &b.Sweep,
		&b.Ranges, &b.Image, &b.Last, &b.Targets, &b.Maps, &b.Gradient, &b.Partials,
	}
}

// All lists the buffers that exist.
func (b *Buffers) All() []*kernel.Buffer {
	var out []*kernel.Buffer
	for _, slot := range b.slots() {
		if *slot != nil {
			out = append(out, *slot)
		}
	}
	return out
}

// SortedPairs is the list that holds the pairs in tile order after a forward
// pass, SortedKeys their tiles.
func (pl *Pipeline) SortedPairs() *kernel.Buffer { return pl.PairIDs[pl.sorted()] }

// SortedKeys holds the tiles of SortedPairs.
func (pl *Pipeline) SortedKeys() *kernel.Buffer { return pl.PairKeys[pl.sorted()] }

func (pl *Pipeline) sorted() int { return sortPasses(tileBits(pl.Plan.Tiles)) % 2 }
