package hostprof

import (
	"math"
	"time"
)

// bridgeWindow is how many submissions are looked back at: clocks drift apart.
const bridgeWindow = 64

// bridge relates the device's clock to the host's by what must be so: the device begins
// a submission after it was handed over, and ends it before the host sees that. Each
// submission bounds the difference of the clocks from both sides; the bounds of several
// together are some microseconds apart, by the fastest start and the fastest waking up.
type bridge struct {
	low, high [bridgeWindow]time.Duration
	n         int
}

// see adds a submission; submitted and seen are on the host's clock.
func (b *bridge) see(submitted, from, to, seen time.Duration) {
	i := b.n % bridgeWindow
	b.low[i], b.high[i] = submitted-from, seen-to
	b.n++
}

// offset is what to add to the device's time, and how far off it may be.
func (b *bridge) offset() (offset, within time.Duration) {
	low, high := time.Duration(math.MinInt64), time.Duration(math.MaxInt64)
	for i := range min(b.n, bridgeWindow) {
		low, high = max(low, b.low[i]), min(high, b.high[i])
	}
	if b.n == 0 {
		return 0, 0
	}
	return low + (high-low)/2, (high - low).Abs() / 2
}
