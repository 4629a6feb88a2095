package pack

import (
	"cmp"
	"slices"

	"splat/internal/gaussian"
)

// Morton returns the splats in the order of a curve through space that keeps
// neighbours together: packed formats gain from it. Equal clouds give equal orders.
func Morton(c *gaussian.Cloud) []int {
	lo, hi := c.Bounds()
	keys := make([]uint64, c.Len())
	for i := range keys {
		m := c.Mean(i)
		for k := range 3 {
			keys[i] |= spread(cell(m[k], lo[k], hi[k])) << k
		}
	}
	order := make([]int, c.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	return order
}

// cell is the position of v between lo and hi in 2^20 steps.
func cell(v, lo, hi float64) uint64 {
	if !(hi > lo) {
		return 0
	}
	return uint64(min(max((v-lo)/(hi-lo), 0), 1) * (1<<20 - 1))
}

// spread puts two zeros between the bits of v.
func spread(v uint64) (s uint64) {
	for b := range 20 {
		s |= v >> b & 1 << (3 * b)
	}
	return s
}

// Sound returns the cloud without the splats that are not finite, and how many they
// are. A cloud without such splats is returned itself.
func Sound(c *gaussian.Cloud) (*gaussian.Cloud, int) {
	bad, _ := c.NonFinite()
	if bad == 0 {
		return c, 0
	}
	keep := make([]int, 0, c.Len()-bad)
	for i := range c.Len() {
		if c.Finite(i) {
			keep = append(keep, i)
		}
	}
	return c.Select(keep), bad
}
