// stop_refine turns the rest of a refine into a no-op: its rows do not fit. Include
// it after work.glsl.
void stop_refine(uint need) {
	control.Overflow |= OVERFLOW_SPLATS;
	control.NeedSplats = need;
	refine.Due = 0u;
	clear_counts();
}
