// Package config holds Run, the one struct behind the defaults, the TOML keys,
// the command-line flags, their help and the generated reference.
//
// A field's tags say everything the rest needs: `toml` names the key, `help`
// explains it in one sentence (unit included), `flag` names the command-line
// flag where there is one and `arg` its placeholder in the help, `range` bounds
// numbers ("0..1", "1..", open ends allowed) and `oneof` lists the accepted words.
// A struct inside a section, after its keys, is a section of its own.
//
// Every source of values (a TOML file, a preset, --set, a flag) becomes a list
// of Settings, each with the place it came from, so that all of them pass the
// same checks and every error can name its place. Resolve applies them.
package config

import "time"

// Run is the complete configuration of a training run. Default returns the
// values in force where nobody said otherwise.
type Run struct {
	Parent   string   `toml:"parent,omitempty" help:"another TOML file, beside this one, whose values hold where this file is silent"`
	Data     Data     `toml:"data"`
	Model    Model    `toml:"model"`
	Train    Train    `toml:"train"`
	Loss     Loss     `toml:"loss"`
	Optim    Optim    `toml:"optim"`
	Strategy Strategy `toml:"strategy"`
	Eval     Eval     `toml:"eval"`
	Backend  Backend  `toml:"backend"`
	Output   Output   `toml:"output"`
}

// Data selects the capture and how its pictures are read.
type Data struct {
	Path      string `toml:"path" arg:"PATH" help:"the capture: a folder, a zip file, the camera file inside one, or the http(s) address of a zip file"`
	Downscale int    `toml:"downscale" flag:"downscale" arg:"K" range:"1..64" help:"divide the pictures' size by K: images_K where it exists, else reduced in memory"`
	MaxSize   int    `toml:"max_size" flag:"max-size" range:"16..65536" help:"limit of the longest side in pixels; larger pictures are reduced"`
	Images    string `toml:"images" flag:"images" arg:"DIR" help:"folder of the pictures inside the capture, by name"`
	Sparse    string `toml:"sparse" flag:"sparse" arg:"DIR" help:"folder of the COLMAP model inside the capture, by name"`
	Masks     string `toml:"masks" flag:"masks" arg:"DIR" help:"folder of the masks inside the capture, by name: pictures of the pictures' names whose dark pixels are ignored"`
	Invert    bool   `toml:"invert_masks" flag:"invert-masks" help:"the masks' bright pixels are ignored, not the dark ones"`
	Undistort bool   `toml:"undistort" flag:"undistort" help:"undo the lens distortion of the pictures, which then are those of pinhole cameras"`
	TestEvery int    `toml:"test_every" flag:"test-every" arg:"K" range:"0..1000000" help:"every K-th view by name is for testing where the capture has no split of its own; 0 none"`
	Alpha     string `toml:"alpha" flag:"alpha" oneof:"auto,transparent,mask" help:"what an alpha channel means: transparent (composited on the background) or mask (pixels to ignore); auto is mask where there are masks, else transparent"`
}

// Model shapes the cloud of splats.
type Model struct {
	SHDegree    int     `toml:"sh_degree" flag:"sh-degree" range:"0..3" help:"degree of the spherical harmonics of the colour"`
	MaxSplats   int     `toml:"max_splats" flag:"max-splats" range:"1..50000000" help:"upper limit of the number of splats; memory for it is set aside at the start"`
	Init        string  `toml:"init" flag:"init" arg:"FILE" help:"splat file (PLY), or run folder, to start from, instead of the capture's points"`
	InitSplats  int     `toml:"init_splats" range:"1..50000000" help:"number of random splats where the capture has no points (never above max_splats)"`
	InitOpacity float64 `toml:"init_opacity" range:"0.001..0.999" help:"opacity of a new splat, 0..1"`
	InitScale   float64 `toml:"init_scale" range:"0.001..100" help:"size of a new splat in units of the mean distance to its three nearest neighbours"`
	Antialiased bool    `toml:"antialiased" flag:"antialiased" help:"add 0.1 px^2 with opacity compensation instead of 0.3 px^2"`
	Near        float64 `toml:"near" range:"1e-6..1e6" help:"near plane in world units"`
}

