package cpu

import (
	"math"

	"splat/internal/kernel"
	"splat/internal/vec"
)

// updater is updateWide's state.
type updater struct {
	optimiser[float32] // the parameters; active is rounded up to what is stepped at once
	step               *kernel.Step
	counts             []uint32
	tiles, base        []uint32
	slots, stats       []float32
	useAbs             bool
	adam               vec.Adam
	camera             *vec.Camera
	s                  *vec.Splats
	sums               []float32 // of eight splats
	gradients          []float32
}

// updateWide is update for eight splats at a time.
func updateWide(g *Group) {
	u := newUpdater(g)
	from, to := g.Span(words(g, "counts")[kernel.CountSplats])
	for i := from; i < to; i += 8 {
		u.prefetch(i+8, min(i+16, to))
		u.eight(i, to)
	}
}

func newUpdater(g *Group) updater {
	memory := &shared[updaterMemory](g, 1)[0]
	step := record[kernel.Step](g, "step")
	o := newOptimiser[float32](g, step)
	u := updater{
		step: step, counts: words(g, "counts"), tiles: words(g, "tiles"), base: words(g, "base"), slots: reals[float32](g, "slots"),
		stats: reals[float32](g, "stats"), useAbs: g.Constant("absgrad") != 0,
		optimiser: o, camera: camera(g, step), s: &memory.splats, sums: memory.sums[:], gradients: memory.gradients[:],
	}
	const block = 24 // values that are stepped at once; those above the degree have no gradient
	if rounded := (o.active + block - 1) / block * block; o.stride%block == 0 {
		u.active = rounded
	}
	u.adam = vec.Adam{Geom: o.rates, C1: 1 - o.beta1, C2: 1 - o.beta2, IB2: o.ib2, Eps: o.eps}
	u.adam.SetSH(o.rateSH0, o.rateSHRest)
	return u
}

// updaterMemory is the workgroup's shared memory.
type updaterMemory struct {
	splats    vec.Splats
	sums      [8 * kernel.SlotRow]float32
	gradients [8 * vec.GradientRow]float32
}

// prefetch asks for the slots of the splats [from, to): they lie in depth order.
func (u *updater) prefetch(from, to int) {
	for i := from; i < to; i++ {
		if n := int(u.tiles[i]); n > 0 {
			at := int(u.base[i]) * kernel.SlotRow
			vec.Prefetch(u.slots[at : at+min(n, 8)*kernel.SlotRow])
		}
	}
}

// eight updates the splats from i on, at most eight and below to.
func (u *updater) eight(i, to int) {
	n := min(to-i, 8)
	rows := rowsFrom(i, to, kernel.GeomRow)
	vec.Gather(u.s.Geom[:], u.geom, &rows)
	healthy := 0
	if drawn := u.sum(i, n); drawn != 0 {
		degree := int(u.step.SHDegree)
		gatherSH(u.s, u.sh, i, u.stride, degree, drawn)
		healthy = u.s.ColorsBackward(u.camera, degree)
		healthy &= u.s.Backward(u.camera)
	} else {
		clear(u.s.Gradient[vec.GradientBasis:])
		healthy = u.s.Regularise(u.camera)
	}
	rows = rowsFrom(0, 8, vec.GradientRow)
	vec.Scatter(u.gradients, u.s.Gradient[:], &rows)
	for k := range n {
		if healthy>>k&1 == 0 || u.step.Audit != 0 && !u.finite(i+k) {
			reportBroken(u.counts, uint32(i+k))
			healthy &^= 1 << k
		} else {
			u.apply(i+k, (*[vec.GradientRow]float32)(u.gradients[k*vec.GradientRow:]))
		}
	}
	if u.step.Noise > 0 {
		u.addNoise(i, n, healthy)
	}
}

// finite tells whether all that is kept of splat i is.
func (u *updater) finite(i int) bool {
	return u.optimiser.finite(i) && allFinite(u.stats[i*kernel.StatRow:(i+1)*kernel.StatRow])
}

// sum adds up the slots of n splats from i on and returns which were drawn.
func (u *updater) sum(i, n int) (drawn int) {
	for k := range 8 {
		sum := (*[kernel.SlotRow]float32)(u.sums[k*kernel.SlotRow:])
		u.s.Visible[k] = 0
		if k >= n || u.tiles[i+k] == 0 {
			clear(sum[:])
			continue
		}
		drawn |= 1 << k
		u.s.Visible[k] = maskOf(true)
		base, count := int(u.base[i+k]), int(u.tiles[i+k])
		if count <= 32 {
			vec.SumRows(sum, u.slots[base*kernel.SlotRow:(base+count)*kernel.SlotRow])
		} else {
			*sum = sumSlots(u.slots, base, count)
		}
		at := (i + k) * kernel.StatRow
		keepStatistics(u.stats[at:at+kernel.StatRow], u.step, sum, u.useAbs)
	}
	if drawn != 0 {
		rows := rowsFrom(0, 8, kernel.SlotRow)
		vec.Gather(u.s.Sum[:], u.sums, &rows)
	}
	return drawn
}

// apply steps the parameters of splat i.
func (u *updater) apply(i int, gradient *[vec.GradientRow]float32) {
	at := i * kernel.GeomRow
	row := u.geom[at : at+kernel.GeomRow]
	u.adam.StepGeom(row, u.geomM[at:at+kernel.GeomRow], u.geomV[at:at+kernel.GeomRow], (*[kernel.GeomRow]float32)(gradient[:]))
	at = i * u.stride
	u.adam.StepSH(u.sh[at:at+u.active], u.shM[at:at+u.active], u.shV[at:at+u.active],
		(*[16]float32)(gradient[vec.GradientBasis:]), (*[3]float32)(gradient[vec.GradientColor:]))
}

// addNoise moves the means of those of n splats from i on that are in mask.
func (u *updater) addNoise(i, n, mask int) {
	const shows = -0.8 // logit of an opacity above 0.3, where there is no noise
	some := false
	for k := range n {
		some = some || !(u.geom[(i+k)*kernel.GeomRow+kernel.GeomOpacity] > shows)
	}
	if !some {
		return
	}
	for k := range 8 {
		u.s.Index[k] = math.Float32frombits(uint32(i + k))
	}
	rows := rowsFrom(i, i+n, kernel.GeomRow)
	vec.Gather(u.s.Geom[:], u.geom, &rows)
	moved := u.s.AddNoise(u.camera) & mask
	for k := range n {
		if moved>>k&1 != 0 {
			row := u.geom[(i+k)*kernel.GeomRow:]
			row[0], row[1], row[2] = u.s.Geom[0][k], u.s.Geom[1][k], u.s.Geom[2][k]
		}
	}
}
