#version 450
#include "common.glsl"
#include "gen/mcmc_weights.glsl"
#include "math.glsl"

// Quantises each live splat's opacity to an integer sampling weight and marks the
// dead ones, whose weight is 0.
void main() {
	uint i = invocation_id();
	if (i >= counts[COUNT_SPLATS]) {
		return;
	}
	float o = sigmoid(geom[i * GEOM_ROW + GEOM_OPACITY]);
	bool alive = !is_nan(o) && o > schedule.PruneOpacity;
	weights[i] = alive ? uint(o * float(schedule.WeightScale)) + 1u : 0u;
	dead[i] = uint(!alive);
	drawn[i] = 0u;
}
