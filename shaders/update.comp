#version 450
#include "common.glsl"
#include "gen/update.glsl"
#include "math.glsl"
#include "rand.glsl"
#include "normal.glsl"
#include "projection.glsl"
#include "read_row.glsl"
#include "sh.glsl"
#include "chain.glsl"
#include "slots.glsl"
#include "adam.glsl"

const uint STRIDE = 3u; // times c_coefficients: reals of SH a splat

// What the second half of the kernel needs of each splat of the workgroup.
shared float basis[16 * 256];
shared float color[3 * 256];
shared uint steps[256]; // 1: the splat takes its step

// keep_statistics accumulates the screen gradient in units of half a picture and the
// number of views.
void keep_statistics(uint i, float sum[SLOT_ROW]) {
	float x = c_absgrad != 0u ? sum[SLOT_ABS_X] : sum[SLOT_X], y = c_absgrad != 0u ? sum[SLOT_ABS_Y] : sum[SLOT_Y];
	x *= 0.5 * float(step_.Width);
	y *= 0.5 * float(step_.Height);
	float norm = sqrt(x * x + y * y);
	if (is_finite(norm)) {
		stats[i * STAT_ROW] += norm;
		stats[i * STAT_ROW + 1u] += 1.0;
	}
}

// regularise adds the gradients of opacity_reg * mean(opacity) and scale_reg *
// mean(scale).
void regularise(Row row, inout Gradient g) {
	if (step_.OpacityReg > 0.0) {
		float o = sigmoid(row.logit);
		g.logit += step_.OpacityReg * o * (1.0 - o);
	}
	if (step_.ScaleReg > 0.0) {
		g.log_scale += step_.ScaleReg * vec3(exp_(row.log_scale.x), exp_(row.log_scale.y), exp_(row.log_scale.z));
	}
}

// takes reports whether Adam can take a gradient.
bool takes(float g) { return is_finite(g) && abs(g) <= HUGE_GRADIENT; }

bool healthy(Row row, Gradient g) {
	bool ok = takes(g.logit) && is_finite(row.logit);
	for (int k = 0; k < 3; k++) {
		ok = ok && takes(g.mean[k]) && takes(g.log_scale[k]) && takes(g.color[k]) && is_finite(row.mean[k]) && is_finite(row.log_scale[k]);
	}
	for (int k = 0; k < 4; k++) {
		ok = ok && takes(g.quat[k]) && is_finite(row.quat[k]);
	}
	return ok;
}

bool is_finite(vec4 v) { return is_finite(v.x) && is_finite(v.y) && is_finite(v.z) && is_finite(v.w); }

// all_finite looks at all parameters, moments and statistics of a splat.
bool all_finite(uint i) {
	bool ok = is_finite(stats[i * STAT_ROW]) && is_finite(stats[i * STAT_ROW + 1u]);
	for (uint k = i * (GEOM_ROW / 4u); k < (i + 1u) * (GEOM_ROW / 4u); k++) {
		ok = ok && is_finite(geom[k]) && is_finite(geom_m[k]) && is_finite(geom_v[k]);
	}
	uint stride = STRIDE * c_coefficients;
	for (uint k = i * stride; k < (i + 1u) * stride; k++) {
		ok = ok && is_finite(sh[k]) && is_finite(sh_m[k]) && is_finite(sh_v[k]);
	}
	return ok;
}

// step_four steps the first n of four numbers of a row of geom, whose moments are in
// place at.
vec4 step_four(Adam a, uint at, int n, vec4 p, vec4 g, vec4 rate) {
	vec4 m = geom_m[at], v = geom_v[at];
	for (int k = 0; k < n; k++) {
		adam_step(a, p[k], m[k], v[k], g[k], rate[k] * a.ib1);
	}
	geom_m[at] = m;
	geom_v[at] = v;
	return p;
}

// step_row steps the geometry of splat i and returns it.
Row step_row(Adam a, uint i, Row row, Gradient g) {
	uint at = i * (GEOM_ROW / 4u);
	vec4 p = step_four(a, at, 4, vec4(row.mean, row.logit), vec4(g.mean, g.logit), vec4(vec3(step_.LRMeans), step_.LROpacities));
	row.mean = p.xyz;
	row.logit = p.w;
	row.quat = step_four(a, at + 1u, 4, row.quat, g.quat, vec4(step_.LRQuats));
	row.log_scale = step_four(a, at + 2u, 3, vec4(row.log_scale, 0.0), vec4(g.log_scale, 0.0), vec4(vec3(step_.LRScales), 0.0)).xyz;
	return row;
}

