#version 450
#include "common.glsl"
#include "gen/ranges.glsl"

// lower_bound is the place of the first of n sorted keys that is not below key.
uint lower_bound(uint n, uint key) {
	uint from = 0u, to = n;
	while (from < to) {
		uint middle = from + (to - from) / 2u;
		if (keys[middle] < key) {
			from = middle + 1u;
		} else {
			to = middle;
		}
	}
	return from;
}

// Finds each tile's pairs in the sorted keys: ranges[2t] is the first, ranges[2t+1]
// one beyond the last.
void main() {
	uint t = invocation_id();
	if (t >= counts[COUNT_TILES]) {
		return;
	}
	uint n = counts[COUNT_PAIRS];
	ranges[2u * t] = lower_bound(n, t);
	ranges[2u * t + 1u] = lower_bound(n, t + 1u);
}
