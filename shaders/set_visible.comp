#version 450
#include "common.glsl"
#include "gen/set_visible.glsl"
#include "work.glsl"

// Turns the number of visible splats, left by the scan, into the work that follows
// from it. In a no-op the scan did not run and the count is 0.
void main() {
	uint n = step_.Noop == NOOP_NONE ? counts[COUNT_VISIBLE] : 0u;
	set_count(COUNT_VISIBLE, n);
	set_count(COUNT_VISIBLE_DIGITS, digits(n));
}
