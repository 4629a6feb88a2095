#version 450
#include "common.glsl"
#include "gen/adc_mark.glsl"
#include "math.glsl"
#include "adc.glsl"

// largest_scale is the largest standard deviation of the splat whose row begins at
// row; NaN counts as small.
float largest_scale(uint row) {
	float x = geom[row + GEOM_SCALE], y = geom[row + GEOM_SCALE + 1u], z = geom[row + GEOM_SCALE + 2u];
	return is_nan(x) || is_nan(y) || is_nan(z) ? 0.0 : exp_(max(max(x, y), z));
}

// must_go tells whether a splat is to be pruned.
bool must_go(float opacity, float largest) {
	if (is_nan(opacity) || !(opacity > schedule.PruneOpacity)) {
		return true;
	}
	return refine.PruneBig != 0u && schedule.PruneScale > 0.0 && largest > schedule.PruneScale;
}

// Decides for every splat. keys orders those to add by falling gradient, for the case
// that the limit does not hold all of them.
void main() {
	uint i = invocation_id();
	if (i >= counts[COUNT_SPLATS]) {
		return;
	}
	float largest = largest_scale(i * GEOM_ROW);
	bool gone = must_go(sigmoid(geom[i * GEOM_ROW + GEOM_OPACITY]), largest);
	float gradient = stats[i * STAT_ROW] / max(stats[i * STAT_ROW + 1u], 1.0);
	bool grows = !gone && !is_nan(gradient) && gradient > schedule.GrowGrad;
	dead[i] = uint(gone);
	add[i] = grows ? (largest > schedule.GrowScale ? ADD_SPLIT : ADD_CLONE) : ADD_NONE;
	keys[i] = grows ? 0xFFFFFFFFu - floatBitsToUint(gradient) : 0xFFFFFFFFu;
	ids[i] = i;
}