// Train is the length of the run and what drives it.
type Train struct {
	Steps           int           `toml:"steps" flag:"steps" range:"1..10000000" help:"number of steps; shapes the schedules"`
	StopStep        int           `toml:"stop_step" flag:"stop-step" range:"0..10000000" help:"end after this step, schedules unchanged; 0 is off"`
	TimeLimit       time.Duration `toml:"time_limit" flag:"time-limit" arg:"90s" help:"end after this much training time, such as 90s or 5m; 0s is off"`
	Seed            int           `toml:"seed" flag:"seed" range:"0..4294967295" help:"one number that drives view order, background, noise and sampling"`
	Background      string        `toml:"background" flag:"background" arg:"COLOUR" help:"black, white, random or R,G,B with each 0..1; behind transparent pictures and behind the splats"`
	SHInterval      int           `toml:"sh_interval" range:"0..10000000" help:"raise the SH degree every so many steps; 0 is steps/30; degrees that are not reached by the last step stay 0"`
	PlateauSteps    int           `toml:"plateau_steps" range:"0..10000000" help:"stop when the smoothed loss has not improved for this many steps; 0 is off"`
	PlateauFraction float64       `toml:"plateau_fraction" range:"0..1" help:"relative improvement of the smoothed loss that counts as progress"`
	LogEvery        int           `toml:"log_every" flag:"log-every" range:"1..10000000" help:"write a line to metrics.jsonl every so many steps"`
	SaveEvery       int           `toml:"save_every" flag:"save-every" range:"-1..10000000" help:"store a checkpoint every so many steps; -1 about every 5 minutes, 0 only when the run ends early"`
}

// Loss weighs the terms of the objective.
type Loss struct {
	SSIMLambda float64 `toml:"ssim_lambda" range:"0..1" help:"weight of 1-SSIM; the L1 term weighs the rest"`
	SSIMWindow int     `toml:"ssim_window" range:"3..33" help:"side of the SSIM window in pixels, odd"`
	OpacityReg float64 `toml:"opacity_reg" range:"0..10" help:"weight of the mean opacity"`
	ScaleReg   float64 `toml:"scale_reg" range:"0..10" help:"weight of the mean scale, in units of the capture's extent"`
}

// Optim is Adam's configuration, a learning rate a parameter group. With an Eps of 0
// a parameter without any gradient would get 0/0; below about 1e-18 one whose squared
// gradient underflows would make a step without bound.
type Optim struct {
	LRMeans     float64 `toml:"lr_means" range:"0..1" help:"learning rate of the means at the start, in units of the capture's extent"`
	LRMeansEnd  float64 `toml:"lr_means_end" range:"0..1" help:"learning rate of the means at the end; exponential in between, down or up"`
	LRScales    float64 `toml:"lr_scales" range:"0..1" help:"learning rate of the log scales"`
	LRQuats     float64 `toml:"lr_quats" range:"0..1" help:"learning rate of the quaternions"`
	LROpacities float64 `toml:"lr_opacities" range:"0..1" help:"learning rate of the opacity logits"`
	LRSH0       float64 `toml:"lr_sh0" range:"0..1" help:"learning rate of the constant SH coefficient"`
	LRSHRest    float64 `toml:"lr_sh_rest" range:"0..1" help:"learning rate of the other SH coefficients"`
	Beta1       float64 `toml:"beta1" range:"0..0.999999" help:"decay of Adam's first moment"`
	Beta2       float64 `toml:"beta2" range:"0..0.999999" help:"decay of Adam's second moment"`
	Eps         float64 `toml:"eps" range:"1e-18..1" help:"Adam's epsilon"`
}

// Strategy decides where splats are added and removed. Start, stop and reset
// positions are fractions of steps, so that they follow --steps.
type Strategy struct {
	Name           string  `toml:"name" flag:"strategy" oneof:"mcmc,adc" help:"mcmc (fixed budget, relocation, noise) or adc (clone, split, prune, reset)"`
	RefineEvery    int     `toml:"refine_every" range:"1..10000000" help:"refine every so many steps"`
	RefineStart    float64 `toml:"refine_start" range:"0..1" help:"first refine, as a fraction of steps, at most refine_stop"`
	RefineStop     float64 `toml:"refine_stop" range:"0..1" help:"last refine, as a fraction of steps; 0 is no refining"`
	PruneOpacity   float64 `toml:"prune_opacity" range:"0..1" help:"splats of at most this opacity are pruned (adc) or relocated (mcmc)"`
	OpacityDecay   float64 `toml:"opacity_decay" range:"0..1" help:"opacity taken from every splat at each refine, fading to 0 at the last step"`
	DecayFactor    float64 `toml:"decay_factor" range:"0..1" help:"factor on every splat's opacity at each refine; 1 is off"`
	GrowthFactor   float64 `toml:"growth_factor" range:"1..10" help:"mcmc: the count may grow by this factor at each refine, up to max_splats"`
	NoiseLR        float64 `toml:"noise_lr" range:"0..1e9" help:"mcmc: strength of the noise on the means, in units of their learning rate"`
	GrowGrad       float64 `toml:"grow_grad" range:"0..1000" help:"adc: mean screen gradient above which a splat is cloned or split"`
	AbsGrad        bool    `toml:"absgrad" help:"adc: compare the sum of absolute pixel gradients instead of the absolute sum"`
	GrowScale      float64 `toml:"grow_scale" range:"0..1000" help:"adc: splats larger than this, in units of the capture's extent, are split and the others cloned"`
	PruneScale     float64 `toml:"prune_scale" range:"0..1000" help:"adc: after the first reset, splats larger than this, in units of the capture's extent, are pruned; 0 is off"`
	ResetEvery     float64 `toml:"reset_every" range:"0..1" help:"adc: reset the opacities this often, as a fraction of steps, but at least ten refines apart; 0 is off"`
	ResetOpacity   float64 `toml:"reset_opacity" range:"1e-6..1" help:"adc: upper limit of the opacity after a reset; at or below prune_opacity, what does not recover until the next refine is pruned"`
	RevisedOpacity bool    `toml:"revised_opacity" help:"adc: children of a split or clone get 1-sqrt(1-opacity)"`
}

