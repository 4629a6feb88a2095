#version 450
#include "common.glsl"
#include "gen/set_pairs.glsl"
#include "work.glsl"

// Turns the number of pairs, left by the scan, into the work that follows. More pairs
// than the buffers hold turn the rest of the step into a no-op and leave word for the
// host.
void main() {
	uint n = counts[COUNT_PAIRS];
	if (step_.Noop != NOOP_NONE || counts[COUNT_VISIBLE] == 0u) {
		n = 0u;
	}
	control.PeakPairs = max(control.PeakPairs, n);
	if (n > c_capacity) {
		control.Overflow |= OVERFLOW_PAIRS;
		control.NeedPairs = n;
		step_.Noop = NOOP_OVERFLOW;
		clear_counts();
		return;
	}
	set_count(COUNT_PAIRS, n);
	set_count(COUNT_PAIR_DIGITS, digits(n));
	set_count(COUNT_BUCKETS, n / BUCKET + counts[COUNT_TILES]);
}
