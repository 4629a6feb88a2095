#version 450
#include "common.glsl"
#include "gen/sweep_clear.glsl"

// Clears the digits' counts and tickets, and what a block will say of itself.
void main() {
	uint block = group_id(), d = gl_LocalInvocationIndex, all = blocks(counts[c_count], SORT_BLOCK);
	for (uint k = d; block == 0u && k < SWEEP_STATES; k += 256u) {
		sweep[k] = 0u;
	}
	for (uint pass = 0u; pass < c_passes && block < all; pass++) {
		sweep[SWEEP_STATES + (pass * all + block) * RADIX + d] = 0u;
	}
}
