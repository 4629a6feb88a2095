#version 450
#include "common.glsl"
#include "gen/adc_trim.glsl"
#include "adc.glsl"

// Takes back what the limit does not hold; ids is in ranking order.
void main() {
	uint r = invocation_id();
	if (r < counts[COUNT_RANKED] && r >= refine.Adds) {
		add[ids[r]] = ADD_NONE;
	}
}
