#version 450
#include "common.glsl"
#include "gen/loss.glsl"
#include "target.glsl"

const float SSIM_C1 = 0.01 * 0.01;
const float SSIM_C2 = 0.03 * 0.03;

shared vec2 patch_[SIDE * SIDE];           // render and target of a channel, weighted
shared vec4 rows_[SIDE * TILE_SIZE];       // convolved along x: render, target, squares, product
shared float sums[2 * 256];

// load_patch fills patch_ with one channel; outside the picture it is 0.
void load_patch(uvec2 corner, uint c) {
	int halo = int(c_window / 2u);
	for (uint k = gl_LocalInvocationIndex; k < SIDE * SIDE; k += 256u) {
		int x = int(corner.x + k % SIDE) - halo, y = int(corner.y + k / SIDE) - halo;
		vec2 v = vec2(0.0);
		if (x >= 0 && y >= 0 && x < int(step_.Width) && y < int(step_.Height)) {
			float weight;
			vec3 rgb = target(uint(x), uint(y), weight);
			v = weight * vec2(image[uint(y) * step_.Width + uint(x)][c], rgb[c]);
		}
		patch_[k] = v;
	}
}

vec4 terms(vec2 v) { return vec4(v, v.x * v.x + v.y * v.y, v.x * v.y); }

// convolve_rows convolves along x, mirrored taps first, from the outside in.
void convolve_rows() {
	uint half_ = c_window / 2u;
	for (uint k = gl_LocalInvocationIndex; k < SIDE * TILE_SIZE; k += 256u) {
		uint at = k / TILE_SIZE * SIDE + k % TILE_SIZE;
		vec4 sum = vec4(0.0);
		for (uint j = 0; j < half_; j++) {
			sum += window[j] * (terms(patch_[at + j]) + terms(patch_[at + c_window - 1u - j]));
		}
		rows_[k] = sum + window[half_] * terms(patch_[at + half_]);
	}
}

vec4 convolve_column(uint i) {
	uint half_ = c_window / 2u;
	vec4 sum = vec4(0.0);
	for (uint j = 0; j < half_; j++) {
		sum += window[j] * (rows_[i + j * TILE_SIZE] + rows_[i + (c_window - 1u - j) * TILE_SIZE]);
	}
	return sum + window[half_] * rows_[i + half_ * TILE_SIZE];
}

// ssim_at returns the SSIM of the moments and its weighted derivatives by mu1, E[x^2]
// and E[xy].
float ssim_at(vec4 m, float weight, out vec3 d) {
	float variances = max(m.z - m.x * m.x - m.y * m.y, 0.0), s12 = m.w - m.x * m.y;
	float a = m.x * m.x + m.y * m.y + SSIM_C1, b = variances + SSIM_C2;
	float c = 2.0 * m.x * m.y + SSIM_C1, e = 2.0 * s12 + SSIM_C2;
	float ia = 1.0 / a, ib = 1.0 / b, iab = ia * ib, value = c * e * iab;
	d.x = weight * 2.0 * (m.y * (e - c) * iab + m.x * value * (ib - ia));
	d.y = -weight * value * ib;
	d.z = weight * 2.0 * c * iab;
	return value;
}

// Writes the derivative maps and, for each tile, its sums of |x-y| and SSIM, weighted.
void main() {
	uint tile = group_id(), i = gl_LocalInvocationIndex;
	if (tile >= step_.TilesX * step_.TilesY) {
		return;
	}
	uvec2 corner = uvec2(tile % step_.TilesX, tile / step_.TilesX) * TILE_SIZE;
	uvec2 pixel = corner + uvec2(i % TILE_SIZE, i / TILE_SIZE);
	bool inside = pixel.x < step_.Width && pixel.y < step_.Height;
	uint size = step_.Width * step_.Height, at = pixel.y * step_.Width + pixel.x;
	float l1 = 0.0, ssim = 0.0, weight = 0.0;
	if (inside) {
		target(pixel.x, pixel.y, weight);
	}
	for (uint c = 0; c < 3u; c++) {
		barrier();
		load_patch(corner, c);
		barrier();
		convolve_rows();
		barrier();
		if (inside) {
			vec2 v = patch_[(i / TILE_SIZE + c_window / 2u) * SIDE + i % TILE_SIZE + c_window / 2u];
			l1 += abs(v.x - v.y);
			vec3 d;
			ssim += weight * ssim_at(convolve_column(i), weight, d);
			maps[(3u * c) * size + at] = d.x;
			maps[(3u * c + 1u) * size + at] = d.y;
			maps[(3u * c + 2u) * size + at] = d.z;
		}
	}
	sums[i] = l1;
	sums[256u + i] = ssim;
	for (uint half_ = 128u; half_ > 0u; half_ /= 2u) {
		barrier();
		if (i < half_) {
			sums[i] += sums[i + half_];
			sums[256u + i] += sums[256u + i + half_];
		}
	}
	if (i == 0u) {
		partials[2u * tile] = sums[0];
		partials[2u * tile + 1u] = sums[256];
	}
}
