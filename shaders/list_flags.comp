#version 450
#include "common.glsl"
#include "gen/list_flags.glsl"

// Writes the indices of the set flags, in order, given their scan.
void main() {
	uint i = invocation_id();
	if (i < counts[COUNT_SPLATS] && flags[i] != 0u) {
		list[offsets[i]] = i;
	}
}
