#version 450
#include "common.glsl"
#include "gen/scan_top.glsl"
#include "subgroup.glsl"
#include "scan.glsl"

// Turns the block sums into offsets and stores the total in counts.
void main() {
	uint n = blocks(counts[c_count], SCAN_BLOCK), sum = 0u;
	for (uint from = 0u; from < n; from += 256u) {
		uint i = from + sg_index(), total;
		uint before = group_scan(i < n ? sums[i] : 0u, total);
		if (i < n) {
			sums[i] = add_saturating(sum, before);
		}
		sum = add_saturating(sum, total);
	}
	barrier();
	if (sg_index() == 0u) {
		counts[c_total] = sum;
	}
}
