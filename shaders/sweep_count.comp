#version 450
#include "common.glsl"
#include "gen/sweep_count.glsl"

shared uint bins[SWEEP_PASSES * RADIX];

// Adds a block's digits to the counts of every pass. Integers: order does not matter.
void main() {
	uint n = counts[c_count], from = group_id() * SORT_BLOCK, d = gl_LocalInvocationIndex;
	if (from >= n) {
		return;
	}
	for (uint pass = 0u; pass < c_passes; pass++) {
		bins[pass * RADIX + d] = 0u;
	}
	barrier();
	for (uint i = from + d; i < min(from + SORT_BLOCK, n); i += 256u) {
		uint key = keys[i];
		for (uint pass = 0u; pass < c_passes; pass++) {
			atomicAdd(bins[pass * RADIX + (key >> 8u * pass & (RADIX - 1u))], 1u);
		}
	}
	barrier();
	for (uint pass = 0u; pass < c_passes; pass++) {
		uint count = bins[pass * RADIX + d];
		if (count > 0u) {
			atomicAdd(sweep[pass * RADIX + d], count);
		}
	}
}
