#version 450
#include "common.glsl"
#include "gen/sort_count.glsl"

shared uint bins[RADIX];

// Writes the histogram of each block of SORT_BLOCK keys, digit by digit.
void main() {
	uint n = counts[c_count], from = group_id() * SORT_BLOCK, d = gl_LocalInvocationIndex;
	bins[d] = 0u;
	barrier();
	for (uint i = from + d; i < min(from + SORT_BLOCK, n); i += 256u) {
		atomicAdd(bins[keys[i] >> c_shift & (RADIX - 1u)], 1u); // integers: order does not matter
	}
	barrier();
	if (from < n) {
		histogram[d * blocks(n, SORT_BLOCK) + group_id()] = bins[d];
	}
}
