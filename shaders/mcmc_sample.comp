#version 450
#include "common.glsl"
#include "gen/mcmc_sample.glsl"
#include "rand.glsl"

// owner_of is the last of n splats whose offset is at most at. The next offset, or the
// total, is beyond it, so its weight is not 0.
uint owner_of(uint at, uint n) {
	uint from = 0u, to = n;
	while (from < to) {
		uint middle = from + (to - from) / 2u;
		if (offsets[middle] <= at) {
			from = middle + 1u;
		} else {
			to = middle;
		}
	}
	return from - 1u;
}

// Draws a source for each row to fill: the splat in whose share of the weight's scan
// a random number falls.
void main() {
	uint j = invocation_id();
	if (j >= counts[COUNT_DRAWS]) {
		return;
	}
	uint seed = hash(refine.Seed, STREAM_SAMPLE, c_round);
	uint i = owner_of(below(hash(seed, j, 0u), counts[COUNT_WEIGHT]), counts[COUNT_SPLATS]);
	picks[j] = i;
	atomicAdd(drawn[i], 1u); // an integer sum: order does not matter
}
