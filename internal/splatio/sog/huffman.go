package sog

import (
	"container/heap"
	"math/bits"
)

// huffmanCode is a canonical prefix code: of each symbol the number of bits, 0 for
// unused ones, and the bits in the order in which they are written.
type huffmanCode struct {
	lengths []int
	bits    []uint32
}

// newCode returns the code for symbols that occur counts times, no longer than limit
// bits. A single symbol takes no bits.
func newCode(counts []int, limit int) huffmanCode {
	weights := make([]int, len(counts))
	copy(weights, counts)
	lengths := treeDepths(weights)
	for tooLong(lengths, limit) {
		// Flatter weights make a flatter tree; equal ones end below the limit.
		for s, w := range weights {
			if w > 0 {
				weights[s] = w/2 + 1
			}
		}
		lengths = treeDepths(weights)
	}
	return canonical(lengths)
}

func tooLong(lengths []int, limit int) bool {
	for _, l := range lengths {
		if l > limit {
			return true
		}
	}
	return false
}

// canonical gives out the bits: shorter codes first, then smaller symbols.
func canonical(lengths []int) huffmanCode {
	code := huffmanCode{lengths, make([]uint32, len(lengths))}
	next := uint32(0)
	for l := 1; l <= 15; l++ {
		for s, have := range lengths {
			if have == l {
				code.bits[s] = bits.Reverse32(next) >> (32 - l)
				next++
			}
		}
		next <<= 1
	}
	return code
}

// used returns the symbols that have a code, as many as three.
func used(counts []int) (symbols []int) {
	for s, n := range counts {
		if n > 0 && len(symbols) < 3 {
			symbols = append(symbols, s)
		}
	}
	return symbols
}

// treeNode is a node of a Huffman tree: a leaf where left is nil.
type treeNode struct {
	weight, symbol int
	left, right    *treeNode
}

type treeHeap []*treeNode

func (h treeHeap) Len() int { return len(h) }
func (h treeHeap) Less(i, j int) bool {
	if h[i].weight != h[j].weight {
		return h[i].weight < h[j].weight
	}
	return h[i].symbol < h[j].symbol
}
func (h treeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *treeHeap) Push(x any)   { *h = append(*h, x.(*treeNode)) }
func (h *treeHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// treeDepths returns the depth of each symbol in the Huffman tree; 1 for the only one.
func treeDepths(weights []int) []int {
	depths := make([]int, len(weights))
	h := &treeHeap{}
	for s, w := range weights {
		if w > 0 {
			heap.Push(h, &treeNode{weight: w, symbol: s})
		}
	}
	if h.Len() == 1 {
		depths[(*h)[0].symbol] = 1
		return depths
	}
	for h.Len() > 1 {
		a, b := heap.Pop(h).(*treeNode), heap.Pop(h).(*treeNode)
		heap.Push(h, &treeNode{a.weight + b.weight, min(a.symbol, b.symbol), a, b})
	}
	var walk func(n *treeNode, depth int)
	walk = func(n *treeNode, depth int) {
		if n.left == nil {
			depths[n.symbol] = depth
			return
		}
		walk(n.left, depth+1)
		walk(n.right, depth+1)
	}
	if h.Len() == 1 {
		walk((*h)[0], 0)
	}
	return depths
}
