package kernel

// Sizes that host, CPU twin and shader must agree on.
const (
	TileSize  = 16   // pixels along a tile's side
	ScanBlock = 2048 // elements a workgroup scans
	SortBlock = 2048 // keys a workgroup sorts
	Radix     = 256  // digits of a sort pass
	GeomRow   = 12   // reals per splat in geom: mean 3, opacity logit, quaternion 4, log scale 3, unused
	ProjRow   = 12   // reals per splat in proj: see the Proj offsets
	SlotRow   = 12   // reals per pair in slots: see the Slot offsets
	Bucket    = 128  // consecutive pairs of a tile that the backward pass takes together
	SavedRow  = 4    // reals a pixel in checkpoints: transmittance, RGB
	StatRow   = 2    // reals per splat in stats: sum of screen gradients, number of views
)

// The buffer of a one-sweep sort: for each pass, how many keys have each digit; a ticket,
// which numbers the blocks of a pass in the order in which they start; then for each pass,
// block and digit what the block says of itself (see sweep_scatter.comp).
const (
	SweepPasses  = 4 // most passes of a sort
	SweepTickets = SweepPasses * Radix
	SweepStates  = SweepTickets + SweepPasses
)

// SweepWords is the length of the buffer for sorts of up to n keys by so many passes.
func SweepWords(n, passes int) int { return SweepStates + passes*Blocks(n, SortBlock)*Radix }

// SweepLooks is how often a block looks for what those before it say before it counts
// itself: some milliseconds, which pass only where a device does not run them.
const SweepLooks = 1 << 13

// AuditEvery is how often a step looks at all parameters and moments, in steps.
const AuditEvery = 64

// HugeGradient bounds the gradients that Adam takes: their squares are still
// numbers. Larger ones count as not finite.
const HugeGradient = 1e18

// Offsets inside a row of geom.
const (
	GeomMean    = 0
	GeomOpacity = 3
	GeomQuat    = 4
	GeomScale   = 8
)

// Offsets inside a row of proj, what a splat looks like from the step's view.
const (
	ProjX       = 0 // mean in pixels
	ProjY       = 1
	ProjConicA  = 2 // inverse covariance in 1/px^2: xx, xy, yy
	ProjConicB  = 3
	ProjConicC  = 4
	ProjOpacity = 5 // 0..1, after compensation
	ProjColor   = 6 // RGB, clamped at 0 from below
	ProjDepth   = 9
	ProjExtentY = 10 // half height in pixels of the region where alpha reaches 1/255
	ProjPower   = 11 // 2 ln(255 opacity), slightly widened: the squared Mahalanobis radius of that region
)

// Offsets inside a row of slots, the gradients of one splat in one tile.
const (
	SlotX       = 0
	SlotY       = 1
	SlotConicA  = 2
	SlotConicB  = 3
	SlotConicC  = 4
	SlotOpacity = 5
	SlotColor   = 6
	SlotAbsX    = 9 // sums of absolute values of the per-pixel gradients of x and y
	SlotAbsY    = 10
)

