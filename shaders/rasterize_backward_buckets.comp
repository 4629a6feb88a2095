#version 450
#include "common.glsl"
#include "gen/rasterize_backward_buckets.glsl"
#include "math.glsl"
#include "blend.glsl"
#include "subgroup.glsl"
#include "pass.glsl"

// Writes the slots of eight buckets, 32 lanes each, from the states that the forward
// pass kept.
void main() {
	uint lane = sg_index() % BUCKET, place = group_id() * BUCKETS_A_GROUP + sg_index() / BUCKET;
	uint tile = place < counts[COUNT_BUCKETS] ? bucket_tiles[place] : NO_TILE;
	bool busy = tile != NO_TILE;
	tile = busy ? tile : 0u;
	uint begin = ranges[2u * tile], beyond = ranges[2u * tile + 1u];
	uint first = busy ? (place - (begin / BUCKET + tile)) * BUCKET : 0u;
	uint position = first + lane;
	bool mine = busy && begin + position < beyond;
	uint pair = mine ? pairs[begin + position] : 0u;
	uint owner = mine ? owners[pair] : 0u;
	Splat s = load_splat(owner);
	vec3 conic = vec3(proj[owner * PROJ_ROW + PROJ_CONIC_A], proj[owner * PROJ_ROW + PROJ_CONIC_B], proj[owner * PROJ_ROW + PROJ_CONIC_C]);
	Sums o = Sums(vec3(0.0), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, vec2(0.0));
	Traveller q = Traveller(0.0, 0.0, 0.0, vec3(0.0), 0u);
	for (uint turn = 0u; turn < TURNS; turn++) {
		q = shuffle_up(q);
		if (lane == 0u) {
			q.last = 0u;
			if (busy && turn < TILE_PIXELS) {
				q = departing(tile, turn);
				if (q.last > first) {
					uint at = (place * TILE_PIXELS + turn) * SAVED_ROW;
					q.t = checkpoints[at];
					q.front = front_of(vec3(checkpoints[at + 1u], checkpoints[at + 2u], checkpoints[at + 3u]), q.g);
				}
			}
		}
		uint p = turn - lane;
		if (mine && turn >= lane && p < TILE_PIXELS) {
			uvec2 at = tile_pixel(tile, p);
			meet(q, o, s, conic, vec2(float(at.x) + 0.5, float(at.y) + 0.5) - s.mean, position);
		}
	}
	if (mine) {
		store(pair, o, s, conic);
	}
	if (group_id() == 0u) {
		clear_padding();
	}
}
