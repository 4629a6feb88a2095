#version 450
#include "common.glsl"
#include "gen/mcmc_share.glsl"
#include "math.glsl"
#include "share.glsl"
#include "moments.glsl"

// The largest number of splats that one may be shared among; further draws of it make
// copies of the 51st part.
const uint MAX_SHARE = 51u;

// Changes every drawn splat so that it and its copies together render as it did
// alone: see share.glsl. Its moments are cleared.
void main() {
	uint i = invocation_id();
	if (i >= counts[COUNT_SPLATS] || drawn[i] == 0u) {
		return;
	}
	uint n = min(drawn[i], MAX_SHARE - 1u) + 1u, row = i * GEOM_ROW;
	float o = sigmoid(geom[row + GEOM_OPACITY]);
	float x = share_opacity(o, n);
	float change = log_(o / share_sum(x, n));
	geom[row + GEOM_OPACITY] = logit(min(max(x, schedule.PruneOpacity), 1.0 - 1e-6));
	for (uint k = 0; k < 3u; k++) {
		geom[row + GEOM_SCALE + k] += change;
	}
	clear_moments(i);
}
