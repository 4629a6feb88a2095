package vk

import (
	"slices"
	"unsafe"
)

// span is a stretch of a block.
type span struct{ offset, size int64 }

func (s span) end() int64 { return s.offset + s.size }

// block is one allocation of the driver. Its free spans are sorted by offset and no
// two of them touch.
type block struct {
	handle uint64
	typ    uint32
	size   int64
	mapped unsafe.Pointer // nil until a buffer in it is mapped
	free   []span
}

func newBlock(size int64) *block { return &block{size: size, free: []span{{0, size}}} }

func (b *block) empty() bool { return len(b.free) == 1 && b.free[0].size == b.size }

// alignUp needs an alignment that is a power of two.
func alignUp(n, align int64) int64 { return (n + align - 1) &^ (align - 1) }

// fit returns the index of the smallest free span that holds size bytes at an aligned
// offset, and the bytes it would leave; -1 when none does.
func (b *block) fit(size, align int64) (index int, rest int64) {
	index = -1
	for i, s := range b.free {
		r := s.end() - alignUp(s.offset, align) - size
		if r >= 0 && (index < 0 || r < rest) {
			index, rest = i, r
		}
	}
	return index, rest
}

// take cuts size bytes out of the free span at index, which fit returned.
func (b *block) take(index int, size, align int64) span {
	s := b.free[index]
	got := span{alignUp(s.offset, align), size}
	var left []span
	if before := got.offset - s.offset; before > 0 {
		left = append(left, span{s.offset, before})
	}
	if after := s.end() - got.end(); after > 0 {
		left = append(left, span{got.end(), after})
	}
	b.free = slices.Replace(b.free, index, index+1, left...)
	return got
}

// give makes a span free again and joins it with its neighbours.
func (b *block) give(s span) {
	i, _ := slices.BinarySearchFunc(b.free, s.offset, func(f span, offset int64) int {
		return int(min(max(f.offset-offset, -1), 1))
	})
	from := i
	if i > 0 && b.free[i-1].end() == s.offset {
		from, s = i-1, span{b.free[i-1].offset, b.free[i-1].size + s.size}
	}
	to := i
	if i < len(b.free) && s.end() == b.free[i].offset {
		to, s.size = i+1, s.size+b.free[i].size
	}
	b.free = slices.Replace(b.free, from, to, s)
}
