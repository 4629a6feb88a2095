package pipeline

import (
	"slices"

	"splat/internal/kernel"
)

// Count names what the length of a buffer follows from; "" is nothing that grows.
type Count string

// The counts of a Plan that lengths follow from.
const (
	PerSplat       Count = "splat"
	PerPair        Count = "pair"
	PerSortKey     Count = "sort key" // splats or pairs, whichever are more
	PerPixel       Count = "pixel"    // of the largest view
	PerTile        Count = "tile"     // of the largest view
	PerTargetPixel Count = "target pixel"
	PerView        Count = "view"
)

// Sized is a buffer and what its length follows from.
type Sized struct {
	*kernel.Buffer
	Per Count
}

// Sizes lists the buffers with what their length follows from. It finds out by
// making them for other plans, so that no list has to be kept.
func (pl *Pipeline) Sizes() []Sized {
	per := make([]Count, len(pl.All()))
	note := func(c Count, double func(*Plan)) {
		for i := range per {
			switch {
			case !longer(pl.Plan, i, double):
			case per[i] == PerSplat && c == PerPair:
				per[i] = PerSortKey
			default:
				per[i] = c
			}
		}
	}
	note(PerSplat, func(p *Plan) { p.Splats *= 2 })
	note(PerPair, func(p *Plan) { p.Pairs *= 2 })
	note(PerPixel, func(p *Plan) { p.Pixels *= 2 })
	note(PerTile, func(p *Plan) { p.Tiles *= 2 })
	note(PerTargetPixel, func(p *Plan) { p.TargetPixels *= 2 })
	note(PerView, func(p *Plan) { p.Views *= 2 })
	var out []Sized
	for i, b := range pl.All() {
		out = append(out, Sized{b, per[i]})
	}
	return out
}

// longer reports whether double makes buffer i longer, where splats or where pairs
// are by far the more.
func longer(p Plan, i int, double func(*Plan)) bool {
	const few, many = 1 << 16, 1 << 24
	p.Pixels, p.Tiles, p.TargetPixels, p.Views = few, few, few, few
	for _, n := range [][2]int{{few, many}, {many, few}} {
		p.Splats, p.Pairs = n[0], n[1]
		before := newBuffers(p).All()[i].Len
		next := p
		if double(&next); newBuffers(next).All()[i].Len > before {
			return true
		}
	}
	return false
}

// Bytes adds up the buffers whose length follows from one of the counts.
func Bytes(list []Sized, per ...Count) (n int64) {
	for _, s := range list {
		if slices.Contains(per, s.Per) {
			n += s.Buffer.Bytes()
		}
	}
	return n
}
