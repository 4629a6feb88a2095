#version 450
#include "common.glsl"
#include "gen/mcmc_plan.glsl"
#include "work.glsl"
#include "refine.glsl"

// growth_of is n times Growth/65536, saturating.
uint growth_of(uint n) {
	uint high, low;
	umulExtended(n, schedule.Growth, high, low);
	return high >> 16 != 0u ? 0xFFFFFFFFu : high << 16 | low >> 16;
}

// Sets the number of draws of a round: the dead in round 0, the growth in round 1,
// none if nothing is alive to copy. The capacity is checked in round 0, before
// anything changes.
void main() {
	if (refine.Due == 0u) {
		return;
	}
	uint n = refine.Before, draws = refine.Grow;
	if (c_round == 0u) {
		uint grow = min(growth_of(n), max(schedule.MaxSplats, n) - n);
		refine.Grow = grow;
		if (n + grow > c_capacity) {
			stop_refine(n + grow);
			return;
		}
		draws = counts[COUNT_HOLES];
		refine.Holes = draws;
	}
	if (counts[COUNT_WEIGHT] == 0u) {
		draws = 0u;
	}
	refine.Draws = draws;
	if (c_round == 1u) {
		refine.After = n + draws;
		set_count(COUNT_AFTER, n + draws);
	}
	set_count(COUNT_DRAWS, draws);
}
