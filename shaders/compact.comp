#version 450
#include "common.glsl"
#include "gen/compact.glsl"

// Lists the visible splats in splat order, with their depth as sort key: the bits of
// a positive real order as the numbers do.
void main() {
	uint i = invocation_id();
	if (i >= counts[COUNT_SPLATS] || tiles[i] == 0u) {
		return;
	}
	uint at = offsets[i];
	keys[at] = floatBitsToUint(proj[i * (PROJ_ROW / 4u) + PROJ_DEPTH / 4u][PROJ_DEPTH % 4u]);
	ids[at] = i;
}
