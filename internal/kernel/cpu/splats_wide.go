package cpu

import (
	"math"
	"math/bits"

	"splat/internal/kernel"
	"splat/internal/vec"
)

// The kernels on splats, eight at a time. Where the processor cannot, the plain
// ones run. project and emit take the tile test from the same functions.
var (
	_ = accelerate(kernel.Project, wide(projectWide, project[float32]))
	_ = accelerate(kernel.Emit, wide(emitWide, emit[float32]))
	_ = accelerate(kernel.Update, wide(updateWide, update[float32]))
)

// wide chooses between a kernel on eight splats and a plain one.
func wide(eight, one func(*Group)) func(*Group) {
	return func(g *Group) {
		if vec.Wide() {
			eight(g)
		} else {
			one(g)
		}
	}
}

// camera is the step's view for eight splats.
func camera(g *Group, step *kernel.Step) *vec.Camera {
	c := &shared[vec.Camera](g, 1)[0]
	for i, v := range step.R {
		c.R[i] = vec.All(v)
	}
	for i, v := range step.T {
		c.T[i], c.Position[i] = vec.All(v), vec.All(step.Camera[i])
	}
	w, h := float32(step.Width), float32(step.Height)
	c.Near, c.Blur, c.Width, c.Height = vec.All(step.Near), vec.All(step.Blur), vec.All(w), vec.All(h)
	c.Fx, c.Fy, c.Cx, c.Cy = vec.All(step.Fx), vec.All(step.Fy), vec.All(step.Cx), vec.All(step.Cy)
	c.UMin, c.UMax = vec.All((-0.15*w-step.Cx)/step.Fx), vec.All((1.15*w-step.Cx)/step.Fx)
	c.VMin, c.VMax = vec.All((-0.15*h-step.Cy)/step.Fy), vec.All((1.15*h-step.Cy)/step.Fy)
	c.Compensate = vec.All(maskOf(step.Mode&kernel.ModeAntialiased != 0))
	c.OpacityReg, c.ScaleReg = vec.All(step.OpacityReg), vec.All(step.ScaleReg)
	c.Noise = vec.All(step.Noise)
	for k := range c.NoiseKeys {
		key := kernel.HashKey(step.Seed, kernel.StreamNoise+16*uint32(k))
		c.NoiseKeys[k] = vec.All(math.Float32frombits(key))
	}
	return c
}

// maskOf is all ones for true.
func maskOf(on bool) float32 {
	if on {
		return math.Float32frombits(math.MaxUint32)
	}
	return 0
}

// rowsFrom returns where the rows of up to eight splats from i on begin; lanes
// beyond to repeat the last one.
func rowsFrom(i, to, stride int) (offsets [8]int) {
	for k := range offsets {
		offsets[k] = min(i+k, to-1) * stride
	}
	return offsets
}

// gatherSH brings the active coefficients of the splats in mask to lanes; other
// lanes repeat the first of them, or keep what they hold.
func gatherSH(s *vec.Splats, sh []float32, i, stride, degree, mask int) {
	columns := 3 * kernel.Coefficients(degree)
	if stride%4 != 0 { // rows too short for whole quads
		for k := range 8 {
			if mask>>k&1 != 0 {
				for j, v := range sh[(i+k)*stride : (i+k)*stride+columns] {
					s.SH[j][k] = v
				}
			}
		}
		return
	}
	var offsets [8]int
	first := bits.TrailingZeros(uint(mask))
	for k := range offsets {
		offsets[k] = (i + first) * stride
		if mask>>k&1 != 0 {
			offsets[k] = (i + k) * stride
		}
	}
	vec.Gather(s.SH[:(columns+3)&^3], sh, &offsets)
}

// projectWide is project for eight splats at a time.
func projectWide(g *Group) {
	step, counts := record[kernel.Step](g, "step"), words(g, "counts")
	geom, sh, proj, tiles := reals[float32](g, "geom"), reals[float32](g, "sh"), reals[float32](g, "proj"), words(g, "tiles")
	stride, degree := 3*g.Constant("coefficients"), int(step.SHDegree)
	c, s := camera(g, step), &shared[vec.Splats](g, 1)[0]
	from, to := g.Span(counts[kernel.CountSplats])
	for i := from; i < to; i += 8 {
		n := min(to-i, 8)
		rows := rowsFrom(i, to, kernel.GeomRow)
		vec.Gather(s.Geom[:], geom, &rows)
		seen := s.Project(c) & (1<<n - 1)
		s.Tiles = vec.Lanes{}
		for more := seen; more != 0; {
			more = s.TileSpan(c)
		}
		for k := range n {
			if s.Tiles[k] == 0 {
				seen &^= 1 << k
			}
		}
		if seen != 0 {
			gatherSH(s, sh, i, stride, degree, seen)
			seen &= s.Colors(c, degree) // damaged SH must not spread over the picture
			scatterProj(proj, s, i, n)
		}
		for k := range n {
			tiles[i+k] = uint32(s.Tiles[k]) & -uint32(seen>>k&1)
		}
	}
}

// scatterProj writes n rows of proj from splat i on.
func scatterProj(proj []float32, s *vec.Splats, i, n int) {
	if n == 8 {
		rows := rowsFrom(i, i+8, kernel.ProjRow)
		vec.Scatter(proj, s.Proj[:], &rows)
		return
	}
	for k := range n {
		for j := range s.Proj {
			proj[(i+k)*kernel.ProjRow+j] = s.Proj[j][k]
		}
	}
}

// emitWide is emit for eight visible splats at a time.
func emitWide(g *Group) {
	step, counts, ids := record[kernel.Step](g, "step"), words(g, "counts"), words(g, "ids")
	proj, ordered, offsets := reals[float32](g, "proj"), words(g, "ordered"), words(g, "offsets")
	keys, pairs, owners, base := words(g, "keys"), words(g, "pairs"), words(g, "owners"), words(g, "base")
	c, s := camera(g, step), &shared[vec.Splats](g, 1)[0]
	from, to := g.Span(counts[kernel.CountVisible])
	var at, end [8]uint32
	var rows [8]int
	for r := from; r < to; r += 8 {
		n := min(to-r, 8)
		for k := range 8 {
			id := ids[min(r+k, to-1)]
			rows[k] = int(id) * kernel.ProjRow
			s.Visible[k] = maskOf(k < n)
			if k < n {
				at[k], end[k] = offsets[r+k], offsets[r+k]+ordered[r+k]
				base[id] = at[k]
				for j := at[k]; j < end[k]; j++ {
					pairs[j], owners[j] = j, id
				}
			}
		}
		vec.Gather(s.Proj[:], proj, &rows)
		for more := s.TileRows(c); more != 0; {
			more = s.TileSpan(c)
			for k := range n {
				row := uint32(s.Row[k]-1) * step.TilesX
				for tile := uint32(s.From[k]); tile < uint32(s.To[k]) && at[k] < end[k]; tile++ {
					keys[at[k]] = row + tile
					at[k]++
				}
			}
		}
		for k := range n {
			for ; at[k] < end[k]; at[k]++ {
				keys[at[k]] = step.TilesX * step.TilesY
			}
		}
	}
}
