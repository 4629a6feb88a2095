// The forward raster pass: a workgroup a tile, an invocation a pixel, 256 splats at a
// time. 32 invocations take a block of 8x4 pixels, which mostly see the same splats, and
// pass over those that do not reach the block. With SAVING, each pixel's state in front
// of every bucket is kept.
#include "math.glsl"
#include "blend.glsl"

const uint BLOCKS = 8u; // of 8x4 pixels in a tile

shared vec4 batch_shape[256]; // mean, opacity, least
shared vec4 batch_form[256];  // k, red
shared vec2 batch_color[256]; // green, blue
shared uint reaches[BLOCKS * 8u]; // for each block and 32 splats of the batch: which reach it
shared uint open_pixels;

// mark sets the bits of the blocks that splat i of the batch may reach, by its bounding
// box with a margin for rounding. corner is the tile's first pixel centre.
void mark(uint i, Splat s, vec2 corner) {
	vec2 half_ = s.extent + 0.01, low = s.mean - half_ - corner, high = s.mean + half_ - corner;
	for (uint b = 0; b < BLOCKS; b++) {
		vec2 at = vec2(float(b & 1u) * 8.0, float(b >> 1) * 4.0);
		// Written so that a box that is not a number reaches every block.
		if (!(high.x < at.x || low.x > at.x + 7.0 || high.y < at.y || low.y > at.y + 3.0)) {
			atomicOr(reaches[b * 8u + i / 32u], 1u << (i & 31u));
		}
	}
}

void main() {
	uint tile = group_id(), i = gl_LocalInvocationIndex, block = i >> 5;
	if (tile >= step_.TilesX * step_.TilesY) {
		return;
	}
	uint px = (i & 7u) | (block & 1u) << 3, py = (i >> 3 & 3u) | (block >> 1) << 2, p = py * TILE_SIZE + px;
	uvec2 first_pixel = uvec2(tile % step_.TilesX, tile / step_.TilesX) * TILE_SIZE;
	uint x = first_pixel.x + px, y = first_pixel.y + py;
	bool inside = x < step_.Width && y < step_.Height, done = !inside;
	uint first = ranges[2u * tile], beyond = ranges[2u * tile + 1u];
#ifdef SAVING
	uint place = first / BUCKET + tile, next = beyond / BUCKET + tile + 1u, used = place + blocks(beyond - first, BUCKET);
	for (uint b = place + i; b < next; b += 256u) {
		bucket_tiles[b] = b < used ? tile : NO_TILE;
	}
#endif
	vec2 pixel = vec2(float(x) + 0.5, float(y) + 0.5), corner = vec2(first_pixel) + 0.5;
	float t = 1.0;
	vec3 color = vec3(0.0);
	uint deepest = 0u;
	if (i == 0u) {
		open_pixels = 0u;
	}
	barrier();
	if (inside) {
		atomicAdd(open_pixels, 1u);
	}
	for (uint from = first; from < beyond; from += 256u) {
		barrier();
		if (open_pixels == 0u) {
			break;
		}
		if (i < BLOCKS * 8u) {
			reaches[i] = 0u;
		}
		barrier();
		uint n = min(beyond - from, 256u);
		if (i < n) {
			Splat s = load_splat(owners[pairs[from + i]]);
			mark(i, s, corner);
			batch_shape[i] = vec4(s.mean, s.opacity, s.least);
			batch_form[i] = vec4(s.k, s.color.r);
			batch_color[i] = s.color.gb;
		}
		barrier();
		bool was_done = done;
		for (uint word = 0; word * 32u < n && !done; word++) {
#ifdef SAVING
			checkpoints[(place + (from - first) / BUCKET + word) * TILE_PIXELS + p] = vec4(t, color);
#endif
			for (uint bits = reaches[block * 8u + word]; bits != 0u; bits &= bits - 1u) {
				uint k = word * 32u + uint(findLSB(bits));
				vec4 shape = batch_shape[k], form = batch_form[k];
				float raw, alpha = alpha_of(form.xyz, shape.z, shape.w, pixel - shape.xy, raw);
				if (raw == 0.0) {
					continue;
				}
				precise float after = t * (1.0 - alpha);
				if (after <= MIN_TRANSMITTANCE) {
					done = true;
					break;
				}
				precise float w = alpha * t;
				precise vec3 sum = fma(vec3(w), vec3(form.w, batch_color[k]), color);
				color = sum;
				t = after;
				deepest = from - first + k + 1u;
			}
		}
		if (done && !was_done) {
			atomicAdd(open_pixels, 0xFFFFFFFFu);
		}
	}
	if (inside) {
		uint at = y * step_.Width + x;
		image[at] = vec4(fma(vec3(t), vec3(step_.Background[0], step_.Background[1], step_.Background[2]), color), t);
		last[at] = deepest;
	}
}
