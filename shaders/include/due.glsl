// refine_due reports whether a refine must run before the next step.
bool refine_due(uint step, uint last, uint every, uint start, uint stop) {
	if (every == 0u || step == 0u || step < start || step > stop) {
		return false;
	}
	return step % every == 0u && last != step;
}
