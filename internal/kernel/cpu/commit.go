package cpu

import "splat/internal/kernel"

var _ = register(kernel.Commit, commit[float32], commit[float64])

// lanes is the width of a fixed-shape sum: each lane adds its stride in order,
// then the lanes are added pairwise. The shape depends on the length alone.
const lanes = 256

// commit ends a step that ran: it sums the loss, writes the statistics to the
// ring at the step's number and only then advances the step. A step that met
// numbers which are not finite does not count, and none comes after it.
func commit[F Float](g *Group) {
	control, step := record[kernel.Control](g, "control"), record[kernel.Step](g, "step")
	counts, partials, ring := words(g, "counts"), reals[F](g, "partials"), records[kernel.Stats](g, "ring")
	if step.Noop != kernel.NoopNone {
		return
	}
	tiles := int(step.TilesX * step.TilesY)
	l1 := sumStrided(partials, tiles, 2, 0) * F(step.LossScale)
	ssim := sumStrided(partials, tiles, 2, 1) * F(step.LossScale)
	lambda := F(step.SSIMLambda)
	loss := (1-lambda)*l1 + lambda*(1-ssim)
	ring[step.Index%uint32(g.Constant("ring"))] = kernel.Stats{
		Step: step.Index, View: step.View, Splats: counts[kernel.CountSplats],
		Visible: counts[kernel.CountVisible], Pairs: counts[kernel.CountPairs],
		Loss: float32(loss), L1: float32(l1), SSIM: float32(ssim),
	}
	if broken := counts[kernel.CountBroken]; broken != 0 || !isFinite(loss) {
		control.NonFinite, control.Broken = step.Index+1, kernel.NoSplat
		if broken != 0 {
			control.Broken = ^broken
		}
		return
	}
	control.Step++
}

// sumStrided returns the sum of n elements of v, at offset + i*stride.
func sumStrided[F Float](v []F, n, stride, offset int) F {
	var lane [lanes]F
	for i := range n {
		lane[i%lanes] += v[i*stride+offset]
	}
	return treeSum(lane[:])
}

// treeSum adds the elements of v pairwise, halving; len(v) is a power of two. v
// is overwritten.
func treeSum[F Float](v []F) F {
	for half := len(v) / 2; half > 0; half /= 2 {
		for i := range half {
			v[i] += v[i+half]
		}
	}
	return v[0]
}
