#version 450
#include "common.glsl"
#include "gen/refine_begin.glsl"
#include "rand.glsl"
#include "work.glsl"
#include "due.glsl"

// fade_at falls from 1 to 0 over the run.
float fade_at(uint index) {
	if (index >= schedule.Steps) {
		return 0.0;
	}
	precise float done = float(index) / float(schedule.Steps);
	return max(0.0, 1.0 - done);
}

// reset_due: the reset goes with the first refine at or after each multiple of
// ResetEvery.
bool reset_due(uint index) {
	uint every = schedule.ResetEvery;
	uint before = max(index, schedule.RefineEvery) - schedule.RefineEvery;
	return index / every > before / every && index < schedule.RefineStop;
}

// Decides whether a refine is due; if not, the recording does nothing.
void main() {
	uint index = control.Step, splats = control.Splats;
	bool due = control.Overflow == 0u &&
		refine_due(index, control.LastRefine, schedule.RefineEvery, schedule.RefineStart, schedule.RefineStop);
	bool resets = false, prunes = false;
	if (due && schedule.ResetEvery > 0u) {
		resets = reset_due(index);
		prunes = index > schedule.ResetEvery;
	}
	refine.Due = uint(due);
	refine.Index = index;
	refine.Seed = due ? hash(schedule.Seed, index, 1u) : 0u;
	refine.Reset = uint(resets);
	refine.PruneBig = uint(prunes);
	refine.Before = splats;
	refine.After = splats;
	refine.Holes = 0u;
	refine.Adds = 0u;
	refine.Draws = 0u;
	refine.Grow = 0u;
	refine.Fade = due ? fade_at(index) : 0.0;
	refine.Capped = 0u;
	for (uint i = 0; i < 3u; i++) {
		refine.unused13[i] = 0u;
	}
	clear_counts();
	if (due) {
		set_count(COUNT_SPLATS, splats);
		set_count(COUNT_TILES, 1u); // the job of one workgroup
	}
}
