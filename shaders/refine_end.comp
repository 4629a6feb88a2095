#version 450
#include "common.glsl"
#include "gen/refine_end.glsl"

// Commits the new number of splats. It is the last kernel of a refine.
void main() {
	if (refine.Due == 0u) {
		return;
	}
	control.Splats = refine.After;
	control.LastRefine = refine.Index;
	control.Capped = refine.Capped;
}