void write_row(uint i, Row row) {
	uint at = i * (GEOM_ROW / 4u);
	geom[at] = vec4(row.mean, row.logit);
	geom[at + 1u] = row.quat;
	geom[at + 2u] = vec4(row.log_scale, geom[at + 2u].w);
}

// with_noise moves the mean of a splat that shows little: see internal/kernel/cpu.
Row with_noise(uint i, Row row) {
	float o = sigmoid(row.logit);
	if (is_nan(o) || !(o < 0.3)) {
		return row;
	}
	SplatView p;
	if (!world_covariance(p, row)) {
		return row;
	}
	vec3 d = step_.Noise * sigmoid(-100.0 * (o - 0.005)) * symmetric(p.sigma, normal3(step_.Seed, i));
	for (int k = 0; k < 3; k++) {
		float v = row.mean[k] + d[k];
		row.mean[k] = is_finite(v) ? v : row.mean[k];
	}
	return row;
}

// sh_gradient is the gradient of element e of the workgroup's SH, and its rate, which is below 0
// where it takes no step. Coefficients above the active degree have neither gradient nor
// moments.
float sh_gradient(Adam a, uint e, uint n, out float rate) {
	uint stride = STRIDE * c_coefficients, s = e / stride, k = e % stride;
	bool trained = group_id() * 256u + s < n && k < 3u * sh_count(step_.SHDegree) && steps[s] != 0u;
	rate = !trained ? -1.0 : (k < 3u ? step_.LRSH0 : step_.LRSHRest) * a.ib1;
	return basis[k / 3u * 256u + s] * color[k % 3u * 256u + s];
}

// step_sh steps the SH of the workgroup's splats in the order of memory, four numbers at
// a time where rows are multiples of four.
void step_sh(Adam a, uint n) {
	uint stride = STRIDE * c_coefficients, first = group_id() * 256u * stride;
	uint last_ = min(256u, n - min(n, group_id() * 256u)) * stride;
	if (stride % 4u != 0u) {
		for (uint e = gl_LocalInvocationIndex; e < last_; e += 256u) {
			float rate, g = sh_gradient(a, e, n, rate);
			if (rate >= 0.0) {
				float p = sh[first + e], m = sh_m[first + e], v = sh_v[first + e];
				adam_step(a, p, m, v, g, rate);
				sh[first + e] = p;
				sh_m[first + e] = m;
				sh_v[first + e] = v;
			}
		}
		return;
	}
	for (uint e = gl_LocalInvocationIndex * 4u; e < last_; e += 1024u) {
		uint at = (first + e) / 4u;
		vec4 rate, g, p = sh_4[at], m = sh_m_4[at], v = sh_v_4[at];
		for (int k = 0; k < 4; k++) {
			float r;
			g[k] = sh_gradient(a, e + uint(k), n, r);
			rate[k] = r;
		}
		if (all(lessThan(rate, vec4(0.0)))) {
			continue;
		}
		for (int k = 0; k < 4; k++) {
			if (rate[k] >= 0.0) {
				adam_step(a, p[k], m[k], v[k], g[k], rate[k]);
			}
		}
		sh_4[at] = p;
		sh_m_4[at] = m;
		sh_v_4[at] = v;
	}
}

// Finishes the step for every splat: sums its slots, runs projection, SH and activations
// backwards, adds the regularisers, applies Adam and the noise, and keeps statistics. A
// splat whose numbers are not finite stays as it is and is reported.
void main() {
	uint i = invocation_id(), n = counts[COUNT_SPLATS], l = gl_LocalInvocationIndex;
	bool live = i < n;
	uint touched = live ? tiles[i] : 0u;
	float sum[SLOT_ROW];
	sum_slots(touched > 0u ? base[i] : 0u, touched, sum);
	Adam a = adam_of_step();
	Gradient g = Gradient(vec3(0.0), 0.0, vec4(0.0), vec3(0.0), vec3(0.0), float[16](0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0));
	steps[l] = 0u;
	if (live) {
		Row row = read_row(i);
		if (touched > 0u) {
			keep_statistics(i, sum);
			SplatView p;
			if (project_splat(p, row)) {
				backward(p, row, i, sum, g);
			}
		}
		regularise(row, g);
		if (healthy(row, g) && (step_.Audit == 0u || all_finite(i))) {
			steps[l] = 1u;
			row = step_row(a, i, row, g);
			if (step_.Noise > 0.0) {
				row = with_noise(i, row);
			}
			write_row(i, row);
		} else {
			atomicMax(counts[COUNT_BROKEN], ~i); // the first one stays
		}
	}
	for (uint k = 0; k < 16u; k++) {
		basis[k * 256u + l] = g.basis[k];
	}
	for (uint k = 0; k < 3u; k++) {
		color[k * 256u + l] = g.color[k];
	}
	barrier();
	step_sh(a, n);
}
