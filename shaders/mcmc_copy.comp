#version 450
#include "common.glsl"
#include "gen/mcmc_copy.glsl"
#include "rows.glsl"

// Makes each row to fill a copy of its source, after mcmc_share: the dead in round 0,
// new rows at the end in round 1.
void main() {
	uint j = invocation_id();
	if (j >= counts[COUNT_DRAWS]) {
		return;
	}
	uint target = c_round == 0u ? holes[j] : refine.Before + j;
	copy_parameters(target, picks[j]);
	clear_moments(target);
}
