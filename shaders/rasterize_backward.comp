#version 450
#include "common.glsl"
#include "gen/rasterize_backward.glsl"
#include "math.glsl"
#include "blend.glsl"
#include "subgroup.glsl"
#include "pass.glsl"

shared vec4 batch_shape[256];
shared vec4 batch_form[256];
shared vec2 batch_color[256];
shared vec4 pixels[TILE_PIXELS];  // see meet
shared uint reaches[TILE_PIXELS]; // splats of the tile that each pixel went through
shared vec2 states[BUCKETS_A_GROUP * TILE_PIXELS]; // t and front of each pixel in front of each bucket

// Writes the slots of a tile without kept states: 256 splats at a time are blended
// again, an invocation a pixel, which gives the states in front of eight buckets; these
// are then passed as in rasterize_backward_buckets, with the same bits.
void main() {
	uint tile = group_id(), i = gl_LocalInvocationIndex;
	if (tile >= step_.TilesX * step_.TilesY) {
		return;
	}
	uint begin = ranges[2u * tile], beyond = ranges[2u * tile + 1u];
	uvec2 here = tile_pixel(tile, i);
	uint reached;
	vec4 pixel = pixel_at(here, reached);
	pixels[i] = pixel;
	reaches[i] = reached;
	vec2 centre = vec2(float(here.x) + 0.5, float(here.y) + 0.5);
	vec3 color = vec3(0.0);
	float t = 1.0;
	uint lane = sg_index() % BUCKET, bucket = sg_index() / BUCKET;
	for (uint from = begin; from < beyond; from += 256u) {
		uint n = min(beyond - from, 256u);
		barrier();
		if (i < n) {
			Splat s = load_splat(owners[pairs[from + i]]);
			batch_shape[i] = vec4(s.mean, s.opacity, s.least);
			batch_form[i] = vec4(s.k, s.color.r);
			batch_color[i] = s.color.gb;
		}
		barrier();
		for (uint k = 0; k < n; k++) {
			if (k % BUCKET == 0u) {
				states[(k / BUCKET) * TILE_PIXELS + i] = vec2(t, front_of(color, pixel.rgb));
			}
			if (from - begin + k >= reached) {
				continue;
			}
			vec4 shape = batch_shape[k], form = batch_form[k];
			float raw, alpha = alpha_of(form.xyz, shape.z, shape.w, centre - shape.xy, raw);
			if (raw == 0.0) {
				continue;
			}
			precise float after = t * (1.0 - alpha);
			precise float w = alpha * t;
			precise vec3 sum = fma(vec3(w), vec3(form.w, batch_color[k]), color);
			color = sum;
			t = after;
		}
		barrier();
		uint position = from - begin + bucket * BUCKET + lane;
		bool mine = begin + position < beyond;
		uint pair = mine ? pairs[begin + position] : 0u;
		uint owner = mine ? owners[pair] : 0u;
		Splat s = load_splat(owner);
		Sums o = Sums(vec3(0.0), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, vec2(0.0));
		Traveller q = Traveller(0.0, 0.0);
		vec2 corner = vec2(tile_pixel(tile, 0u)) + 0.5;
		for (uint turn = 0u; turn < TILE_PIXELS + BUCKET - 1u; turn++) {
			q = shuffle_up(q);
			uint p = turn - lane;
			if (turn < lane || p >= TILE_PIXELS) {
				continue;
			}
			if (lane == 0u) {
				vec2 state = states[bucket * TILE_PIXELS + p];
				q = Traveller(state.x, state.y);
			}
			if (mine && position < reaches[p]) {
				meet(q, o, s, corner + vec2(float(p % TILE_SIZE), float(p / TILE_SIZE)) - s.mean, pixels[p]);
			}
		}
		if (mine) {
			store(pair, o, s);
		}
	}
	if (tile == step_.TilesX * step_.TilesY - 1u) {
		clear_padding();
	}
}