// Eval decides when quality is measured.
type Eval struct {
	Every     int  `toml:"every" flag:"eval-every" range:"0..10000000" help:"evaluate every so many steps; 0 only at the end"`
	LimitTest int  `toml:"limit_test" flag:"limit-test" range:"0..1000000" help:"evaluate on at most N test views, spread evenly; 0 all"`
	Skip      bool `toml:"skip" flag:"no-eval" help:"no evaluation, not even at the end, whatever every says"`
}

// Backend chooses where the pipeline runs.
type Backend struct {
	Device  string `toml:"device" flag:"device" arg:"NAME" help:"auto, cpu, vulkan or vulkan:N; one that is named must be there"`
	Threads int    `toml:"threads" flag:"threads" range:"0..1024" help:"CPU threads; 0 is all; the result does not depend on it"`
	Profile bool   `toml:"profile" help:"time each kernel and print a summary at the end and at every log interval"`

	InFlight    int    `toml:"in_flight" range:"1..16" help:"submissions that a GPU has at a time; the result does not depend on it"`
	Sync        string `toml:"sync" oneof:"step,kernel" help:"when the host waits for a GPU: never inside a step, or after every kernel, to measure what waiting costs"`
	Record      string `toml:"record" oneof:"once,step" help:"when a step is recorded for a GPU: once for all of its size, or anew for each step, to measure what recording costs"`
	Targets     string `toml:"targets" oneof:"resident,upload" help:"where training pictures are during a step: all in the device's memory, or uploaded in time for it"`
	ImageBudget Size   `toml:"image_budget" help:"device memory that training pictures may take, such as 512MB or 1.5GiB; beyond it they are uploaded as steps need them; 0 is automatic"`

	Host    []string `toml:"host" help:"kernels that a GPU leaves to their twins on the host: kernels, stages, or STAGE.KERNEL with parts of names, such as sort.scan"`
	Check   []string `toml:"check" flag:"check" arg:"KERNEL" help:"run these kernels on the host too, from the same inputs, and stop at the first difference: kernels, stages, STAGE.KERNEL such as sort.scan, or all, separated by commas"`
	GPUFrom string   `toml:"gpu_from" flag:"gpu-from" arg:"KERNEL" help:"run what comes before this kernel on the host and the rest on the GPU, to find the kernel that goes wrong"`

	Variants Variants `toml:"variants"`

	// Slow is for tests of measurements and is no key: "KERNEL" or "KERNEL*TIMES" runs a
	// kernel so many times (twice), where that does not change what it writes.
	Slow string `toml:"-"`
}

// Variants chooses among shaders that do the same. All but the precision ones give
// the same bytes.
type Variants struct {
	Sort     string `toml:"sort" oneof:"auto,scan,onesweep" help:"how lists are sorted: count and scan before each pass, or one-sweep, in which blocks tell each other their counts while they run; auto is one-sweep on a discrete GPU"`
	Emit     string `toml:"emit" oneof:"plain,subgroup" help:"who lists the tiles of a splat: one invocation, or for large ones a subgroup together"`
	Raster   string `toml:"raster" oneof:"f32,f16" help:"precision that splats are blended with"`
	Backward string `toml:"backward" oneof:"auto,checkpoints,recompute" help:"where the backward pass starts: from states saved while blending, which takes memory, or from the start of each tile; auto saves where there is room"`
}

// Output is where results go.
type Output struct {
	Dir       string `toml:"dir" flag:"out" arg:"RUN" help:"run folder; default runs/<date>-<capture>"`
	Overwrite bool   `toml:"overwrite" flag:"overwrite" help:"replace a run that is already in the folder"`
}
