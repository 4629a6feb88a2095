#version 450
#include "common.glsl"
#include "gen/sort_scatter.glsl"
#include "subgroup.glsl"
#include "rank.glsl"

// Moves each key and its value to its place.
void main() {
	uint n = counts[c_count], from = group_id() * SORT_BLOCK, d = gl_LocalInvocationIndex;
	uint key[ROUNDS], rank[ROUNDS];
	rank_keys(from, n, key, rank);
	place_digit(d, from < n ? offsets[d * blocks(n, SORT_BLOCK) + group_id()] : 0u);
	move_keys(from, n, key, rank);
}
