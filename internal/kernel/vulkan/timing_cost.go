package vulkan

import (
	"math"
	"slices"
	"time"
)

// How often a step is measured.
const (
	firstEvery  = 10    // while the cost is not known
	leastEvery  = 10    // however little it costs
	mostEvery   = 500   // so that short runs have some
	allowance   = 0.008 // of a step, on average: below the 1 % that are promised
	costSamples = 24    // of each kind that the cost is taken from
)

// cost is what measuring a step costs, by the device's clock: measured steps against plain
// ones of which only beginning and end are stamped. They take turns until enough are known;
// after that every fourth one is a plain one, since the splats grow.
type cost struct {
	every           int // of so many runs one is measured
	since           int // runs since the last one that was
	turn            int // of measuring
	measured, plain samples
}

// samples are the newest totals.
type samples struct {
	list [costSamples]time.Duration
	n    int
}

func (s *samples) add(d time.Duration) {
	s.list[s.n%costSamples] = d
	s.n++
}

// median is that of the newest samples, 0 of none.
func (s *samples) median() time.Duration {
	known := s.list
	list := known[:min(s.n, costSamples)]
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// wantsPlain reports whether it is a plain step's turn.
func (c *cost) wantsPlain() bool {
	if c.plain.n < costSamples {
		return c.turn%2 == 1
	}
	return c.turn%4 == 3
}

// add notes a step and chooses anew how often one is measured.
func (c *cost) add(total time.Duration, measured bool) {
	if measured {
		c.measured.add(total)
	} else {
		c.plain.add(total)
	}
	if enough := costSamples / 2; c.measured.n < enough || c.plain.n < enough {
		return
	}
	c.every = min(max(int(math.Ceil(c.relative()/allowance)), leastEvery), mostEvery)
}

// relative is how much longer a measured step takes, as a part of a plain one.
func (c *cost) relative() float64 {
	plain := c.plain.median()
	if plain <= 0 || c.measured.n == 0 {
		return 0
	}
	return max(float64(c.measured.median()-plain)/float64(plain), 0)
}
