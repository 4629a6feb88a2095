package pipeline

import "splat/internal/kernel"

func total(buffers ...*kernel.Buffer) (n int64) {
	for _, b := range buffers {
		if b != nil {
			n += b.Bytes()
		}
	}
	return n
}

// SplatBytes is the memory that follows from the splat capacity.
func (b *Buffers) SplatBytes() int64 {
	return total(b.Geom, b.GeomM, b.GeomV, b.SH, b.SHM, b.SHV, b.Stats, b.Proj, b.Tiles, b.Offsets, b.Ordered, b.Base,
		b.Keys[0], b.Keys[1], b.IDs[0], b.IDs[1])
}

// PairBytes is the memory that follows from the pair capacity.
func (b *Buffers) PairBytes() int64 {
	return total(b.PairKeys[0], b.PairKeys[1], b.PairIDs[0], b.PairIDs[1], b.Owners, b.Slots, b.Histogram, b.Digits, b.Sums)
}

// ViewBytes is the memory that follows from the largest view.
func (b *Buffers) ViewBytes() int64 {
	return total(b.Ranges, b.Image, b.Last, b.Maps, b.Gradient, b.Partials)
}
