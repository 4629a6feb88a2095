package cpu

import (
	"math"
	"sync/atomic"

	"splat/internal/kernel"
)

var _ = register(kernel.Update, update[float32], update[float64])

// update finishes the step for every splat: it sums the splat's gradient slots,
// runs the projection, the SH and the activations backwards, adds the
// regularisers, applies Adam and the noise, and keeps densification statistics.
// No gradient array exists. Splats that were not drawn get the regularisers and
// Adam's decay (dense Adam). A splat whose numbers are not finite stays as it is
// and is reported.
func update[F Float](g *Group) {
	step, counts := record[kernel.Step](g, "step"), words(g, "counts")
	tiles, base, slots := words(g, "tiles"), words(g, "base"), reals[F](g, "slots")
	o := newOptimiser[F](g, step)
	stats, useAbs := reals[F](g, "stats"), g.Constant("absgrad") != 0
	var p splatView[F]
	from, to := g.Span(counts[kernel.CountSplats])
	for i := from; i < to; i++ {
		var gradient splatGradient[F]
		row := o.geom[i*kernel.GeomRow : (i+1)*kernel.GeomRow]
		if tiles[i] > 0 {
			sum := sumSlots(slots, int(base[i]), int(tiles[i]))
			keepStatistics(stats[i*kernel.StatRow:(i+1)*kernel.StatRow], step, &sum, useAbs)
			if projectSplat(&p, step, row) {
				backward(&p, step, row, o.sh[i*o.stride:(i+1)*o.stride], &sum, &gradient)
			}
		}
		regularise(step, row, &gradient.geom)
		if !healthy(row, &gradient) || step.Audit != 0 && !(o.finite(i) && allFinite(stats[i*kernel.StatRow:(i+1)*kernel.StatRow])) {
			reportBroken(counts, uint32(i))
			continue
		}
		o.apply(i, &gradient)
		if step.Noise > 0 {
			addNoise(step, uint32(i), row)
		}
	}
}

// healthy tells whether a splat's geom is finite and its gradients are numbers that
// Adam can take.
func healthy[F Float](row []F, gradient *splatGradient[F]) bool {
	for k, g := range gradient.geom[:kernel.GeomRow-1] {
		if !(abs(g) <= kernel.HugeGradient) || !isFinite(row[k]) {
			return false
		}
	}
	for _, g := range gradient.color {
		if !(abs(g) <= kernel.HugeGradient) {
			return false
		}
	}
	return true
}

// reportBroken leaves word of splat i; of several, the first one's stays.
func reportBroken(counts []uint32, i uint32) {
	at := &counts[kernel.CountBroken]
	for {
		old := atomic.LoadUint32(at)
		if old >= ^i || atomic.CompareAndSwapUint32(at, old, ^i) {
			return
		}
	}
}

// splatGradient is dL/d(stored parameter) of one splat. The SH part is the outer
// product of basis and color.
type splatGradient[F Float] struct {
	geom  [kernel.GeomRow]F
	basis [16]F
	color [3]F
}

// sumSlots adds count slots from base on. Up to 32 are added in order; more are
// added by 32 lanes of stride 32, then as a tree.
func sumSlots[F Float](slots []F, base, count int) (sum [kernel.SlotRow]F) {
	if count <= 32 {
		for k := base; k < base+count; k++ {
			for j, v := range slots[k*kernel.SlotRow : (k+1)*kernel.SlotRow] {
				sum[j] += v
			}
		}
		return sum
	}
	var lane [32][kernel.SlotRow]F
	for k := range count {
		for j, v := range slots[(base+k)*kernel.SlotRow : (base+k+1)*kernel.SlotRow] {
			lane[k%32][j] += v
		}
	}
	for half := 16; half > 0; half /= 2 {
		for l := range half {
			for j := range lane[l] {
				lane[l][j] += lane[l+half][j]
			}
		}
	}
	return lane[0]
}

// keepStatistics accumulates the screen-space gradient in units of half a picture
// (so that thresholds do not depend on the resolution) and the number of views.
func keepStatistics[F Float](stats []F, step *kernel.Step, sum *[kernel.SlotRow]F, useAbs bool) {
	x, y := sum[kernel.SlotX], sum[kernel.SlotY]
	if useAbs {
		x, y = sum[kernel.SlotAbsX], sum[kernel.SlotAbsY]
	}
	x *= 0.5 * F(step.Width)
	y *= 0.5 * F(step.Height)
	if norm := sqrt(x*x + y*y); isFinite(norm) {
		stats[0] += norm
		stats[1]++
	}
}

// regularise adds the gradients of opacity_reg * mean(opacity) and scale_reg *
// mean(scale).
func regularise[F Float](step *kernel.Step, row []F, gradient *[kernel.GeomRow]F) {
	if step.OpacityReg > 0 {
		o := sigmoid(row[kernel.GeomOpacity])
		gradient[kernel.GeomOpacity] += F(step.OpacityReg) * o * (1 - o)
	}
	if step.ScaleReg > 0 {
		for k := range 3 {
			gradient[kernel.GeomScale+k] += F(step.ScaleReg) * exp(row[kernel.GeomScale+k])
		}
	}
}

// addNoise moves the mean by Sigma * n * sigmoid(-100 (opacity - 0.005)) * noise
// with n standard normal (3DGS as Markov chain Monte Carlo, Kheradmand et al.
// 2024): splats that show nothing explore. Above an opacity of 0.3 the factor is
// below 1e-12 and nothing is drawn.
func addNoise[F Float](step *kernel.Step, i uint32, row []F) {
	o := sigmoid(row[kernel.GeomOpacity])
	if !(o < 0.3) {
		return
	}
	var p splatView[F]
	if !worldCovariance(&p, row) {
		return
	}
	factor := F(step.Noise) * sigmoid(-100*(o-0.005))
	n := normal3[F](step.Seed, i)
	d := symmetric(&p.sigma, n[:])
	for k := range 3 {
		if v := row[k] + factor*d[k]; isFinite(v) {
			row[k] = v
		}
	}
}

// normal3 returns three standard normal numbers of (seed, i) by Box and Muller.
func normal3[F Float](seed, i uint32) [3]F {
	var n [3]F
	for pair := range uint32(2) {
		u := unit(kernel.Hash(seed, kernel.StreamNoise+16*(2*pair), i))
		v := unit(kernel.Hash(seed, kernel.StreamNoise+16*(2*pair+1), i))
		radius := math.Sqrt(-2 * math.Log(1-float64(u)))
		sin, cos := math.Sincos(2 * math.Pi * float64(v))
		n[2*pair] = F(radius * cos)
		if pair == 0 {
			n[1] = F(radius * sin)
		}
	}
	return n
}
