// Counts and the workgroups that follow from them, for kernels that bind counts and
// args. Include it after gen/KERNEL.glsl.

// set_args stores the workgroups of every job that follows from a count.
void set_args(uint slot, uint n) {
	for (uint w = 0; w < NUM_WORK; w++) {
		if (JOB_COUNT[w] != slot) {
			continue;
		}
		uint groups = blocks(n, JOB_PER[w]), x = groups, y = 1u;
		if (groups > MAX_GROUPS) {
			y = (groups - 1u) / MAX_GROUPS + 1u;
			x = (groups - 1u) / y + 1u;
		}
		args[3u * w] = x;
		args[3u * w + 1u] = y;
		args[3u * w + 2u] = 1u;
	}
}

// set_count stores n in a slot of counts and the workgroups that follow from it.
void set_count(uint slot, uint n) {
	counts[slot] = n;
	set_args(slot, n);
}

// clear_counts stores 0 in all of them.
void clear_counts() {
	for (uint slot = 0; slot < NUM_COUNTS; slot++) {
		counts[slot] = 0u;
	}
	for (uint w = 0; w < NUM_WORK; w++) {
		args[3u * w] = 0u;
		args[3u * w + 1u] = 1u;
		args[3u * w + 2u] = 1u;
	}
}

// digits is the length of a sort's histogram for n keys.
uint digits(uint n) { return RADIX * blocks(n, SORT_BLOCK); }
