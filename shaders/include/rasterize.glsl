// The forward raster pass: a workgroup a tile, an invocation a pixel, 256 splats at a time.
// A block of 8x4 pixels walks through those that reach it. With SAVING, each pixel's state
// in front of every bucket is kept.
#include "math.glsl"
#include "blend.glsl"
#include "blocks.glsl"

const uint BLOCKS = 8u; // of a tile
const uint BATCH = 256u;
const uint WORDS = BATCH / 32u;

// Shade is a pixel so far.
struct Shade {
	vec3 color;
	float t;
	uint deepest; // one more than the number of the last splat it blended
	bool done;
};

shared vec4 batch_shape[BATCH]; // mean, opacity
shared vec4 batch_form[BATCH];  // k, red
shared vec2 batch_color[BATCH]; // green, blue
shared uint reaches[BLOCKS * WORDS]; // for each block and 32 splats of the batch: which reach it
shared uint open_pixels;

// block_at is where a block begins in its tile, place_of where an invocation's pixel lies.
uvec2 block_at(uint b) { return uvec2((b & 1u) * 8u, (b >> 1) * 4u); }
uvec2 place_of(uint i) { return block_at(i >> 5) + uvec2(i & 7u, i >> 3 & 3u); }

// load puts n splats, those of the pairs from begin on, where all can read them, and sets
// the bits of the blocks that they may reach. corner is the tile's first pixel centre.
void load(uint begin, uint n, vec2 corner) {
	uint i = gl_LocalInvocationIndex;
	if (i >= n) {
		return;
	}
	Splat s = load_splat(owners[pairs[begin + i]]);
	batch_shape[i] = vec4(s.mean, s.opacity, 0.0);
	batch_form[i] = vec4(s.k, s.color.r);
	batch_color[i] = s.color.gb;
	for (uint b = 0; b < BLOCKS; b++) {
		vec2 low = corner + vec2(block_at(b)) - s.mean;
		if (reaches_block(low, low + vec2(7.0, 3.0), s.k, s.least)) {
			atomicOr(reaches[b * WORDS + i / 32u], 1u << (i & 31u));
		}
	}
}

// opacity_at is the alpha of splat k of the batch at a pixel centre, 0 where it does not
// reach.
float opacity_at(uint k, vec2 at) {
	vec4 shape = batch_shape[k];
	float raw;
	return alpha_of(batch_form[k].xyz, shape.z, at - shape.xy, raw);
}

// blend puts splat k of the batch, number of the tile, behind a pixel, unless that is done.
// Without branches: most lanes of a block take part.
void blend(inout Shade s, float alpha, uint k, uint number) {
	precise float after = s.t * (1.0 - alpha);
	s.done = s.done || after <= MIN_TRANSMITTANCE;
	bool takes = !s.done && alpha > 0.0;
	precise float w = takes ? alpha * s.t : 0.0;
	precise vec3 sum = fma(vec3(w), vec3(batch_form[k].w, batch_color[k]), s.color);
	s.color = sum;
	s.t = takes ? after : s.t;
	s.deepest = takes ? number + 1u : s.deepest;
}

// walk takes a pixel past those of 32 splats that bits tells; the first is number from of
// the batch and number first of the tile. Two at a time: their alphas do not depend on
// each other.
void walk(inout Shade s, uint bits, uint from, uint first, vec2 at) {
	while (bits != 0u && !s.done) {
		uint k = uint(findLSB(bits));
		bits &= bits - 1u;
		bool two = bits != 0u;
		uint l = two ? uint(findLSB(bits)) : k;
		bits &= bits - 1u;
		float a = opacity_at(from + k, at), b = two ? opacity_at(from + l, at) : 0.0;
		blend(s, a, from + k, first + k);
		blend(s, b, from + l, first + l);
	}
}

void main() {
	uint tile = group_id(), i = gl_LocalInvocationIndex;
	if (tile >= step_.TilesX * step_.TilesY) {
		return;
	}
	uint first = ranges[2u * tile], beyond = ranges[2u * tile + 1u];
#ifdef SAVING
	uint base = first / BUCKET + tile, next = beyond / BUCKET + tile + 1u, used = base + blocks(beyond - first, BUCKET);
	for (uint b = base + i; b < next; b += 256u) {
		bucket_tiles[b] = b < used ? tile : NO_TILE;
	}
#endif
	uvec2 place = place_of(i), pixel = tile_at(tile) + place;
	bool inside = pixel.x < step_.Width && pixel.y < step_.Height;
	vec2 corner = corner_of(tile), at = vec2(pixel) + 0.5;
	Shade s = Shade(vec3(0.0), 1.0, 0u, !inside);
	if (i == 0u) {
		open_pixels = 0u;
	}
	barrier();
	if (inside) {
		atomicAdd(open_pixels, 1u);
	}
	for (uint from = first; from < beyond; from += BATCH) {
		barrier();
		if (open_pixels == 0u) {
			break;
		}
		if (i < BLOCKS * WORDS) {
			reaches[i] = 0u;
		}
		barrier();
		uint n = min(beyond - from, BATCH);
		load(from, n, corner);
		barrier();
		bool was_done = s.done;
		for (uint word = 0; word * 32u < n && !s.done; word++) {
			uint number = from - first + word * 32u;
#ifdef SAVING
			if (number % BUCKET == 0u) {
				checkpoints[(base + number / BUCKET) * TILE_PIXELS + place.y * TILE_SIZE + place.x] = vec4(s.t, s.color);
			}
#endif
			walk(s, reaches[(i >> 5) * WORDS + word], word * 32u, number, at);
		}
		if (s.done && !was_done) {
			atomicAdd(open_pixels, 0xFFFFFFFFu);
		}
	}
	if (inside) {
		uint p = pixel.y * step_.Width + pixel.x;
		image[p] = vec4(fma(vec3(s.t), vec3(step_.Background[0], step_.Background[1], step_.Background[2]), s.color), s.t);
		last[p] = s.deepest;
	}
}
