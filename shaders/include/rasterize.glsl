// The forward raster pass: a workgroup a tile, an invocation a pixel. With SAVING, each
// pixel's state in front of every bucket is kept.
#include "math.glsl"
#include "blend.glsl"

shared vec4 batch_shape[256]; // mean, opacity, least
shared vec4 batch_form[256];  // k, red
shared vec2 batch_color[256]; // green, blue
shared uint open_pixels;

void main() {
	uint tile = group_id(), i = gl_LocalInvocationIndex;
	if (tile >= step_.TilesX * step_.TilesY) {
		return;
	}
	uint x = tile % step_.TilesX * TILE_SIZE + i % TILE_SIZE, y = tile / step_.TilesX * TILE_SIZE + i / TILE_SIZE;
	bool inside = x < step_.Width && y < step_.Height, done = !inside;
	uint first = ranges[2u * tile], beyond = ranges[2u * tile + 1u];
#ifdef SAVING
	uint place = first / BUCKET + tile, next = beyond / BUCKET + tile + 1u, used = place + blocks(beyond - first, BUCKET);
	for (uint b = place + i; b < next; b += 256u) {
		bucket_tiles[b] = b < used ? tile : NO_TILE;
	}
#endif
	vec2 pixel = vec2(float(x) + 0.5, float(y) + 0.5);
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
		barrier();
		uint n = min(beyond - from, 256u);
		if (i < n) {
			Splat s = load_splat(owners[pairs[from + i]]);
			batch_shape[i] = vec4(s.mean, s.opacity, s.least);
			batch_form[i] = vec4(s.k, s.color.r);
			batch_color[i] = s.color.gb;
		}
		barrier();
		bool was_done = done;
		for (uint k = 0; k < n && !done; k++) {
#ifdef SAVING
			if ((from - first + k) % BUCKET == 0u) {
				uint at = ((place + (from - first + k) / BUCKET) * TILE_PIXELS + i) * SAVED_ROW;
				checkpoints[at] = t;
				checkpoints[at + 1u] = color.r;
				checkpoints[at + 2u] = color.g;
				checkpoints[at + 3u] = color.b;
			}
#endif
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
		if (done && !was_done) {
			atomicAdd(open_pixels, 0xFFFFFFFFu);
		}
	}
	if (inside) {
		uint at = y * step_.Width + x;
		image[4u * at] = fma(t, step_.Background[0], color.r);
		image[4u * at + 1u] = fma(t, step_.Background[1], color.g);
		image[4u * at + 2u] = fma(t, step_.Background[2], color.b);
		image[4u * at + 3u] = t;
		last[at] = deepest;
	}
}
