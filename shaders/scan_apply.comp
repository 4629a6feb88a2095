#version 450
#include "common.glsl"
#include "gen/scan_apply.glsl"
#include "subgroup.glsl"
#include "scan.glsl"

const uint EACH = SCAN_BLOCK / 256u; // consecutive elements of an invocation

// Writes the exclusive scan of the elements.
void main() {
	uint n = counts[c_count], first = group_id() * SCAN_BLOCK + sg_index() * EACH, sum = 0u;
	uint v[EACH];
	for (uint k = 0; k < EACH; k++) {
		v[k] = first + k < n ? in_[first + k] : 0u;
		v[k] = c_flags != 0u ? min(v[k], 1u) : v[k];
		sum = add_saturating(sum, v[k]);
	}
	uint total;
	uint before = group_scan(sum, total);
	if (first >= n) {
		return;
	}
	before = add_saturating(before, sums[group_id()]);
	for (uint k = 0; k < EACH; k++) {
		if (first + k < n) {
			out_[first + k] = before;
		}
		before = add_saturating(before, v[k]);
	}
}
