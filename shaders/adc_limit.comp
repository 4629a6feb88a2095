#version 450
#include "common.glsl"
#include "gen/adc_limit.glsl"
#include "work.glsl"

// Asks for a ranking where the limit on splats is below what adding would give;
// growth is then cut to the highest gradients, and the rest reported.
void main() {
	if (refine.Due == 0u) {
		return;
	}
	uint holes = counts[COUNT_HOLES], adds = counts[COUNT_ADDS];
	uint kept = refine.Before - holes;
	uint room = max(schedule.MaxSplats, kept) - kept;
	refine.Holes = holes;
	refine.Adds = min(adds, room);
	if (adds > room) {
		refine.Capped = adds - room;
		set_count(COUNT_RANKED, refine.Before);
		set_count(COUNT_RANKED_DIGITS, digits(refine.Before));
	}
}
