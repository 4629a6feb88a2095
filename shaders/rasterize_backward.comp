#version 450
#include "common.glsl"
#include "gen/rasterize_backward.glsl"
#include "math.glsl"
#include "blend.glsl"
#include "subgroup.glsl"
#include "blocks.glsl"
#define RECOMPUTE
#include "pass.glsl"

// Writes the slots of a tile without kept states: bucket after bucket, with the same bits
// as rasterize_backward_buckets.
void main() {
	uint tile = group_id();
	if (tile >= step_.TilesX * step_.TilesY) {
		return;
	}
	uint begin = ranges[2u * tile], pairs_ = ranges[2u * tile + 1u] - begin;
	Pixel p[2] = Pixel[2](pixel_of(tile, 0u), pixel_of(tile, 1u));
	for (uint first = 0u; first < pairs_; first += BUCKET) {
		p[0].front = front_of(p[0].color, p[0].g.rgb);
		p[1].front = front_of(p[1].color, p[1].g.rgb);
		pass_bucket(p, begin + first, min(pairs_ - first, BUCKET), first, corner_of(tile));
	}
	if (tile == step_.TilesX * step_.TilesY - 1u) {
		clear_padding();
	}
}
