package cpu

import (
	"math"

	"splat/internal/kernel"
)

var (
	_ = register(kernel.Project, project[float32], project[float64])
	_ = register(kernel.Compact, compact[float32], compact[float64])
	_ = register(kernel.SetVisible, setVisible, setVisible)
)

// project projects every splat, counts the tiles it touches and evaluates the
// colour of those that touch any. tiles is 0 for what is not drawn; proj rows of
// such splats are undefined.
func project[F Float](g *Group) {
	step, counts := record[kernel.Step](g, "step"), words(g, "counts")
	geom, sh, proj, tiles := reals[F](g, "geom"), reals[F](g, "sh"), reals[F](g, "proj"), words(g, "tiles")
	stride := 3 * g.Constant("coefficients")
	from, to := g.Span(counts[kernel.CountSplats])
	var p splatView[F]
	for i := from; i < to; i++ {
		tiles[i] = 0
		row := geom[i*kernel.GeomRow : (i+1)*kernel.GeomRow]
		if !projectSplat(&p, step, row) {
			continue
		}
		out := proj[i*kernel.ProjRow : (i+1)*kernel.ProjRow]
		writeProjection(&p, step, out)
		if tiles[i] = countTiles(step, out); tiles[i] > 0 {
			color := splatColor(step, row, sh[i*stride:(i+1)*stride])
			if !isFinite(color[0] + color[1] + color[2]) {
				tiles[i] = 0 // damaged SH must not spread over the picture
				continue
			}
			for c, v := range color {
				out[kernel.ProjColor+c] = max(v, 0)
			}
		}
	}
}

func writeProjection[F Float](p *splatView[F], step *kernel.Step, out []F) {
	iz := 1 / p.t[2]
	out[kernel.ProjX] = F(step.Fx)*p.t[0]*iz + F(step.Cx)
	out[kernel.ProjY] = F(step.Fy)*p.t[1]*iz + F(step.Cy)
	id := 1 / p.det
	out[kernel.ProjConicA], out[kernel.ProjConicB], out[kernel.ProjConicC] = p.c*id, -p.b*id, p.a*id
	opacity := p.opacity * p.comp
	power := powerOf(opacity)
	out[kernel.ProjOpacity] = opacity
	out[kernel.ProjDepth] = p.t[2]
	out[kernel.ProjExtentY] = sqrt(power * p.c)
	out[kernel.ProjPower] = power
}

// countTiles returns the number of tiles in which the splat's alpha can reach
// 1/255, saturating; 0 when a number is not ordinary.
func countTiles[F Float](step *kernel.Step, proj []F) uint32 {
	e := ellipseOf(proj)
	if !isFinite(e.x+e.y) || !isFinite(e.a+e.b+e.c) || !(e.ex >= 0 && e.ey >= 0) {
		return 0
	}
	var n uint64
	first, last := e.tileRows(step)
	for row := first; row < last; row++ {
		from, to := e.tileSpan(step, row)
		n += uint64(to - from)
	}
	return uint32(min(n, math.MaxUint32))
}

// splatColor evaluates the SH towards the splat, plus 0.5, before the clamp.
func splatColor[F Float](step *kernel.Step, row, sh []F) [3]F {
	var y [16]F
	d, _ := viewDirection(step, row)
	shBasis(&y, int(step.SHDegree), d[0], d[1], d[2])
	color := [3]F{0.5, 0.5, 0.5}
	for k := range kernel.Coefficients(int(step.SHDegree)) {
		for c := range 3 {
			color[c] += y[k] * sh[3*k+c]
		}
	}
	return color
}

// viewDirection returns the unit vector from the camera to the splat and its
// former length. A splat at the camera itself cannot be seen and gets +z.
func viewDirection[F Float](step *kernel.Step, row []F) (d [3]F, length F) {
	for i := range 3 {
		d[i] = row[i] - F(step.Camera[i])
	}
	length = sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
	if !(length > 0) {
		return [3]F{0, 0, 1}, 1
	}
	for i := range 3 {
		d[i] /= length
	}
	return d, length
}

// compact lists the visible splats in splat order, with their depth as sort key:
// the bits of a positive float32 order as the numbers do.
func compact[F Float](g *Group) {
	counts, proj, tiles := words(g, "counts"), reals[F](g, "proj"), words(g, "tiles")
	offsets, keys, ids := words(g, "offsets"), words(g, "keys"), words(g, "ids")
	from, to := g.Span(counts[kernel.CountSplats])
	for i := from; i < to; i++ {
		if tiles[i] == 0 {
			continue
		}
		keys[offsets[i]] = math.Float32bits(float32(proj[i*kernel.ProjRow+kernel.ProjDepth]))
		ids[offsets[i]] = uint32(i)
	}
}

// setVisible turns the number of visible splats, left by the scan, into the work
// that follows from it. In a no-op the scan did not run and the count is 0.
func setVisible(g *Group) {
	step, counts, args := record[kernel.Step](g, "step"), words(g, "counts"), words(g, "args")
	n := counts[kernel.CountVisible]
	if step.Noop != kernel.NoopNone {
		n = 0
	}
	kernel.SetCount(counts, args, kernel.CountVisible, n)
	kernel.SetCount(counts, args, kernel.CountVisibleDigits, digits(n))
}

// digits returns the length of a sort's histogram for n keys.
func digits(n uint32) uint32 {
	return uint32(kernel.Radix * kernel.Blocks(int(n), kernel.SortBlock))
}
