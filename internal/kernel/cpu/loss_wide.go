package cpu

import (
	"splat/internal/kernel"
	"splat/internal/vec"
)

var (
	_ = accelerate(kernel.Loss, usualWindow(lossWide, loss[float32]))
	_ = accelerate(kernel.LossGradient, usualWindow(lossGradientWide, lossGradient[float32]))
)

// usualWindow chooses between a kernel for eight pixels at a time, which knows one
// size of the window, and the plain one.
func usualWindow(eight, one func(*Group)) func(*Group) {
	return func(g *Group) {
		if vec.Wide() && g.Constant("window") == vec.Window {
			eight(g)
		} else {
			one(g)
		}
	}
}

// lossTile prepares a workgroup's tile.
func lossTile(g *Group, step *kernel.Step) *vec.LossTile {
	t := &shared[vec.LossTile](g, 1)[0]
	t.SetTaps(reals[float32](g, "window"))
	mask := step.Flags&kernel.ViewMask != 0
	t.Mask = vec.All(maskOf(mask))
	for c, v := range step.Background {
		if mask {
			v = 0
		}
		t.Background[c] = vec.All(v)
	}
	t.ScaleL1 = vec.All(step.LossScale * (1 - step.SSIMLambda))
	t.ScaleSSIM = vec.All(step.LossScale * step.SSIMLambda)
	t.L1, t.SSIM = vec.Lanes{}, vec.Lanes{}
	return t
}

// loadPixels fills the patch with the tile and a halo of the given width; what lies
// outside the picture is 0.
func loadPixels(g *Group, step *kernel.Step, rect tileRect, halo int, t *vec.LossTile) {
	image, pixels := reals[float32](g, "image"), words(g, "targets")
	w, h := int(step.Width), int(step.Height)
	x0, x1 := max(rect.x0-halo, 0), min(rect.x0+kernel.TileSize+halo, w)
	y0, y1 := max(rect.y0-halo, 0), min(rect.y0+kernel.TileSize+halo, h)
	if whole := kernel.TileSize + 2*halo; x1-x0 < whole || y1-y0 < whole {
		t.Clear()
	}
	for y := y0; y < y1; y++ {
		at := (y-rect.y0+vec.Halo)*vec.PatchPitch + x0 - rect.x0 + vec.Halo
		loadRow(t, at, image[4*(y*w+x0):4*(y*w+x1)], pixels[int(step.Pixels)+y*w+x0:int(step.Pixels)+y*w+x1])
	}
}

// loadRow loads pixels; fewer than eight go through a copy.
func loadRow(t *vec.LossTile, at int, image []float32, target []uint32) {
	if n := len(target); n >= 8 {
		t.Load(at, image, target, n)
		return
	}
	var rgbt [32]float32
	var words [8]uint32
	copy(rgbt[:], image)
	copy(words[:], target)
	t.Load(at, rgbt[:], words[:], 8)
	for i := len(target); i < 8; i++ {
		t.Weight[at+i] = 0
		for c := range 3 {
			t.X[c][at+i], t.Y[c][at+i] = 0, 0
		}
	}
}

// lossWide is loss for eight pixels at a time.
func lossWide(g *Group) {
	step, maps, partials := record[kernel.Step](g, "step"), reals[float32](g, "maps"), reals[float32](g, "partials")
	t, rect := lossTile(g, step), rectOf(step, g.ID)
	loadPixels(g, step, rect, vec.Halo, t)
	w, size := int(step.Width), int(step.Width*step.Height)
	for c := range 3 {
		t.Moments(c)
		structure(t, maps[3*c*size:3*(c+1)*size], c, rect, w, size)
	}
	partials[2*g.ID], partials[2*g.ID+1] = t.L1.Sum(), t.SSIM.Sum()
}

// structure finishes a channel; a tile that the picture cuts goes through a copy.
func structure(t *vec.LossTile, maps []float32, c int, rect tileRect, w, size int) {
	const n = kernel.TileSize
	if rect.x1-rect.x0 == n && rect.y1-rect.y0 == n {
		t.Structure(c, maps[rect.y0*w+rect.x0:], w, size)
		return
	}
	t.Structure(c, t.Maps[:], n, tilePixels)
	for k := range 3 {
		for y := rect.y0; y < rect.y1; y++ {
			copy(maps[k*size+y*w+rect.x0:k*size+y*w+rect.x1], t.Maps[k*tilePixels+(y-rect.y0)*n:])
		}
	}
}

// lossGradientWide is lossGradient for eight pixels at a time.
func lossGradientWide(g *Group) {
	step, maps, out := record[kernel.Step](g, "step"), reals[float32](g, "maps"), reals[float32](g, "gradient")
	t, rect := lossTile(g, step), rectOf(step, g.ID)
	loadPixels(g, step, rect, 0, t)
	w, size := int(step.Width), int(step.Width*step.Height)
	for c := range 3 {
		for k := range 3 {
			blurMap(t, k, maps[(3*c+k)*size:(3*c+k+1)*size], step, rect)
		}
		t.Combine(c)
		for y := rect.y0; y < rect.y1; y++ {
			row := t.Gradient[(y-rect.y0)*kernel.TileSize:][:rect.x1-rect.x0]
			to := out[3*(y*w+rect.x0) : 3*(y*w+rect.x1)]
			for i, v := range row {
				to[3*i+c] = v
			}
		}
	}
}

// blurMap blurs one map of the tile; where the halo leaves the picture, what lies
// outside is 0.
func blurMap(t *vec.LossTile, k int, m []float32, step *kernel.Step, rect tileRect) {
	w, h := int(step.Width), int(step.Height)
	x0, x1 := rect.x0-vec.Halo, rect.x0+kernel.TileSize+vec.Halo
	y0, y1 := rect.y0-vec.Halo, rect.y0+kernel.TileSize+vec.Halo
	if x0 >= 0 && y0 >= 0 && x1 <= w && y1 <= h {
		t.BlurMap(k, m[y0*w+x0:], w)
		return
	}
	t.Map = vec.Patch{}
	left := max(x0, 0)
	for y := max(y0, 0); y < min(y1, h); y++ {
		copy(t.Map[(y-y0)*vec.PatchPitch+left-x0:], m[y*w+left:y*w+min(x1, w)])
	}
	t.BlurMap(k, t.Map[:], vec.PatchPitch)
}
