#version 450
#include "common.glsl"
#include "gen/adc_apply.glsl"
#include "math.glsl"
#include "rand.glsl"
#include "normal.glsl"
#include "rotation.glsl"
#include "rows.glsl"
#include "adc.glsl"

const float LN_1_6 = 0.47000362924573558;

// revise_opacity gives the splat the opacity o of which two make its own: (1-o)^2 is
// one minus it. Written as here, nothing cancels.
void revise_opacity(uint i) {
	uint at = i * GEOM_ROW + GEOM_OPACITY;
	float both = sigmoid(geom[at]);
	float o = both / (1.0 + sqrt(1.0 - both));
	geom[at] = logit(min(max(o, 1e-6), 1.0 - 1e-6));
}

// place moves a splat by offset and shrinks it.
void place(uint i, vec3 offset) {
	for (uint c = 0; c < 3u; c++) {
		geom[i * GEOM_ROW + GEOM_MEAN + c] += offset[c];
		geom[i * GEOM_ROW + GEOM_SCALE + c] -= LN_1_6;
	}
}

// split_pair moves both rows, equal before, to samples of their Gaussian and shrinks
// them. Rows without a rotation only shrink.
void split_pair(uint a, uint b) {
	uint row = a * GEOM_ROW, quat = row + GEOM_QUAT, scale = row + GEOM_SCALE;
	float r[9];
	bool ok = rotation_of(vec4(geom[quat], geom[quat + 1u], geom[quat + 2u], geom[quat + 3u]), r);
	vec3 size = vec3(exp_(geom[scale]), exp_(geom[scale + 1u]), exp_(geom[scale + 2u]));
	for (uint k = 0; k < 2u; k++) {
		vec3 offset = vec3(0.0);
		if (ok) {
			vec3 n = size * normal3(hash(refine.Seed, STREAM_SPLIT, k), a);
			offset = vec3(dot(vec3(r[0], r[1], r[2]), n), dot(vec3(r[3], r[4], r[5]), n), dot(vec3(r[6], r[7], r[8]), n));
		}
		place(k == 0u ? a : b, offset);
	}
}

// Adds the clones and children. A clone is an exact copy. A split replaces the splat
// by two of 1/1.6 its size, placed by sampling the splat.
void main() {
	uint i = invocation_id();
	if (i >= counts[COUNT_SPLATS] || add[i] == ADD_NONE) {
		return;
	}
	uint j = offsets[i];
	uint child = j < refine.Holes ? holes[j] : refine.Before + j - refine.Holes;
	if (schedule.RevisedOpacity != 0u) {
		revise_opacity(i);
	}
	copy_parameters(child, i);
	clear_moments(child);
	if (add[i] == ADD_SPLIT) {
		split_pair(i, child);
		clear_moments(i);
	}
}
