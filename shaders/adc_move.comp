#version 450
#include "common.glsl"
#include "gen/adc_move.glsl"
#include "rows.glsl"

// Fills the freed rows that no addition took with live rows from the end.
void main() {
	uint i = invocation_id(), after = refine.After;
	if (i >= counts[COUNT_SPLATS] || i < after || refine.Adds >= refine.Holes || dead[i] != 0u) {
		return;
	}
	uint rank = (i - after) - (offsets[i] - offsets[after]);
	uint target = holes[refine.Adds + rank];
	copy_parameters(target, i);
	copy_moments(target, i);
}
