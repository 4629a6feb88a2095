#version 450
#include "common.glsl"
#include "gen/rasterize_backward_buckets.glsl"
#include "math.glsl"
#include "blend.glsl"
#include "subgroup.glsl"
#include "pass.glsl"

const uint RING = 2u * BUCKET;

// Pixels on their way through each bucket's lanes, in the order in which they came.
shared vec4 ring_pixel[BUCKETS_A_GROUP * RING]; // see meet
shared vec4 ring_state[BUCKETS_A_GROUP * RING]; // number in the tile, splats of the bucket to meet, state in front

// enlist appends those of 32 pixels of the tile that reach the bucket to its ring, which
// holds head pixels so far, and returns how many it then holds. Emulated subgroups, whose
// turns must be the same for the whole workgroup, take all.
uint enlist(uint ring, uint head, uint lane, uint chunk, bool busy, uint tile, uint place, uint first) {
	uint p = chunk * BUCKET + lane, reached = 0u;
	vec4 pixel = busy ? pixel_at(tile_pixel(tile, p), reached) : vec4(0.0);
	vec4 state = vec4(uintBitsToFloat(p), uintBitsToFloat(0u), 0.0, 0.0);
	bool takes = reached > first;
	if (takes) {
		vec4 saved = checkpoints[place * TILE_PIXELS + p];
		state = vec4(state.x, uintBitsToFloat(min(reached - first, BUCKET)), saved.x, front_of(saved.yzw, pixel.rgb));
	}
#ifdef EMULATED
	uint to = lane, count = BUCKET;
	takes = true;
#else
	uvec2 mask = subgroupBallot(takes).xy;
	uint half_ = (sg_lane() & 32u) != 0u ? mask.y : mask.x;
	uint to = bitCount(half_ & ((1u << lane) - 1u)), count = bitCount(half_);
#endif
	sg_sync();
	if (takes) {
		ring_pixel[ring + (head + to) % RING] = pixel;
		ring_state[ring + (head + to) % RING] = state;
	}
	sg_sync();
	return head + count;
}

// Writes the slots of eight buckets, 32 lanes each, from the states that the forward
// pass kept.
void main() {
	uint lane = sg_index() % BUCKET, bucket = sg_index() / BUCKET, place = group_id() * BUCKETS_A_GROUP + bucket;
	uint tile = place < counts[COUNT_BUCKETS] ? bucket_tiles[place] : NO_TILE;
	bool busy = tile != NO_TILE;
	tile = busy ? tile : 0u;
	uint begin = ranges[2u * tile], beyond = ranges[2u * tile + 1u];
	uint first = busy ? (place - (begin / BUCKET + tile)) * BUCKET : 0u;
	bool mine = busy && begin + first + lane < beyond;
	uint pair = mine ? pairs[begin + first + lane] : 0u;
	uint owner = mine ? owners[pair] : 0u;
	Splat s = load_splat(owner);
	Sums o = Sums(vec3(0.0), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, vec2(0.0));
	Traveller q = Traveller(0.0, 0.0);
	vec2 corner = vec2(tile_pixel(tile, 0u)) + 0.5;
	uint ring = bucket * RING, head = 0u, chunk = 0u;
	for (uint turn = 0u;; turn++) {
		while (head <= turn && chunk < TILE_PIXELS / BUCKET) {
			head = enlist(ring, head, lane, chunk, busy, tile, place, first);
			chunk++;
		}
		if (turn >= head + BUCKET - 1u || head == 0u) {
			break;
		}
		q = shuffle_up(q);
		uint entry = turn - lane;
		if (turn < lane || entry >= head) {
			continue;
		}
		vec4 state = ring_state[ring + entry % RING];
		if (lane == 0u) {
			q = Traveller(state.z, state.w);
		}
		uint p = floatBitsToUint(state.x);
		if (mine && lane < floatBitsToUint(state.y)) {
			meet(q, o, s, corner + vec2(float(p % TILE_SIZE), float(p / TILE_SIZE)) - s.mean, ring_pixel[ring + entry % RING]);
		}
	}
	if (mine) {
		store(pair, o, s);
	}
	if (group_id() == 0u) {
		clear_padding();
	}
}
