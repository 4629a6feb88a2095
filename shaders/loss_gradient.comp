#version 450
#include "common.glsl"
#include "gen/loss_gradient.glsl"
#include "math.glsl"
#include "target.glsl"

shared vec3 patch_[SIDE * SIDE];     // the three derivative maps of a channel
shared vec3 rows_[SIDE * TILE_SIZE]; // convolved along x

void load_patch(uvec2 corner, uint c) {
	int halo = int(c_window / 2u);
	uint size = step_.Width * step_.Height;
	for (uint k = gl_LocalInvocationIndex; k < SIDE * SIDE; k += 256u) {
		int x = int(corner.x + k % SIDE) - halo, y = int(corner.y + k / SIDE) - halo;
		vec3 v = vec3(0.0);
		if (x >= 0 && y >= 0 && x < int(step_.Width) && y < int(step_.Height)) {
			uint at = 3u * c * size + uint(y) * step_.Width + uint(x);
			v = vec3(maps[at], maps[at + size], maps[at + 2u * size]);
		}
		patch_[k] = v;
	}
}

void convolve_rows() {
	uint half_ = c_window / 2u;
	for (uint k = gl_LocalInvocationIndex; k < SIDE * TILE_SIZE; k += 256u) {
		uint at = k / TILE_SIZE * SIDE + k % TILE_SIZE;
		vec3 sum = vec3(0.0);
		for (uint j = 0; j < half_; j++) {
			sum += window[j] * (patch_[at + j] + patch_[at + c_window - 1u - j]);
		}
		rows_[k] = sum + window[half_] * patch_[at + half_];
	}
}

vec3 convolve_column(uint i) {
	uint half_ = c_window / 2u;
	vec3 sum = vec3(0.0);
	for (uint j = 0; j < half_; j++) {
		sum += window[j] * (rows_[i + j * TILE_SIZE] + rows_[i + (c_window - 1u - j) * TILE_SIZE]);
	}
	return sum + window[half_] * rows_[i + half_ * TILE_SIZE];
}

// Writes dL/dRGB of every pixel.
void main() {
	uint tile = group_id(), i = gl_LocalInvocationIndex;
	if (tile >= step_.TilesX * step_.TilesY) {
		return;
	}
	uvec2 corner = uvec2(tile % step_.TilesX, tile / step_.TilesX) * TILE_SIZE;
	uvec2 pixel = corner + uvec2(i % TILE_SIZE, i / TILE_SIZE);
	bool inside = pixel.x < step_.Width && pixel.y < step_.Height;
	uint at = pixel.y * step_.Width + pixel.x;
	float weight = 0.0;
	vec3 rgb = vec3(0.0);
	if (inside) {
		rgb = target(pixel.x, pixel.y, weight);
	}
	for (uint c = 0; c < 3u; c++) {
		barrier();
		load_patch(corner, c);
		barrier();
		convolve_rows();
		barrier();
		if (inside) {
			vec3 back = convolve_column(i);
			float x = weight * image[at][c], y = weight * rgb[c];
			float ssim = back.x + 2.0 * x * back.y + y * back.z;
			gradient[3u * at + c] = step_.LossScale * weight * ((1.0 - step_.SSIMLambda) * sign_(x - y) - step_.SSIMLambda * ssim);
		}
	}
}
