#version 450
#extension GL_EXT_control_flow_attributes : require
#include "common.glsl"
#include "gen/sweep_scatter.glsl"
#include "subgroup.glsl"
#include "scan.glsl"
#include "rank.glsl"

// What a block says of a digit is one word: nothing yet, how many keys of it the block has,
// or how many it and all blocks before it have. Lists are shorter than 2^30, for a storage
// buffer has no room for more.
const uint OWN = 1u << 30, SUM = 1u << 31, VALUE = OWN - 1u;

const uint AHEAD = 8u; // words that are read together: each takes long, but not after another

shared uint ticket;

// count_before counts the keys of digit d before a block, for a device that does not run
// the blocks that know.
uint count_before(uint d, uint block) {
	uint count = 0u;
	for (uint i = 0u; i < block * SORT_BLOCK; i += 32u) {
		[[unroll]] for (uint k = 0u; k < 32u; k++) {
			count += uint(digit_of(keys[i + k]) == d);
		}
	}
	return count;
}

// look_back returns how many keys of digit d there are before the block; states is where
// the blocks say it.
uint look_back(uint d, uint block, uint states) {
	uint sum = 0u, looks = 0u;
	while (block > 0u) {
		uint word[AHEAD];
		[[unroll]] for (uint k = 0u; k < AHEAD; k++) {
			word[k] = k < block ? atomicOr(sweep[states + (block - 1u - k) * RADIX + d], 0u) : SUM;
		}
		uint ready = 0u;
		bool whole = false;
		[[unroll]] for (uint k = 0u; k < AHEAD; k++) {
			bool takes = !whole && ready == k && word[k] != 0u;
			sum += takes ? word[k] & VALUE : 0u;
			ready += uint(takes);
			whole = whole || takes && word[k] >= SUM;
		}
		if (whole) {
			return sum;
		}
		block -= ready;
		looks += uint(ready == 0u);
		if (looks > c_looks) {
			return sum + count_before(d, block);
		}
	}
	return sum;
}

// Moves each key and its value to its place. Blocks are numbered in the order in which they
// start, so that those before it have started when a block looks back.
void main() {
	uint n = counts[c_count], all = blocks(n, SORT_BLOCK), d = sg_index(), pass = c_shift / 8u;
	if (gl_LocalInvocationIndex == 0u) {
		ticket = atomicAdd(sweep[SWEEP_TICKETS + pass], 1u);
	}
	barrier();
	uint block = ticket, from = block * SORT_BLOCK, states = SWEEP_STATES + pass * all * RADIX, total;
	if (block >= all) {
		return;
	}
	uint key[ROUNDS], rank[ROUNDS];
	rank_keys(from, n, key, rank);
	uint own = digit_count(d), at = states + block * RADIX + d;
	atomicExchange(sweep[at], (block == 0u ? SUM : OWN) | own);
	uint smaller = group_scan(sweep[pass * RADIX + d], total);
	uint before = look_back(d, block, states);
	if (block > 0u) {
		atomicExchange(sweep[at], SUM | before + own);
	}
	place_digit(d, smaller + before);
	move_keys(from, n, key, rank);
}
