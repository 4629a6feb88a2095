#version 450
#include "common.glsl"
#include "gen/scan_reduce.glsl"
#include "subgroup.glsl"
#include "scan.glsl"

// Writes the sum of each block of SCAN_BLOCK elements.
void main() {
	uint n = counts[c_count], from = group_id() * SCAN_BLOCK, sum = 0u;
	for (uint i = from + sg_index(); i < min(from + SCAN_BLOCK, n); i += 256u) {
		uint v = in_[i];
		sum = add_saturating(sum, c_flags != 0u ? min(v, 1u) : v);
	}
	uint total;
	group_scan(sum, total);
	if (sg_index() == 0u && from < n) {
		sums[group_id()] = total;
	}
}
