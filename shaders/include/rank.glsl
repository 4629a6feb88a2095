// Ranking the keys of a sort block by their digits, stably. Include it after subgroup.glsl
// and gen/KERNEL.glsl, which must bind keys and have the constant shift.

const uint ROUNDS = SORT_BLOCK / 256u;

// places holds, for each subgroup and digit, how many keys the subgroup has of it and
// later where they go. Subgroups are at least 32 wide.
shared uint places[8u * RADIX];

uint digit_of(uint key) { return key >> c_shift & (RADIX - 1u); }

// place_row is where the places of an invocation's subgroup begin.
uint place_row() { return sg_id() * RADIX; }

// first_key is the first of an invocation's keys, SG_WIDTH apart, in the block from from on:
// a subgroup takes consecutive keys, SG_WIDTH at a time, so that equal digits keep their
// order.
uint first_key(uint from) { return from + sg_id() * SG_WIDTH * ROUNDS + sg_lane(); }

// rank_keys reads the block's keys, of n in the list, counts the digits of each subgroup in
// places, and ranks each key among those of its digit in its subgroup.
void rank_keys(uint from, uint n, out uint key[ROUNDS], out uint rank[ROUNDS]) {
	for (uint k = gl_LocalInvocationIndex; k < 8u * RADIX; k += 256u) {
		places[k] = 0u;
	}
	barrier();
	uint first = first_key(from), row = place_row();
	for (uint r = 0; r < ROUNDS; r++) {
		uint i = first + r * SG_WIDTH;
		bool valid = i < n;
		key[r] = valid ? keys[i] : 0u;
		uint digit = digit_of(key[r]);
		uvec2 mask = sg_match(digit, valid);
		uint earlier = places[row + digit], before = sg_before(mask);
		rank[r] = earlier + before;
		sg_sync();
		if (valid && before == 0u) {
			places[row + digit] = earlier + sg_count(mask);
		}
		sg_sync();
	}
	barrier();
}

// digit_count is how many keys of the block have digit d.
uint digit_count(uint d) {
	uint sum = 0u;
	for (uint s = 0; s < 256u / SG_WIDTH; s++) {
		sum += places[s * RADIX + d];
	}
	return sum;
}

// place_digit turns the counts of digit d into places, the block's first at at.
void place_digit(uint d, uint at) {
	for (uint s = 0; s < 256u / SG_WIDTH; s++) {
		uint count = places[s * RADIX + d];
		places[s * RADIX + d] = at;
		at += count;
	}
}

// move_keys moves the block's keys and values to their places.
void move_keys(uint from, uint n, uint key[ROUNDS], uint rank[ROUNDS]) {
	barrier();
	for (uint r = 0; r < ROUNDS; r++) {
		uint i = first_key(from) + r * SG_WIDTH;
		if (i < n) {
			uint to = places[place_row() + digit_of(key[r])] + rank[r];
			keys_out[to] = key[r];
			values_out[to] = values[i];
		}
	}
}
