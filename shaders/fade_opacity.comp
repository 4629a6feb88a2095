#version 450
#include "common.glsl"
#include "gen/fade_opacity.glsl"
#include "math.glsl"

// Applies opacity decay and reset to every splat and clears its densification
// statistics. Opacities are 0..1: o' = o*factor - decay*fade, not below 1/256, and at
// most reset_opacity on a reset, which also clears the opacity's moments.
void main() {
	uint i = invocation_id();
	if (i >= counts[COUNT_AFTER]) {
		return;
	}
	for (uint k = 0; k < STAT_ROW; k++) {
		stats[i * STAT_ROW + k] = 0.0;
	}
	uint at = i * GEOM_ROW + GEOM_OPACITY;
	float old = geom[at], new = old;
	float decay = schedule.OpacityDecay * refine.Fade, factor = schedule.DecayFactor;
	if (decay != 0.0 || factor != 1.0) {
		precise float o = sigmoid(old) * factor - decay;
		if (o < 1.0) { // the logit of 1 is above any other
			new = min(new, logit(max(o, 1.0 / 256.0)));
		}
	}
	if (refine.Reset != 0u) {
		new = min(new, logit(schedule.ResetOpacity));
		geom_m[at] = 0.0;
		geom_v[at] = 0.0;
	}
	if (!is_nan(old)) {
		geom[at] = new;
	}
}
