#version 450
#include "common.glsl"
#include "gen/begin_render.glsl"
#include "work.glsl"
#include "view.glsl"

// Prepares a forward pass of the view that the host asked for.
void main() {
	Step s = empty_step();
	s.View = control.Request;
	s.SHDegree = schedule.SHDegree;
	if (control.Overflow != 0u) {
		s.Noop = NOOP_OVERFLOW;
	}
	set_view(s);
	for (uint c = 0; c < 3u; c++) {
		s.Background[c] = schedule.Background[c];
	}
	step_ = s;
	start_counts(s, control.Splats);
}
