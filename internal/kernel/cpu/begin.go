package cpu

import (
	"splat/internal/kernel"
)

var (
	_ = register(kernel.Begin, begin, begin)
	_ = register(kernel.BeginRender, beginRender, beginRender)
)

// begin decides whether the step runs and, if so, with which view, rates and
// seeds. Its arithmetic is float32 at either precision of the rest.
func begin(g *Group) {
	control := record[kernel.Control](g, "control")
	schedule := record[kernel.Schedule](g, "schedule")
	views := records[kernel.View](g, "views")
	step := record[kernel.Step](g, "step")
	index := control.Step
	view := kernel.ViewAt(schedule.Seed, index, schedule.Views)
	*step = kernel.Step{Index: index, View: view, Seed: kernel.Hash(schedule.Seed, index, 0)}
	step.Noop = noop(control, schedule, &views[view], words(g, "resident"))
	step.SHDegree = schedule.SHDegree
	if schedule.SHInterval > 0 {
		step.SHDegree = min(schedule.SHDegree, index/schedule.SHInterval)
	}
	if index%kernel.AuditEvery == kernel.AuditEvery-1 {
		step.Audit = 1
	}
	setView(step, schedule, &views[view])
	if schedule.RingSlots > 0 {
		step.Pixels = index % schedule.RingSlots * schedule.RingPixels
	}
	setBackground(step, schedule)
	setRates(step, schedule, control.Splats)
	startCounts(g, step, control.Splats)
}

// noop returns why a step must not run, or NoopNone.
func noop(c *kernel.Control, s *kernel.Schedule, v *kernel.View, resident []uint32) uint32 {
	switch {
	case c.NonFinite != 0:
		return kernel.NoopBroken
	case c.Overflow != 0:
		return kernel.NoopOverflow
	case c.Step >= c.Limit:
		return kernel.NoopLimit
	case refineDue(c, s):
		return kernel.NoopRefine
	case v.Resident == 0 || s.RingSlots > 0 && resident[c.Step%s.RingSlots] != c.Step+1:
		return kernel.NoopResident
	}
	return kernel.NoopNone
}

// refineDue reports whether a refine must run before the next step.
func refineDue(c *kernel.Control, s *kernel.Schedule) bool {
	return s.RefineEvery > 0 && c.Step >= s.RefineStart && c.Step <= s.RefineStop &&
		c.Step > 0 && c.Step%s.RefineEvery == 0 && c.LastRefine != c.Step
}

// beginRender prepares a forward pass of the view that the host asked for.
func beginRender(g *Group) {
	control := record[kernel.Control](g, "control")
	schedule := record[kernel.Schedule](g, "schedule")
	views := records[kernel.View](g, "views")
	step := record[kernel.Step](g, "step")
	*step = kernel.Step{View: control.Request, SHDegree: schedule.SHDegree}
	if control.Overflow != 0 {
		step.Noop = kernel.NoopOverflow
	}
	setView(step, schedule, &views[control.Request])
	step.Background = schedule.Background
	startCounts(g, step, control.Splats)
}

func setView(step *kernel.Step, s *kernel.Schedule, v *kernel.View) {
	step.R, step.T = v.R, v.T
	step.Fx, step.Fy, step.Cx, step.Cy = v.Fx, v.Fy, v.Cx, v.Cy
	step.Width, step.Height = v.Width, v.Height
	step.TilesX = (v.Width + kernel.TileSize - 1) / kernel.TileSize
	step.TilesY = (v.Height + kernel.TileSize - 1) / kernel.TileSize
	step.Pixels, step.Flags, step.LossScale = v.Pixels, v.Flags, v.LossScale
	for i := range 3 {
		step.Camera[i] = -(v.R[i]*v.T[0] + v.R[3+i]*v.T[1] + v.R[6+i]*v.T[2])
	}
	step.Near, step.Blur, step.Mode = s.Near, s.Blur, s.Mode
}

func setBackground(step *kernel.Step, s *kernel.Schedule) {
	step.Background = s.Background
	if s.BackgroundRandom != 0 {
		for c := range uint32(3) {
			step.Background[c] = unit(kernel.Hash(step.Seed, kernel.StreamBackground, c))
		}
	}
}

// unit maps a random word to [0, 1) with 24 bits.
func unit(word uint32) float32 { return float32(word>>8) / (1 << 24) }

// setRates evaluates the schedules: the means' rate falls exponentially, Adam's
// bias correction counts steps from 1.
func setRates(step *kernel.Step, s *kernel.Schedule, splats uint32) {
	t := min(float32(step.Index)/float32(max(s.Steps, 1)), 1)
	step.LRMeans = s.LRMeans
	if s.LRMeans > 0 && s.LRMeansEnd > 0 {
		step.LRMeans = s.LRMeans * exp(t*log(s.LRMeansEnd/s.LRMeans))
	}
	step.LRScales, step.LRQuats, step.LROpacities = s.LRScales, s.LRQuats, s.LROpacities
	step.LRSH0, step.LRSHRest = s.LRSH0, s.LRSHRest
	step.Beta1, step.Beta2, step.Eps = s.Beta1, s.Beta2, s.Eps
	step.Bias1 = bias(s.Beta1, step.Index+1)
	step.Bias2 = bias(s.Beta2, step.Index+1)
	step.SSIMLambda = s.SSIMLambda
	n := float32(max(splats, 1))
	step.OpacityReg, step.ScaleReg = s.OpacityReg/n, s.ScaleReg/(3*n)
	step.Noise = s.NoiseLR * step.LRMeans
}

// bias returns 1 - beta^t without cancellation.
func bias(beta float32, t uint32) float32 {
	if beta <= 0 {
		return 1
	}
	x := float32(t) * log(beta)
	if x > -0.01 {
		return -x * (1 + x/2*(1+x/3))
	}
	return 1 - exp(x)
}

// startCounts sets the counts that are known before anything ran; all are 0 in a
// no-op.
func startCounts(g *Group, step *kernel.Step, splats uint32) {
	counts, args := words(g, "counts"), words(g, "args")
	for slot := range kernel.NumCounts {
		kernel.SetCount(counts, args, slot, 0)
	}
	if step.Noop == kernel.NoopNone {
		kernel.SetCount(counts, args, kernel.CountSplats, splats)
		kernel.SetCount(counts, args, kernel.CountTiles, step.TilesX*step.TilesY)
	}
}