// The kernels, a line each: name, workgroup size, bindings, constants.
var (
	Begin       = define("begin", 1, "control:Control:rw schedule:Schedule:r views:View:r resident:u32:r step:Step:w counts:u32:w args:u32:w", "")
	BeginRender = define("begin_render", 1, "control:Control:r schedule:Schedule:r views:View:r step:Step:w counts:u32:w args:u32:w", "")
	Project     = define("project", 256, "step:Step:r counts:u32:r geom:real:r sh:real:r proj:real:w tiles:u32:w", "coefficients")
	SetVisible  = define("set_visible", 1, "step:Step:r counts:u32:rw args:u32:rw", "")
	Compact     = define("compact", 256, "counts:u32:r proj:real:r tiles:u32:r offsets:u32:r keys:u32:w ids:u32:w", "")
	GatherTiles = define("gather_tiles", 256, "counts:u32:r ids:u32:r tiles:u32:r ordered:u32:w", "")
	SetPairs    = define("set_pairs", 1, "control:Control:rw step:Step:rw counts:u32:rw args:u32:rw", "capacity")
	Emit        = define("emit", 256, "step:Step:r counts:u32:r ids:u32:r proj:real:r ordered:u32:r offsets:u32:r keys:u32:w pairs:u32:w owners:u32:w base:u32:w", "")
	Ranges      = define("ranges", 256, "counts:u32:r keys:u32:r ranges:u32:w", "")

	ScanReduce  = define("scan_reduce", 256, "counts:u32:r in:u32:r sums:u32:w", "count flags")
	ScanTop     = define("scan_top", 256, "counts:u32:rw sums:u32:rw", "count total")
	ScanApply   = define("scan_apply", 256, "counts:u32:r in:u32:r sums:u32:r out:u32:w", "count flags")
	SortCount   = define("sort_count", 256, "counts:u32:r keys:u32:r histogram:u32:w", "count shift")
	SortScatter = define("sort_scatter", 256, "counts:u32:r keys:u32:r values:u32:r offsets:u32:r keys_out:u32:w values_out:u32:w", "count shift")

	// The one-sweep sort: the digits of all passes are counted at once; a pass then learns
	// from the blocks before it, while these run, where its keys go. It looks so often for
	// what they say, and counts itself after that.
	SweepClear   = define("sweep_clear", 256, "counts:u32:r sweep:u32:w", "count passes")
	SweepCount   = define("sweep_count", 256, "counts:u32:r keys:u32:r sweep:u32:rw", "count passes")
	SweepScatter = define("sweep_scatter", 256, "counts:u32:r keys:u32:r values:u32:r sweep:u32:rw keys_out:u32:w values_out:u32:w", "count shift looks")

	Rasterize = define("rasterize", 256, "step:Step:r ranges:u32:r pairs:u32:r owners:u32:r proj:real:r image:real:w last:u32:w", "smooth")
	// RasterizeSaving is Rasterize that also keeps each pixel's state in front of every
	// bucket, for RasterizeBackwardBuckets.
	RasterizeSaving   = define("rasterize_saving", 256, "step:Step:r ranges:u32:r pairs:u32:r owners:u32:r proj:real:r image:real:w last:u32:w checkpoints:real:w bucket_tiles:u32:w", "smooth")
	Loss              = define("loss", 256, "step:Step:r image:real:r targets:u32:r window:real:r maps:real:w partials:real:w", "window")
	LossGradient      = define("loss_gradient", 256, "step:Step:r image:real:r targets:u32:r window:real:r maps:real:r gradient:real:w", "window")
	RasterizeBackward = define("rasterize_backward", 128, "step:Step:r counts:u32:r ranges:u32:r pairs:u32:r owners:u32:r proj:real:r image:real:r last:u32:r gradient:real:r slots:real:w", "smooth absgrad")
	// RasterizeBackwardBuckets is RasterizeBackward over buckets instead of tiles, from
	// the states that RasterizeSaving kept.
	RasterizeBackwardBuckets = define("rasterize_backward_buckets", 128, "step:Step:r counts:u32:r ranges:u32:r pairs:u32:r owners:u32:r proj:real:r image:real:r last:u32:r gradient:real:r checkpoints:real:r bucket_tiles:u32:r slots:real:w", "smooth absgrad")
	Update                   = define("update", 256, "step:Step:r counts:u32:rw geom:real:rw sh:real:rw geom_m:real:rw geom_v:real:rw sh_m:real:rw sh_v:real:rw tiles:u32:r base:u32:r slots:real:r stats:real:rw", "coefficients absgrad")
	Commit                   = define("commit", 256, "control:Control:rw step:Step:r counts:u32:r partials:real:r ring:Stats:rw", "ring")

	RefineBegin = define("refine_begin", 1, "control:Control:r schedule:Schedule:r refine:Refine:w counts:u32:w args:u32:w", "")
	ListFlags   = define("list_flags", 256, "counts:u32:r flags:u32:r offsets:u32:r list:u32:w", "")
	McmcWeights = define("mcmc_weights", 256, "schedule:Schedule:r counts:u32:r geom:real:r weights:u32:w dead:u32:w drawn:u32:w", "")
	McmcPlan    = define("mcmc_plan", 1, "control:Control:rw schedule:Schedule:r refine:Refine:rw counts:u32:rw args:u32:rw", "round capacity")
	McmcSample  = define("mcmc_sample", 256, "refine:Refine:r counts:u32:r offsets:u32:r picks:u32:w drawn:u32:rw", "round")
	McmcShare   = define("mcmc_share", 256, "schedule:Schedule:r counts:u32:r drawn:u32:r geom:real:rw geom_m:real:rw geom_v:real:rw sh_m:real:rw sh_v:real:rw", "coefficients")
	McmcCopy    = define("mcmc_copy", 256, "refine:Refine:r counts:u32:r picks:u32:r holes:u32:r geom:real:rw sh:real:rw geom_m:real:rw geom_v:real:rw sh_m:real:rw sh_v:real:rw", "round coefficients")
	AdcMark     = define("adc_mark", 256, "schedule:Schedule:r refine:Refine:r counts:u32:r geom:real:r stats:real:r dead:u32:w add:u32:w keys:u32:w ids:u32:w", "")
	AdcLimit    = define("adc_limit", 1, "schedule:Schedule:r refine:Refine:rw counts:u32:rw args:u32:rw", "")
	AdcTrim     = define("adc_trim", 256, "refine:Refine:r counts:u32:r ids:u32:r add:u32:rw", "")
	AdcPlan     = define("adc_plan", 1, "control:Control:rw refine:Refine:rw counts:u32:rw args:u32:rw", "capacity")
	AdcApply    = define("adc_apply", 256, "schedule:Schedule:r refine:Refine:r counts:u32:r add:u32:r offsets:u32:r holes:u32:r geom:real:rw sh:real:rw geom_m:real:rw geom_v:real:rw sh_m:real:rw sh_v:real:rw", "coefficients")
	AdcMove     = define("adc_move", 256, "refine:Refine:r counts:u32:r dead:u32:r offsets:u32:r holes:u32:r geom:real:rw sh:real:rw geom_m:real:rw geom_v:real:rw sh_m:real:rw sh_v:real:rw", "coefficients")
	FadeOpacity = define("fade_opacity", 256, "schedule:Schedule:r refine:Refine:r counts:u32:r geom:real:rw geom_m:real:rw geom_v:real:rw stats:real:w", "")
	RefineEnd   = define("refine_end", 1, "control:Control:rw refine:Refine:r", "")
)

// Coefficients returns the number of SH coefficients a channel, (degree+1)^2.
func Coefficients(degree int) int { return (degree + 1) * (degree + 1) }
