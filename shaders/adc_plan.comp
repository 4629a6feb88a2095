#version 450
#include "common.glsl"
#include "gen/adc_plan.glsl"
#include "work.glsl"
#include "refine.glsl"

// Computes the new number of splats and checks the capacity before anything is
// changed.
void main() {
	if (refine.Due == 0u) {
		return;
	}
	uint adds = counts[COUNT_ADDS];
	uint after = refine.Before - refine.Holes + adds;
	refine.Adds = adds;
	refine.After = after;
	if (after > c_capacity) {
		stop_refine(after);
		return;
	}
	set_count(COUNT_AFTER, max(refine.Before, after));
}
