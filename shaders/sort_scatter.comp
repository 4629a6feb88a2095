#version 450
#include "common.glsl"
#include "gen/sort_scatter.glsl"
#include "subgroup.glsl"

const uint ROUNDS = SORT_BLOCK / 256u;

// places holds, for each subgroup and digit, how many keys the subgroup has of it and
// later where they go. Subgroups are at least 32 wide.
shared uint places[8u * RADIX];

// Moves each key and its value to its place. A subgroup takes consecutive keys, SG_WIDTH
// at a time, so that equal digits keep their order.
void main() {
	uint n = counts[c_count], from = group_id() * SORT_BLOCK, row = sg_id() * RADIX;
	for (uint k = gl_LocalInvocationIndex; k < 8u * RADIX; k += 256u) {
		places[k] = 0u;
	}
	barrier();
	uint key[ROUNDS], rank[ROUNDS];
	uint first = from + sg_id() * SG_WIDTH * ROUNDS + sg_lane();
	for (uint r = 0; r < ROUNDS; r++) {
		uint i = first + r * SG_WIDTH;
		bool valid = i < n;
		key[r] = valid ? keys[i] : 0u;
		uint digit = key[r] >> c_shift & (RADIX - 1u);
		uvec2 mask = sg_match(digit, valid);
		uint earlier = places[row + digit], before = sg_before(mask);
		rank[r] = earlier + before;
		sg_sync();
		if (valid && before == 0u) {
			places[row + digit] = earlier + sg_count(mask);
		}
		sg_sync();
	}
	barrier();
	uint d = gl_LocalInvocationIndex;
	uint at = from < n ? offsets[d * blocks(n, SORT_BLOCK) + group_id()] : 0u;
	for (uint s = 0; s < 256u / SG_WIDTH; s++) {
		uint count = places[s * RADIX + d];
		places[s * RADIX + d] = at;
		at += count;
	}
	barrier();
	for (uint r = 0; r < ROUNDS; r++) {
		uint i = first + r * SG_WIDTH;
		if (i < n) {
			uint to = places[row + (key[r] >> c_shift & (RADIX - 1u))] + rank[r];
			keys_out[to] = key[r];
			values_out[to] = values[i];
		}
	}
}
