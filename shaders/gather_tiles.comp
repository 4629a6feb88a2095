#version 450
#include "common.glsl"
#include "gen/gather_tiles.glsl"

// Brings the tile counts into depth order.
void main() {
	uint r = invocation_id();
	if (r < counts[COUNT_VISIBLE]) {
		ordered[r] = tiles[ids[r]];
	}
}
