#version 450
#include "common.glsl"
#include "gen/rasterize_backward_buckets.glsl"
#include "math.glsl"
#include "blend.glsl"
#include "subgroup.glsl"
#include "blocks.glsl"
#include "pass.glsl"

// Writes the slots of a bucket, from the states that the forward pass kept.
void main() {
	uint place = group_id();
	if (place == 0u) {
		clear_padding();
	}
	uint tile = place < counts[COUNT_BUCKETS] ? bucket_tiles[place] : NO_TILE;
	if (tile == NO_TILE) {
		return;
	}
	uint begin = ranges[2u * tile], first = (place - (begin / BUCKET + tile)) * BUCKET;
	uint n = min(ranges[2u * tile + 1u] - begin - first, BUCKET);
	Pixel p[2] = Pixel[2](pixel_of(tile, 0u), pixel_of(tile, 1u));
	for (uint h = 0u; h < 2u; h++) {
		if (p[h].reached > first) {
			uvec2 at = place_of(h);
			vec4 saved = checkpoints[place * TILE_PIXELS + at.y * TILE_SIZE + at.x];
			p[h].t = saved.x;
			p[h].front = front_of(saved.yzw, p[h].g.rgb);
		}
	}
	pass_bucket(p, begin + first, n, first, corner_of(tile));
}
