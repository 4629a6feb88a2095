package prof

import (
	"fmt"
	"math"

	"splat/internal/kernel"
)

// Pixels is how many combinations of a splat and a pixel a picture takes.
type Pixels struct {
	// Evaluated: the splat is in the list of the pixel's tile, and the pixel was not
	// opaque before it.
	Evaluated float64
	// Blended: of these, those that are opaque enough there to change the pixel.
	Blended float64
}

// budget is about how many combinations are looked at: of larger pictures, a part of the
// tiles, evenly spread.
const budget = 1 << 24

// Blending constants, as the kernels have them.
const (
	minAlpha         = 1. / 255
	maxAlpha         = 0.999
	minTransmittance = 1e-4
)

// CountPixels counts the splat-pixels of the picture that a program has just made, from
// what it left in the buffers. It waits, reads them back and counts on the host, so it is
// for reports.
func CountPixels(be kernel.Backend, rec *kernel.Recording) (Pixels, error) {
	d := rasterization(rec)
	if d == nil {
		return Pixels{}, fmt.Errorf("prof: recording %s makes no picture", rec.Name)
	}
	p, err := readPicture(be, d)
	if err != nil {
		return Pixels{}, err
	}
	return p.count(), nil
}

func rasterization(rec *kernel.Recording) *kernel.Dispatch {
	for i := range rec.Dispatches {
		if k := rec.Dispatches[i].Kernel; k == kernel.Rasterize || k == kernel.RasterizeSaving {
			return &rec.Dispatches[i]
		}
	}
	return nil
}

// picture is what a rasterization works on.
type picture struct {
	step                  kernel.Step
	ranges, pairs, owners []uint32
	proj                  []float32
}

func readPicture(be kernel.Backend, d *kernel.Dispatch) (p picture, err error) {
	buffer := func(name string) *kernel.Buffer { return d.Buffers[d.Kernel.Index(name)] }
	if p.step, err = kernel.ReadRecord[kernel.Step](be, buffer("step"), 0); err != nil || p.step.Noop != 0 {
		return p, err
	}
	p.ranges = make([]uint32, 2*p.step.TilesX*p.step.TilesY)
	if err := kernel.ReadSlice(be, buffer("ranges"), 0, p.ranges); err != nil {
		return p, err
	}
	n := uint32(0)
	for _, end := range p.ranges {
		n = max(n, end)
	}
	p.pairs, p.owners = make([]uint32, n), make([]uint32, n)
	if err := kernel.ReadSlice(be, buffer("pairs"), 0, p.pairs); err != nil {
		return p, err
	}
	if err := kernel.ReadSlice(be, buffer("owners"), 0, p.owners); err != nil {
		return p, err
	}
	splats := uint32(0)
	for _, o := range p.owners {
		splats = max(splats, o+1)
	}
	p.proj = make([]float32, int(splats)*kernel.ProjRow)
	return p, kernel.ReadSlice(be, buffer("proj"), 0, p.proj)
}

// count walks the lists, of as many tiles as the budget allows.
func (p *picture) count() (out Pixels) {
	stride := max(len(p.pairs)*kernel.TileSize*kernel.TileSize/budget, 1)
	tiles, seen, all := len(p.ranges)/2, 0.0, 0.0
	for tile := range tiles {
		length := float64(p.ranges[2*tile+1] - p.ranges[2*tile])
		all += length
		if tile%stride == 0 {
			seen += length
			p.countTile(tile, &out)
		}
	}
	if seen > 0 {
		out.Evaluated *= all / seen
		out.Blended *= all / seen
	}
	return out
}

func (p *picture) countTile(tile int, out *Pixels) {
	x0, y0 := tile%int(p.step.TilesX)*kernel.TileSize, tile/int(p.step.TilesX)*kernel.TileSize
	list := p.pairs[p.ranges[2*tile]:p.ranges[2*tile+1]]
	for y := y0; y < min(y0+kernel.TileSize, int(p.step.Height)); y++ {
		for x := x0; x < min(x0+kernel.TileSize, int(p.step.Width)); x++ {
			evaluated, blended := p.countPixel(list, float64(x)+0.5, float64(y)+0.5)
			out.Evaluated += float64(evaluated)
			out.Blended += float64(blended)
		}
	}
}

// countPixel blends a pixel, without colours.
func (p *picture) countPixel(list []uint32, x, y float64) (evaluated, blended int) {
	left := 1.0
	for _, pair := range list {
		evaluated++
		s := p.proj[int(p.owners[pair])*kernel.ProjRow:]
		dx, dy := x-float64(s[kernel.ProjX]), y-float64(s[kernel.ProjY])
		power := 0.5*(float64(s[kernel.ProjConicA])*dx*dx+float64(s[kernel.ProjConicC])*dy*dy) + float64(s[kernel.ProjConicB])*dx*dy
		if 2*power > float64(s[kernel.ProjPower]) {
			continue // beyond reach, so the exponential is not needed
		}
		alpha := min(float64(s[kernel.ProjOpacity])*math.Exp(-power), maxAlpha)
		if alpha < minAlpha {
			continue
		}
		if left*(1-alpha) <= minTransmittance {
			break
		}
		left *= 1 - alpha
		blended++
	}
	return evaluated, blended
}
